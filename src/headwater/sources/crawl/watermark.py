"""What a crawl remembers for the next one. Bounded, plain data: it is the source's watermark."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from headwater.fetch.responses import conditional_headers, fresh_until, header_value
from headwater.model.http import Response
from headwater.model.schedule import MAX_FRESHNESS_LIMIT

MOST_PAGES = 500
MOST_WAITING = 500
MOST_LINKS = 5_000
LONGEST_TAG, LONGEST_LINK = 200, 1_000
Row = Mapping[str, Any]


@dataclass(slots=True)
class CrawlWatermark:
    """Of every page its tags and where it leads: a page that did not change need not be sent again for its links.
    Addresses are written down once, in `urls`; pages name them by their places there."""

    time: datetime
    before: Mapping[str, Row]
    urls: tuple[str, ...] = ()
    waiting: tuple[tuple[str, int], ...] = ()
    options: str = ""
    now: dict[str, Row] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)

    def headers(self, key: str, *, last: bool, seen: set[str]) -> dict[str, str]:
        """For asking whether the page changed. It is asked for plainly where that would not do: its links are needed
        and not known, or it was a copy of a page that this crawl has not met again."""
        known = self.before.get(key, {})
        if (not last and self.links(key) is None) or (known.get("copy") and known.get("body") not in seen):
            return {}
        return conditional_headers(_text(known.get("etag")), _text(known.get("last_modified")))

    def links(self, key: str) -> list[str] | None:
        """Where the page led when it was read; None when that was not written down."""
        places = self.before.get(key, {}).get("links")
        if not isinstance(places, list):
            return None
        return [
            self.urls[place] for place in places if isinstance(place, int) and 0 <= place < len(self.urls)
        ]

    def body(self, key: str) -> str:
        return str(self.before.get(key, {}).get("body") or "")

    def is_fresh(self, key: str) -> bool:
        try:
            until = datetime.fromisoformat(str(self.before.get(key, {}).get("fresh_until")))
            return self.time < until <= self.time + MAX_FRESHNESS_LIMIT
        except (ValueError, TypeError):
            return False

    def keep(self, key: str, response: Response | None = None) -> None:
        """The page is as it was; an answer that says so may call it fresh once more."""
        if key in self.before:
            links = self.links(key)
            told = {name: value for name, value in self.before[key].items() if name != "links"}
            self._remember(key, told | (self._fresh(response) if response is not None else {}), links)

    def read(
        self, key: str, response: Response, body: str, links: Sequence[str] | None, *, copy: bool = False
    ) -> None:
        """`links` is None for a page at the end of the way, whose links nobody follows."""
        tags = {
            "etag": header_value(response.headers, "etag")[:LONGEST_TAG],
            "last_modified": header_value(response.headers, "last-modified")[:LONGEST_TAG],
        }
        told = {name: value for name, value in tags.items() if value} | self._fresh(response)
        if told and len(self.now) < MOST_PAGES:
            self._remember(key, told | {"body": body} | ({"copy": True} if copy else {}), links)

    def _remember(self, key: str, told: Row, links: Sequence[str] | None) -> None:
        new = [url for url in dict.fromkeys(links or ()) if url not in self.places]
        fits = len(self.places) + len(new) <= MOST_LINKS and all(len(url) <= LONGEST_LINK for url in new)
        if links is None or not fits:
            self.now[key] = dict(told)
            return
        for url in new:
            self.places[url] = len(self.places)
        self.now[key] = {**told, "links": sorted({self.places[url] for url in links})}

    def _fresh(self, response: Response) -> dict[str, str]:
        until = fresh_until(response.headers, self.time)
        return {"fresh_until": until.isoformat()} if until > self.time else {}

    def watermark(self, waiting: list[tuple[str, int]]) -> dict[str, Any]:
        mark: dict[str, Any] = {"pages": self.now, "urls": list(self.places), "options": self.options}
        return mark | ({"waiting": [list(one) for one in waiting]} if waiting else {})


def read_watermark(watermark: Mapping[str, Any], time: datetime, options: str = "") -> CrawlWatermark:
    """What an earlier crawl left; whatever does not look like it is forgotten, and so are all pages when the options
    changed since: what was no lead then may be one now."""
    pages = watermark.get("pages") if watermark.get("options", options) == options else None
    known = (
        {key: row for key, row in pages.items() if isinstance(row, dict)} if isinstance(pages, dict) else {}
    )
    urls = watermark.get("urls")
    told = tuple(map(str, urls)) if isinstance(urls, list) else ()
    return CrawlWatermark(time, known, told, tuple(_waiting(watermark.get("waiting"))), options)


def _waiting(rows: Any) -> Iterator[tuple[str, int]]:
    for row in rows if isinstance(rows, list) else ():
        match row:
            case [str(url), int(depth)]:
                yield url, depth


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
