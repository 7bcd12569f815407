"""Feeds and pages made up on demand, the same for everybody who asks; what that costs is counted, to be taken out."""

import html
import json
import random
import re
import tarfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import accumulate, cycle, islice
from pathlib import Path
from typing import ClassVar

SMALL_WORDS = [
    "the",
    "of",
    "and",
    "to",
    "in",
    "a",
    "is",
    "that",
    "for",
    "it",
    "was",
    "on",
    "with",
    "as",
    "at",
    "by",
    "from",
    "this",
    "be",
    "are",
    "has",
    "not",
    "had",
    "they",
    "his",
    "its",
    "but",
    "an",
    "were",
    "which",
    "or",
    "have",
    "their",
    "been",
    "more",
    "will",
    "would",
    "one",
    "about",
    "all",
    "said",
    "than",
    "other",
    "up",
    "into",
    "out",
    "who",
    "over",
    "after",
    "its",
    "could",
    "time",
]
HEADS = [
    "st",
    "pr",
    "tr",
    "cl",
    "br",
    "gr",
    "fl",
    "sp",
    "m",
    "n",
    "v",
    "l",
    "r",
    "s",
    "t",
    "d",
    "c",
    "b",
    "f",
    "h",
    "p",
    "k",
    "w",
    "j",
]
TAILS = [
    "ers",
    "ing",
    "ation",
    "ent",
    "al",
    "ive",
    "ous",
    "er",
    "ed",
    "ity",
    "or",
    "ist",
    "ure",
    "age",
    "ism",
    "ance",
]
NAMES = [
    "Harbour",
    "Ledger",
    "Council",
    "Exchange",
    "Treasury",
    "Basin",
    "Custody",
    "Validator",
    "Ministry",
    "Granite",
    "Lantern",
    "Copper",
]
NOW = datetime(2026, 11, 13, 9, 0, tzinfo=UTC)
PARAGRAPHS, SENTENCES = 7, 4
COPIED, LISTED_TWICE = 10, 25


@dataclass(frozen=True, slots=True)
class Piece:
    """An article: by its own publisher, or a copy of another's."""

    feed: int
    number: int
    title: str
    paragraphs: tuple[str, ...]

    @property
    def url(self) -> str:
        return f"http://wire{self.feed}.example/2026/11/{self.number}-{self.title.lower().replace(' ', '-')[:40]}"

    @property
    def published(self) -> datetime:
        return NOW - timedelta(minutes=37 * self.number + self.feed % 60)


# Rare words are rare: the n-th is used about as often as one n-th of the first, as in any language.
WORDS = [
    head + vowel + middle + tail
    for vowel in "aeiou"
    for middle in ("", "r", "l", "n", "m", "nd", "ct")
    for head in HEADS
    for tail in TAILS
]
random.Random(5).shuffle(WORDS)
WEIGHTS = list(accumulate(1 / (rank + 8) for rank in range(len(WORDS))))


def _sentence(chance: random.Random) -> str:
    """Words of a language that looks like English, every other one really of it."""
    rare = chance.choices(WORDS, cum_weights=WEIGHTS, k=11)
    small = chance.choices(SMALL_WORDS, k=11)
    words = [word for pair in zip(small, rare, strict=True) for word in pair]
    words[chance.randrange(3, 20)] = chance.choice(NAMES)
    if chance.random() < 0.3:
        words[chance.randrange(3, 20)] = str(chance.randrange(2, 9000))
    return " ".join(words).capitalize() + "."


@lru_cache(maxsize=4096)
def piece(feed: int, number: int) -> Piece:
    """Every tenth is a copy of what the publisher before has, if that one has an even number, under a heading of its own."""
    copied = feed % 2 == 1 and number % COPIED == COPIED - 1
    chance = random.Random(f"{feed - copied}/{number}")
    title = " ".join([chance.choice(NAMES), *chance.choices(WORDS, cum_weights=WEIGHTS, k=7)])
    paragraphs = tuple(" ".join(_sentence(chance) for _ in range(SENTENCES)) for _ in range(PARAGRAPHS))
    return Piece(feed, number, title + (" again" if copied else ""), paragraphs)


@dataclass
class World:
    """`spent`: the processor seconds that making things up has cost so far."""

    feeds: int
    entries: int
    skeletons: Sequence[str] = ()
    spent: float = 0.0
    FORMATS: ClassVar = ("rss full", "rss teaser", "atom teaser", "json full")

    def feed_url(self, feed: int) -> str:
        return f"http://wire{feed}.example/feed"

    def body(self, url: str) -> tuple[bytes, str]:
        """What an address answers, and its media type."""
        begun = time.process_time()
        feed = int(url.split("//wire")[1].partition(".")[0])
        made = self._feed(feed) if url.endswith("/feed") else self._page(url, feed)
        self.spent += time.process_time() - begun
        return made

    def _feed(self, feed: int) -> tuple[bytes, str]:
        pieces = [piece(feed, number) for number in range(self.entries)]
        kind = self.FORMATS[feed % len(self.FORMATS)]
        if kind.startswith("json"):
            return _json(feed, pieces), "application/feed+json"
        if kind.startswith("atom"):
            return _atom(feed, pieces), "application/atom+xml"
        return _rss(feed, pieces, full="full" in kind), "application/rss+xml"

    def _page(self, url: str, feed: int) -> tuple[bytes, str]:
        number = int(url.rpartition("/")[2].partition("-")[0])
        one = piece(feed, number)
        if self.skeletons:
            return dressed(
                one, self.skeletons[(feed * 7 + number) % len(self.skeletons)]
            ), "text/html; charset=utf-8"
        return _page(one, self.entries), "text/html; charset=utf-8"


