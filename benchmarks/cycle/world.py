"""Feeds and pages generated on demand, the same for both sides; their cost is measured, to be subtracted."""

import html
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from benchmarks.cycle.pages import article_page, fill_skeleton
from benchmarks.cycle.prose import LISTED_TWICE, WireArticle, markup, wire_article


@dataclass
class World:
    """`spent`: CPU seconds of generating feeds and pages so far."""

    feeds: int
    entries: int
    skeletons: Sequence[bytes] = ()
    spent: float = 0.0
    FORMATS: ClassVar = ("rss full", "rss teaser", "atom teaser", "json full")

    def feed_url(self, feed: int) -> str:
        return f"http://wire{feed}.example/feed"

    def body(self, url: str) -> tuple[bytes, str]:
        """The body at an address, and its media type."""
        start = time.process_time()
        feed = int(url.split("//wire")[1].partition(".")[0])
        answer = self._feed(feed) if url.endswith("/feed") else self._page(url, feed)
        self.spent += time.process_time() - start
        return answer

    def articles(self, feed: int) -> list[WireArticle]:
        """What the feed lists."""
        return [wire_article(feed, number) for number in range(self.entries)]

    def _feed(self, feed: int) -> tuple[bytes, str]:
        articles = self.articles(feed)
        kind = self.FORMATS[feed % len(self.FORMATS)]
        if kind.startswith("json"):
            return _json(feed, articles), "application/feed+json"
        if kind.startswith("atom"):
            return _atom(feed, articles), "application/atom+xml"
        return _rss(feed, articles, full="full" in kind), "application/rss+xml"

    def _page(self, url: str, feed: int) -> tuple[bytes, str]:
        number = int(url.rpartition("/")[2].partition("-")[0])
        article = wire_article(feed, number)
        if self.skeletons:
            return fill_skeleton(
                article, self.skeletons[feed % len(self.skeletons)]
            ), "text/html; charset=utf-8"
        return article_page(article, self.entries), "text/html; charset=utf-8"


def _link(article: WireArticle) -> str:
    return article.url + ("?utm_source=rss&utm_medium=feed" if article.number % LISTED_TWICE == 1 else "")


def _rss(feed: int, articles: list[WireArticle], *, full: bool) -> bytes:
    items = "".join(
        f"<item><title>{article.title}</title><link>{html.escape(_link(article))}</link>"
        f'<guid isPermaLink="false">wire{feed}-{article.number}</guid>'
        f"<pubDate>{article.published:%a, %d %b %Y %H:%M:%S} +0000</pubDate><dc:creator>Ilse Brandt</dc:creator>"
        f"<category>Markets</category><description>{article.paragraphs[0][:200]}…</description>"
        + (f"<content:encoded><![CDATA[{markup(article)}]]></content:encoded>" if full else "")
        + "</item>\n"
        for article in articles
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>'
        f"<title>Wire {feed}</title><link>http://wire{feed}.example/</link><language>en</language>{items}</channel></rss>"
    ).encode()


def _atom(feed: int, articles: list[WireArticle]) -> bytes:
    entries = "".join(
        f'<entry><id>wire{feed}-{article.number}</id><title>{article.title}</title><link href="{html.escape(_link(article))}"/>'
        f"<published>{article.published.isoformat()}</published><updated>{article.published.isoformat()}</updated>"
        f"<author><name>Jon Doe</name></author><summary>{article.paragraphs[0][:200]}…</summary></entry>\n"
        for article in articles
    )
    return (
        f'<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en"><title>Wire {feed}'
        f'</title><id>urn:wire:{feed}</id><link href="http://wire{feed}.example/"/>{entries}</feed>'
    ).encode()


def _json(feed: int, articles: list[WireArticle]) -> bytes:
    items = [
        {
            "id": f"wire{feed}-{article.number}",
            "url": _link(article),
            "title": article.title,
            "summary": article.paragraphs[0][:200] + "…",
            "content_html": markup(article),
            "date_published": article.published.isoformat(),
            "authors": [{"name": "Ann Poe"}],
        }
        for article in articles
    ]
    feed_fields = {"version": "https://jsonfeed.org/version/1.1", "title": f"Wire {feed}", "language": "en"}
    return json.dumps(feed_fields | {"items": items}).encode()
