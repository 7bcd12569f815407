"""A page in the manner of AMP: custom elements and nothing else."""

from headwater_demo.article_templates.page import TemplatePage, attribute, links, paragraphs, text


def amp(page: TemplatePage) -> str:
    article, publisher = page.article, page.publisher
    return f"""<!doctype html>
<html ⚡ lang="{article.language}">
<head>
<meta charset="utf-8"><title>{text(article.title)}</title>
<link rel="canonical" href="{attribute(article.url)}">
<meta name="viewport" content="width=device-width,minimum-scale=1">
<meta name="date" content="{article.published.isoformat()}"><meta name="author" content="{attribute(article.author)}">
<meta name="description" content="{attribute(article.description)}">
<style amp-custom>body {{ font: 1rem serif }} .ad {{ height: 50px }}</style>
{page.feed_links}
</head>
<body>
<amp-sidebar id="menu" layout="nodisplay"><ul><li><a href="/">{text(publisher.name)}</a></li><li><a href="/about">About</a></li></ul></amp-sidebar>
<amp-analytics type="counter"></amp-analytics>
<article class="amp-wp-article">
<header class="amp-wp-article-header"><h1 class="amp-wp-title">{text(article.title)}</h1>
<div class="amp-wp-byline"><span class="amp-wp-author">{text(article.author)}</span> <time datetime="{article.published.isoformat()}">{article.published:%d %b %Y}</time></div></header>
<amp-img src="{attribute(article.image)}" width="640" height="360" layout="responsive"></amp-img>
<div class="amp-wp-article-content">
{paragraphs(article)}
<amp-ad width="320" height="50" type="demo"></amp-ad>
</div>
</article>
<amp-list src="/related.json"><ul>{links(page.related)}</ul></amp-list>
<amp-consent id="consent" layout="nodisplay"><div>This site asks for your consent to count visits.</div></amp-consent>
</body>
</html>
"""