def _markup(one: Piece) -> str:
    return "".join(f"<p>{text}</p>\n" for text in one.paragraphs)


def _link(one: Piece) -> str:
    return one.url + ("?utm_source=rss&utm_medium=feed" if one.number % LISTED_TWICE == 1 else "")


def _rss(feed: int, pieces: list[Piece], *, full: bool) -> bytes:
    items = "".join(
        f"<item><title>{one.title}</title><link>{html.escape(_link(one))}</link>"
        f'<guid isPermaLink="false">wire{feed}-{one.number}</guid>'
        f"<pubDate>{one.published:%a, %d %b %Y %H:%M:%S} +0000</pubDate><dc:creator>Ilse Brandt</dc:creator>"
        f"<category>Markets</category><description>{one.paragraphs[0][:200]}…</description>"
        + (f"<content:encoded><![CDATA[{_markup(one)}]]></content:encoded>" if full else "")
        + "</item>\n"
        for one in pieces
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>'
        f"<title>Wire {feed}</title><link>http://wire{feed}.example/</link><language>en</language>{items}</channel></rss>"
    ).encode()


def _atom(feed: int, pieces: list[Piece]) -> bytes:
    entries = "".join(
        f'<entry><id>wire{feed}-{one.number}</id><title>{one.title}</title><link href="{html.escape(_link(one))}"/>'
        f"<published>{one.published.isoformat()}</published><updated>{one.published.isoformat()}</updated>"
        f"<author><name>Jon Doe</name></author><summary>{one.paragraphs[0][:200]}…</summary></entry>\n"
        for one in pieces
    )
    return (
        f'<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en"><title>Wire {feed}'
        f'</title><id>urn:wire:{feed}</id><link href="http://wire{feed}.example/"/>{entries}</feed>'
    ).encode()


def _json(feed: int, pieces: list[Piece]) -> bytes:
    items = [
        {
            "id": f"wire{feed}-{one.number}",
            "url": _link(one),
            "title": one.title,
            "summary": one.paragraphs[0][:200] + "…",
            "content_html": _markup(one),
            "date_published": one.published.isoformat(),
            "authors": [{"name": "Ann Poe"}],
        }
        for one in pieces
    ]
    told = {"version": "https://jsonfeed.org/version/1.1", "title": f"Wire {feed}", "language": "en"}
    return json.dumps(told | {"items": items}).encode()


UNSEEN = re.compile(r"<(script|style|svg|template|head)\b.*?</\1\s*>|<!--.*?-->", re.DOTALL | re.IGNORECASE)
PROSE = re.compile(r">([^<>]{60,})<")


def skeletons_in(folder: Path) -> list[str]:
    """Real pages, to be filled with other words: `extract/aeb.tar.xz` of a folder of labelled data."""
    with tarfile.open(folder / "extract" / "aeb.tar.xz") as archive:
        members = sorted((one for one in archive if one.name.endswith(".html")), key=lambda one: one.name)
        bodies = [body.read() for one in members if (body := archive.extractfile(one)) is not None]
    return [body.decode("utf-8", "replace") for body in bodies]


def dressed(one: Piece, skeleton: str) -> bytes:
    """A real page whose every stretch of prose says something else, as long as before."""
    chance = random.Random(one.url)
    words = cycle(" ".join(chance.sample(one.paragraphs, len(one.paragraphs))).split())

    def put(found: re.Match[str]) -> str:
        return ">" + " ".join(islice(words, max(1, len(found[1]) // 6))) + "<"

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


def _page(one: Piece, entries: int) -> bytes:
    """An article in the dress of a news site, about as large as they are: menus, teasers of others, readers' comments,
    a sidebar, a footer, pictures, scripts, styles."""
    host = f"http://wire{one.feed}.example"
    others = [piece(one.feed, (one.number + step) % entries) for step in range(1, LISTED)]
    cards = "".join(_card(other, host) for other in others)
    comments = "".join(_comment(other, n) for n, other in enumerate(others[:COMMENTS]))
    author = {"@type": "Person", "name": "Ilse Brandt"}
    told = {"@context": "https://schema.org", "@type": "NewsArticle", "headline": one.title, "author": author}
    told |= {"datePublished": one.published.isoformat(), "image": f"{host}/i/{one.number}.jpg"}
    body = _markup(one).replace("</p>", '</p><div class="ad-slot"><div id="ad-300x250"></div></div>', 3)
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
