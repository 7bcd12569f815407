"""Pages of news sites around an article: generated, or real ones with different words."""

import json
import random
import re
import tarfile
import zlib
from itertools import cycle, islice
from pathlib import Path

from benchmarks.cycle.prose import (
    NAMES,
    WORDS,
    WireArticle,
    WireHeadline,
    markup,
    wire_article,
    wire_headline,
)

UNSEEN = re.compile(r"<(script|style|svg|template|head)\b.*?</\1\s*>|<!--.*?-->", re.DOTALL | re.IGNORECASE)
PROSE = re.compile(r">([^<>]{60,})<")
# Where a page states its own address: no two articles of a site may state the same one.
OWN_ADDRESS = re.compile(
    r"""<link\b[^>]*\brel=["']?canonical\b[^>]*>|<meta\b[^>]*["'](?:og:url|twitter:url)["'][^>]*>""",
    re.IGNORECASE,
)


def skeletons_in(folder: Path) -> list[bytes]:
    """Real pages to fill with different words: `extract/aeb.tar.xz` of a folder of labelled data. They stay compressed, so
    that they add little to the measured memory."""
    with tarfile.open(folder / "extract" / "aeb.tar.xz") as archive:
        members = sorted(
            (member for member in archive if member.name.endswith(".html")), key=lambda member: member.name
        )
        bodies = [body.read() for member in members if (body := archive.extractfile(member)) is not None]
    return [zlib.compress(body) for body in bodies]


def fill_skeleton(article: WireArticle, compressed: bytes) -> bytes:
    """A real page with all its prose replaced by words of the same length."""
    chance = random.Random(article.url)
    words = cycle(" ".join(chance.sample(article.paragraphs, len(article.paragraphs))).split())

    def replace_prose(match: re.Match[str]) -> str:
        return ">" + " ".join(islice(words, max(1, len(match[1]) // 6))) + "<"

    address = f'<link rel="canonical" href="{article.url}">'
    skeleton = OWN_ADDRESS.sub(address, zlib.decompress(compressed).decode("utf-8", "replace"))
    pieces, position = [], 0
    for unseen in UNSEEN.finditer(skeleton):
        pieces += (PROSE.sub(replace_prose, skeleton[position : unseen.start()]), unseen[0])
        position = unseen.end()
    return "".join([*pieces, PROSE.sub(replace_prose, skeleton[position:])]).encode("utf-8", "replace")


SCRIPT = "".join(
    f"window.q=window.q||[];q.push(['slot{n}',{{w:300,h:250,refresh:30,key:'k{n * 7919}'}}]);"
    for n in range(420)
)
STYLE = "".join(
    f".c{n}{{margin:{n}px;padding:{n % 7}px;color:#{n * 4099 % 0xFFFFFF:06x}}}" for n in range(260)
)
MENU = "".join(
    f'<li class="menu-item menu-item-{n}"><a class="c{n}" href="/section/{name}"><span>{name}</span></a></li>'
    for n, name in enumerate(WORDS[:30])
)
ICON = '<svg viewBox="0 0 24 24" width="24"><path d="M12 2C6.48 2 2 6.48 2 12s4.48 10 10 10 10-4.48 10-10S17.52 2 12 2z"/></svg>'
SHARE = "".join(
    f'<a class="share c{n}" href="#" rel="nofollow">{ICON}<span>{name}</span></a>'
    for n, name in enumerate(NAMES)
)
LISTED, COMMENTS = 15, 3
# Nested wrappers, as page builders create them.
OPENED = "".join(
    f'<div class="wp-block-group is-layout-flow c{n} has-global-padding" data-block="{n}">' for n in range(7)
)
CLOSED = "</div>" * 7


def article_page(article: WireArticle, entries: int) -> bytes:
    """An article on a page of usual size: menus, teasers of other articles, comments, a sidebar, a footer, pictures,
    scripts, styles."""
    host = f"http://wire{article.feed}.example"
    others = [(article.feed, (article.number + step) % entries) for step in range(1, LISTED)]
    cards = "".join(_card(wire_headline(*other), host) for other in others)
    comments = "".join(_comment(wire_article(*other), n) for n, other in enumerate(others[:COMMENTS]))
    author = {"@type": "Person", "name": "Ilse Brandt"}
    linked_data = {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "headline": article.title,
        "author": author,
    }
    linked_data |= {"datePublished": article.published.isoformat(), "image": f"{host}/i/{article.number}.jpg"}
    body = markup(article).replace("</p>", '</p><div class="ad-slot"><div id="ad-300x250"></div></div>', 3)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{article.title} | Wire {article.feed}</title>'
        f'<meta property="og:title" content="{article.title}"><meta property="og:image" content="{host}/i/{article.number}.jpg">'
        f'<meta name="description" content="{article.paragraphs[0][:150]}"><meta name="keywords" content="tides, ropes">'
        f'<link rel="canonical" href="{article.url}"><style>{STYLE}</style><script>{SCRIPT}</script>'
        f'<script type="application/ld+json">{json.dumps(linked_data)}</script></head><body class="single"><header><nav><ul>{MENU}'
        f'</ul></nav><div class="share-bar">{SHARE}</div></header>{OPENED}<main><article class="post"><h1 class="title">{article.title}'
        f'</h1><p class="byline">By <a href="/author/ilse">Ilse Brandt</a></p><time datetime="{article.published.isoformat()}">'
        f'{article.published:%d %B %Y}</time><div class="share-bar">{SHARE}</div><div class="entry-content">{body}</div>'
        f'</article><section class="comments"><h2>Comments</h2>{comments}</section><section class="related"><h2>More news'
        f'</h2>{cards}</section></main>{CLOSED}<aside class="sidebar"><ul>{MENU}</ul></aside><footer><ul>{MENU}</ul><p>Copyright '
        f"Wire {article.feed}. All rights reserved.</p></footer></body></html>"
    ).encode()


def _card(other: WireHeadline, host: str) -> str:
    return (
        f'<div class="card c{other.number}"><div class="inner"><div class="media"><a href="{other.url}"><figure><img src="{host}/i/{other.number}.jpg" alt="" '
        f'loading="lazy" srcset="{host}/i/{other.number}-2.jpg 2x"></figure></a></div><div class="text"><h3><a href="{other.url}">{other.title}</a></h3><span class="meta">{ICON}'
        f'<span class="date">{other.published:%d %b}</span></span></div></div></div>'
    )


def _comment(other: WireArticle, number: int) -> str:
    return (
        f'<div class="comment" id="c{number}"><div class="who"><img src="/a/{number}.png" alt=""><b>Reader {number}</b></div>'
        f'<p>{other.paragraphs[1][:260]}</p><a href="#reply{number}">Reply</a></div>'
    )
