"""A weblog: short links, a blogroll and readers who comment at length."""

from random import Random

from headwater_demo.article_templates.page import TemplatePage, attribute, links, paragraphs, text

_READERS = (
    "nodekeeper",
    "Old Miner",
    "J. from Bergen",
    "satoshi_not",
    "quietlurker",
    "Marta K.",
    "0xTurnip",
    "blockwatcher",
)
_COMMENTS = (
    "Great write-up, but you forgot to mention the second vote. It changed a lot for those of us who run small nodes.",
    "First!",
    "I do not buy it. The same people said the same thing two years ago, and look where we are now.",
    "Does anybody know whether this also affects the test network? My logs look odd since Tuesday.",
    "Thanks, this is the first explanation I have understood from beginning to end.",
    "Typo in the third paragraph. Otherwise fine.",
    "Sold everything last week and sleep better. You should try it.",
    "Could you write about home staking on slow connections next time? There is so little about it.",
)


def blog(page: TemplatePage) -> str:
    article, publisher = page.article, page.publisher
    return f"""<!DOCTYPE html>
<html lang="{article.language}">
<head><meta charset="utf-8"><title>{text(article.title)} &#8211; {text(publisher.name)}</title>
<meta name="generator" content="Inkpot 3.2"><meta name="author" content="{attribute(article.author)}">
<link rel="canonical" href="{attribute(article.url)}">
{page.feed_links}
</head>
<body class="single">
<div id="header"><h1><a href="/">{text(publisher.name)}</a></h1><div class="description">{text(publisher.tagline)}</div></div>
<div id="content">
<div class="post hentry" id="post-{article.id}">
<h2 class="entry-title">{text(article.title)}</h2>
<small>Posted on <abbr class="published" title="{article.published.isoformat()}">{article.published:%A, %d %B %Y}</abbr> by <span class="author vcard">{text(article.author)}</span></small>
<div class="entry-content">
{paragraphs(article)}
</div>
<p class="postmetadata">Filed under: {", ".join(text(item) for item in article.keywords)} | <a href="#comments">Comments</a></p>
</div>
<div id="comments">
{_comments(article.id)}
<form action="/comment" method="post"><p>Leave a reply. Your e-mail address will not be published. Required fields are marked *</p><textarea name="comment"></textarea></form>
</div></div>
<div id="sidebar"><h3>Recent posts</h3><ul>{links(page.related)}</ul><h3>Archive</h3><ul><li>November 2026</li><li>October 2026</li><li>September 2026</li></ul></div>
</body></html>
"""


def _comments(seed: str) -> str:
    chance = Random(seed)
    comments = chance.sample(_COMMENTS, chance.randint(2, 6))
    items = "".join(
        f'<li class="comment"><cite>{chance.choice(_READERS)}</cite> says:<p>{item}</p><a href="#respond">Reply</a></li>'
        for item in comments
    )
    return f'<h3>{len(comments)} responses</h3><ol class="commentlist">{items}</ol>'
