"""What the watermark keeps of a crawl for the next one: bounded, plain data."""

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
PageRow = Mapping[str, Any]


@dataclass(slots=True)
class CrawlWatermark:
    """The validators and links of every page, so that an unchanged page need not be fetched again for its links.
    `urls` holds each URL once; pages refer to them by index. `previous` holds the pages of the last crawl, `current`
    those of this one."""

    time: datetime
    previous: Mapping[str, PageRow]
    urls: tuple[str, ...] = ()
    waiting_pages: tuple[tuple[str, int], ...] = ()
    options: str = ""
    current: dict[str, PageRow] = field(default_factory=dict)
    url_indexes: dict[str, int] = field(default_factory=dict)

    def headers(self, key: str, *, last: bool, bodies: set[str]) -> dict[str, str]:
        """Conditional headers; none if the links of the page are needed and unknown, or if the page was a copy of one
        that this crawl has not met again."""
        row = self.previous.get(key, {})
        if (not last and self.links(key) is None) or (row.get("copy") and row.get("body") not in bodies):
            return {}
        return conditional_headers(_text(row.get("etag")), _text(row.get("last_modified")))

    def links(self, key: str) -> list[str] | None:
        """The links of the page when it was read; None if they were not stored."""
        indexes = self.previous.get(key, {}).get("links")
        if not isinstance(indexes, list):
            return None
        return [
            self.urls[index] for index in indexes if isinstance(index, int) and 0 <= index < len(self.urls)
        ]

    def body(self, key: str) -> str:
        return str(self.previous.get(key, {}).get("body") or "")

    def is_fresh(self, key: str) -> bool:
        try:
            until = datetime.fromisoformat(str(self.previous.get(key, {}).get("fresh_until")))
            return self.time < until <= self.time + MAX_FRESHNESS_LIMIT
        except (ValueError, TypeError):
            return False

    def record_unchanged(self, key: str, response: Response | None = None) -> None:
        """Keep the page as it was; a response may extend its freshness."""
        if key in self.previous:
            links = self.links(key)
            row = {name: value for name, value in self.previous[key].items() if name != "links"}
            self._store(key, row | (self._freshness(response) if response is not None else {}), links)

    def record_read(
        self, key: str, response: Response, body: str, links: Sequence[str] | None, *, copy: bool = False
    ) -> None:
        """`links` is None for a page at the greatest depth, whose links are not followed."""
        tags = {
            "etag": header_value(response.headers, "etag")[:LONGEST_TAG],
            "last_modified": header_value(response.headers, "last-modified")[:LONGEST_TAG],
        }
        row = {name: value for name, value in tags.items() if value} | self._freshness(response)
        if row and len(self.current) < MOST_PAGES:
            self._store(key, row | {"body": body} | ({"copy": True} if copy else {}), links)

    def _store(self, key: str, row: PageRow, links: Sequence[str] | None) -> None:
        new = [url for url in dict.fromkeys(links or ()) if url not in self.url_indexes]
        fits = len(self.url_indexes) + len(new) <= MOST_LINKS and all(len(url) <= LONGEST_LINK for url in new)
        if links is None or not fits:
            self.current[key] = dict(row)
            return
        for url in new:
            self.url_indexes[url] = len(self.url_indexes)
        self.current[key] = {**row, "links": sorted({self.url_indexes[url] for url in links})}

    def _freshness(self, response: Response) -> dict[str, str]:
        until = fresh_until(response.headers, self.time)
        return {"fresh_until": until.isoformat()} if until > self.time else {}

    def as_record(self, waiting: list[tuple[str, int]]) -> dict[str, Any]:
        """The watermark to store."""
        record: dict[str, Any] = {
            "pages": self.current,
            "urls": list(self.url_indexes),
            "options": self.options,
        }
        return record | ({"waiting": [list(entry) for entry in waiting]} if waiting else {})


def read_watermark(record: Mapping[str, Any], time: datetime, options: str = "") -> CrawlWatermark:
    """The watermark of the last crawl. Anything that does not look like one is ignored, and all pages are when the
    options changed since: a page that was no lead then may be one now."""
    pages = record.get("pages") if record.get("options", options) == options else None
    rows = (
        {key: row for key, row in pages.items() if isinstance(row, dict)} if isinstance(pages, dict) else {}
    )
    stored = record.get("urls")
    urls = tuple(map(str, stored)) if isinstance(stored, list) else ()
    return CrawlWatermark(time, rows, urls, tuple(_waiting(record.get("waiting"))), options)


def _waiting(rows: Any) -> Iterator[tuple[str, int]]:
    for row in rows if isinstance(rows, list) else ():
        match row:
            case [str(url), int(depth)]:
                yield url, depth


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
