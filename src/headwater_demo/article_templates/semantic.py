"""Clean, semantic HTML: one article element with a time in it."""

from headwater_demo.article_templates.page import TemplatePage, attribute, links, paragraphs, text


def semantic(page: TemplatePage) -> str:
    article, publisher = page.article, page.publisher
    return f"""<!doctype html>
<html lang="{article.language}">
<head>
<meta charset="utf-8">
<title>{text(article.title)} | {text(publisher.name)}</title>
<meta name="description" content="{attribute(article.description)}">
<meta name="author" content="{attribute(article.author)}">
<meta name="keywords" content="{attribute(", ".join(article.keywords))}">
<link rel="canonical" href="{attribute(article.url)}">
{page.feed_links}
</head>
<body>
<header><a href="/">{text(publisher.name)}</a> <p>{text(publisher.tagline)}</p>
<nav><a href="/section/markets">Markets</a> <a href="/section/protocols">Protocols</a> <a href="/about">About</a></nav></header>
<main>
<article>
<h1>{text(article.title)}</h1>
<p class="byline">By <span rel="author">{text(article.author)}</span>, <time datetime="{article.published.isoformat()}" pubdate>{article.published:%d %B %Y, %H:%M}</time></p>
<figure><img src="{attribute(article.image)}" alt=""><figcaption>Illustration: {text(publisher.name)}</figcaption></figure>
{paragraphs(article)}
</article>
<aside><h2>More stories</h2><ul>{links(page.related)}</ul></aside>
</main>
<footer><p>&copy; 2026 {text(publisher.name)}. All rights reserved.</p></footer>
</body>
</html>
"""
