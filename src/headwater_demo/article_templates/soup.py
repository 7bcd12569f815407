"""Div soup: two sidebars, a cookie notice, newsletter boxes and related links in the middle of the text."""

from headwater_demo.article_templates.page import TemplatePage, attribute, links, text

_NOTICE = (
    "We and our 214 partners store cookies on your device to measure audiences and to show you adverts that follow you around. "
    "By continuing to read you accept this. You can change your mind at any time in the settings."
)
_LETTER = "Get the morning briefing in your inbox. No noise, one e-mail a day, unsubscribe whenever you like. Enter your e-mail address"


def soup(page: TemplatePage) -> str:
    article, publisher = page.article, page.publisher
    return f"""<html>
<head><title>{text(article.title)} - {text(publisher.name)}</title>
<meta http-equiv="Content-Type" content="text/html; charset=utf-8">
<meta property="og:title" content="{attribute(article.title)}"><meta property="og:image" content="{attribute(article.image)}">
<meta name="description" content="{attribute(article.description)}">
{page.feed_links}
<script>window.dataLayer = window.dataLayer || []; function track(e) {{ dataLayer.push(e); }} track("pageview");</script>
<style>.x1 {{ float: left }} .ad {{ min-height: 250px }}</style></head>
<body class="tpl-7">
<div id="cookie" class="overlay"><div>{_NOTICE}</div><div class="btn">Accept all</div><div class="btn">Manage choices</div></div>
<div class="top"><div class="logo"><a href="/">{text(publisher.name)}</a></div><div class="menu"><a href="/section/markets">Markets</a> | <a href="/section/regulation">Policy</a> | <a href="/section/security">Security</a> | <a href="/about">About us</a> | Log in | Subscribe</div></div>
<div class="wrap">
<div class="col-l"><div class="box"><div class="hd">Most read</div><ul>{links(page.related)}</ul></div><div class="ad">Advertisement</div></div>
<div class="col-m">
<div class="crumbs"><a href="/">Home</a> &raquo; <a href="/section/{article.topic}">{article.topic.title()}</a> &raquo; Story</div>
<div class="hl">{text(article.title)}</div>
<div class="sub">{text(article.description)}</div>
<div class="meta"><span class="by">{text(article.author)}</span> &middot; <span class="dt">{article.published:%b %d, %Y %I:%M %p}</span> &middot; 4 min read &middot; Share: Mail Print Copy link</div>
<div class="pic"><img src="{attribute(article.image)}" width="640" height="360"></div>
<div class="txt">
{_body(page)}
</div>
<div class="tags">Tags: {", ".join(f'<a href="/tag/{attribute(item)}">{text(item)}</a>' for item in article.keywords)}</div>
<div class="box nl"><div class="hd">Newsletter</div>{_LETTER} <input name="email"> <div class="btn">Sign up</div></div>
</div>
<div class="col-r"><div class="box"><div class="hd">Editor's picks</div><ul>{links(page.related[::-1])}</ul></div><div class="ad">Advertisement</div></div>
</div>
<div class="foot">Terms | Privacy | Cookie settings | Do not sell my data | &copy; {text(publisher.name)} Media Group</div>
</body></html>
"""


def _body(page: TemplatePage) -> str:
    """Text in plain divs, interrupted the way such pages are."""
    parts = [f'<div class="pg">{text(item)}</div>' for item in page.article.paragraphs]
    if page.related:
        first = page.related[0]
        parts.insert(
            2, f'<div class="rel">Related: <a href="{attribute(first.path)}">{text(first.title)}</a></div>'
        )
    parts.insert(4, '<div class="ad">Advertisement. Scroll to continue.</div>')
    return "\n".join(parts)
