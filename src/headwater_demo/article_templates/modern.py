"""JSON-LD, OpenGraph and generated class names."""

import json

from headwater_demo.article_templates.page import TemplatePage, attribute, links, paragraphs, text


def modern(page: TemplatePage) -> str:
    article, publisher = page.article, page.publisher
    return f"""<!DOCTYPE html>
<html lang="{article.language}" prefix="og: https://ogp.me/ns#">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{text(article.title)}</title>
<link rel="canonical" href="{attribute(article.url)}"><link rel="amphtml" href="http://{article.host}/amp{attribute(article.path)}">
<meta property="og:type" content="article"><meta property="og:site_name" content="{attribute(publisher.name)}">
<meta property="og:title" content="{attribute(article.title)}"><meta property="og:description" content="{attribute(article.description)}">
<meta property="og:url" content="{attribute(article.url)}"><meta property="og:image" content="{attribute(article.image)}">
<meta property="article:published_time" content="{article.published.isoformat()}"><meta property="article:modified_time" content="{article.modified.isoformat()}">
<meta property="article:author" content="{attribute(article.author)}"><meta property="article:section" content="{article.topic}">
{"".join(f'<meta property="article:tag" content="{attribute(item)}">' for item in article.keywords)}
<script type="application/ld+json">{_linked_data(page)}</script>
{page.feed_links}
</head>
<body>
<div id="__root"><header class="css-1dbjc4n"><a class="css-4rbku5" href="/">{text(publisher.name)}</a><button>Menu</button><button>Search</button></header>
<main class="css-9x1k"><div class="css-kicker">{article.topic.upper()}</div>
<h1 class="css-901oao">{text(article.title)}</h1>
<p class="css-standfirst">{text(article.description)}</p>
<div class="css-byline"><a href="/author/{attribute(article.author.lower().replace(" ", "-"))}">{text(article.author)}</a><time datetime="{article.published.isoformat()}">{article.published:%Y-%m-%d}</time></div>
<picture><img src="{attribute(article.image)}" loading="lazy" alt=""></picture>
<section class="css-body" data-component="text">
{paragraphs(article)}
</section>
<section class="css-related"><h2>Read next</h2><ul>{links(page.related)}</ul></section></main>
<footer class="css-foot"><p>{text(publisher.name)}: {text(publisher.tagline)}</p></footer></div>
</body>
</html>
"""


def _linked_data(page: TemplatePage) -> str:
    article, publisher = page.article, page.publisher
    linked_data = {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "mainEntityOfPage": {"@type": "WebPage", "@id": article.url},
        "headline": article.title,
        "description": article.description,
        "image": [article.image],
        "datePublished": article.published.isoformat(),
        "dateModified": article.modified.isoformat(),
        "author": [{"@type": "Person", "name": article.author}],
        "publisher": {
            "@type": "NewsMediaOrganization",
            "name": publisher.name,
            "url": f"http://{publisher.host}/",
        },
        "keywords": list(article.keywords),
        "inLanguage": article.language,
        "articleSection": article.topic,
    }
    return json.dumps(linked_data, ensure_ascii=False).replace("</", "<\\/")
