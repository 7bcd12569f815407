"""Pages of news sites around an article: made up, or real ones with other words in them."""

import json
import random
import re
import tarfile
import zlib
from itertools import cycle, islice
from pathlib import Path

from benchmarks.cycle.prose import NAMES, WORDS, Piece, markup, piece

UNSEEN = re.compile(r"<(script|style|svg|template|head)\b.*?</\1\s*>|<!--.*?-->", re.DOTALL | re.IGNORECASE)
PROSE = re.compile(r">([^<>]{60,})<")
# Where a page says its own address: no two articles of a site claim the same one.
OWN_ADDRESS = re.compile(
    r"""<link\b[^>]*\brel=["']?canonical\b[^>]*>|<meta\b[^>]*["'](?:og:url|twitter:url)["'][^>]*>""",
    re.IGNORECASE,
)


def skeletons_in(folder: Path) -> list[bytes]:
    """Real pages, to be filled with other words: `extract/aeb.tar.xz` of a folder of labelled data. Compressed, so that
    they are not taken for memory that the measured program needs."""
    with tarfile.open(folder / "extract" / "aeb.tar.xz") as archive:
        members = sorted((one for one in archive if one.name.endswith(".html")), key=lambda one: one.name)
        bodies = [body.read() for one in members if (body := archive.extractfile(one)) is not None]
    return [zlib.compress(body) for body in bodies]


def dressed(one: Piece, compressed: bytes) -> bytes:
    """A real page whose every stretch of prose says something else, as long as before."""
    chance = random.Random(one.url)
    words = cycle(" ".join(chance.sample(one.paragraphs, len(one.paragraphs))).split())

    def put(found: re.Match[str]) -> str:
        return ">" + " ".join(islice(words, max(1, len(found[1]) // 6))) + "<"

    address = f'<link rel="canonical" href="{one.url}">'
    skeleton = OWN_ADDRESS.sub(address, zlib.decompress(compressed).decode("utf-8", "replace"))
    pieces, position = [], 0
    for unseen in UNSEEN.finditer(skeleton):
        pieces += (PROSE.sub(put, skeleton[position : unseen.start()]), unseen[0])
        position = unseen.end()
    return "".join([*pieces, PROSE.sub(put, skeleton[position:])]).encode("utf-8", "replace")


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
# Wrappers within wrappers, as page builders make them.
OPENED = "".join(
    f'<div class="wp-block-group is-layout-flow c{n} has-global-padding" data-block="{n}">' for n in range(7)
)
CLOSED = "</div>" * 7


def page(one: Piece, entries: int) -> bytes:
    """An article in the dress of a news site, about as large as they are: menus, teasers of others, readers' comments,
    a sidebar, a footer, pictures, scripts, styles."""
    host = f"http://wire{one.feed}.example"
    others = [piece(one.feed, (one.number + step) % entries) for step in range(1, LISTED)]
    cards = "".join(_card(other, host) for other in others)
    comments = "".join(_comment(other, n) for n, other in enumerate(others[:COMMENTS]))
    author = {"@type": "Person", "name": "Ilse Brandt"}
    told = {"@context": "https://schema.org", "@type": "NewsArticle", "headline": one.title, "author": author}
    told |= {"datePublished": one.published.isoformat(), "image": f"{host}/i/{one.number}.jpg"}
    body = markup(one).replace("</p>", '</p><div class="ad-slot"><div id="ad-300x250"></div></div>', 3)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{one.title} | Wire {one.feed}</title>'
        f'<meta property="og:title" content="{one.title}"><meta property="og:image" content="{host}/i/{one.number}.jpg">'
        f'<meta name="description" content="{one.paragraphs[0][:150]}"><meta name="keywords" content="tides, ropes">'
        f'<link rel="canonical" href="{one.url}"><style>{STYLE}</style><script>{SCRIPT}</script>'
        f'<script type="application/ld+json">{json.dumps(told)}</script></head><body class="single"><header><nav><ul>{MENU}'
        f'</ul></nav><div class="share-bar">{SHARE}</div></header>{OPENED}<main><article class="post"><h1 class="title">{one.title}'
        f'</h1><p class="byline">By <a href="/author/ilse">Ilse Brandt</a></p><time datetime="{one.published.isoformat()}">'
        f'{one.published:%d %B %Y}</time><div class="share-bar">{SHARE}</div><div class="entry-content">{body}</div>'
        f'</article><section class="comments"><h2>Comments</h2>{comments}</section><section class="related"><h2>More news'
        f'</h2>{cards}</section></main>{CLOSED}<aside class="sidebar"><ul>{MENU}</ul></aside><footer><ul>{MENU}</ul><p>Copyright '
        f"Wire {one.feed}. All rights reserved.</p></footer></body></html>"
    ).encode()


def _card(other: Piece, host: str) -> str:
    return (
        f'<div class="card c{other.number}"><div class="inner"><div class="media"><a href="{other.url}"><figure><img src="{host}/i/{other.number}.jpg" alt="" '
        f'loading="lazy" srcset="{host}/i/{other.number}-2.jpg 2x"></figure></a></div><div class="text"><h3><a href="{other.url}">{other.title}</a></h3><span class="meta">{ICON}'
        f'<span class="date">{other.published:%d %b}</span></span></div></div></div>'
    )


def _comment(other: Piece, number: int) -> str:
    return (
        f'<div class="comment" id="c{number}"><div class="who"><img src="/a/{number}.png" alt=""><b>Reader {number}</b></div>'
        f'<p>{other.paragraphs[1][:260]}</p><a href="#reply{number}">Reply</a></div>'
    )
