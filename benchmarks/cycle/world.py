"""Feeds and pages made up on demand, the same for everybody who asks; what that costs is counted, to be taken out."""

import html
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from benchmarks.cycle.pages import dressed, page
from benchmarks.cycle.prose import LISTED_TWICE, Piece, markup, piece


@dataclass
class World:
    """`spent`: the processor seconds that making things up has cost so far."""

    feeds: int
    entries: int
    skeletons: Sequence[bytes] = ()
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
            return dressed(one, self.skeletons[feed % len(self.skeletons)]), "text/html; charset=utf-8"
        return page(one, self.entries), "text/html; charset=utf-8"


def _link(one: Piece) -> str:
    return one.url + ("?utm_source=rss&utm_medium=feed" if one.number % LISTED_TWICE == 1 else "")


def _rss(feed: int, pieces: list[Piece], *, full: bool) -> bytes:
    items = "".join(
        f"<item><title>{one.title}</title><link>{html.escape(_link(one))}</link>"
        f'<guid isPermaLink="false">wire{feed}-{one.number}</guid>'
        f"<pubDate>{one.published:%a, %d %b %Y %H:%M:%S} +0000</pubDate><dc:creator>Ilse Brandt</dc:creator>"
        f"<category>Markets</category><description>{one.paragraphs[0][:200]}…</description>"
        + (f"<content:encoded><![CDATA[{markup(one)}]]></content:encoded>" if full else "")
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
            "content_html": markup(one),
            "date_published": one.published.isoformat(),
            "authors": [{"name": "Ann Poe"}],
        }
        for one in pieces
    ]
    told = {"version": "https://jsonfeed.org/version/1.1", "title": f"Wire {feed}", "language": "en"}
    return json.dumps(told | {"items": items}).encode()
