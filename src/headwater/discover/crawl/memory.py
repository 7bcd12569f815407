"""What a crawl remembers for the next one. Bounded, plain data: it is the source's watermark."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from headwater.model.web import Response
from headwater.pure.responses import conditional, header

MOST_PAGES = 500
MOST_WAITING = 500
LONGEST_TAG = 200


@dataclass(slots=True)
class Memory:
    """Tags of the pages at the end of the way: only they can be asked for conditionally, for of all others the links
    are needed, changed or not."""

    before: Mapping[str, Mapping[str, Any]]
    waiting: tuple[tuple[str, int], ...] = ()
    now: dict[str, Mapping[str, str]] = field(default_factory=dict)

    def headers(self, key: str) -> dict[str, str]:
        known = self.before.get(key, {})
        return conditional(_text(known.get("etag")), _text(known.get("last_modified")))

    def keep(self, key: str) -> None:
        if key in self.before:
            self.now[key] = {name: str(value) for name, value in self.before[key].items()}

    def read(self, key: str, response: Response) -> None:
        tags = {
            "etag": header(response.headers, "etag")[:LONGEST_TAG],
            "last_modified": header(response.headers, "last-modified")[:LONGEST_TAG],
        }
        told = {name: value for name, value in tags.items() if value}
        if told and len(self.now) < MOST_PAGES:
            self.now[key] = told

    def watermark(self, waiting: list[tuple[str, int]]) -> dict[str, Any]:
        mark: dict[str, Any] = {"pages": self.now}
        return mark | ({"waiting": [list(one) for one in waiting]} if waiting else {})


def recall(watermark: Mapping[str, Any]) -> Memory:
    """What an earlier crawl left; whatever does not look like it is forgotten."""
    pages = watermark.get("pages")
    known = (
        {key: row for key, row in pages.items() if isinstance(row, dict)} if isinstance(pages, dict) else {}
    )
    return Memory(known, tuple(_waiting(watermark.get("waiting"))))


def _waiting(rows: Any) -> Iterator[tuple[str, int]]:
    for row in rows if isinstance(rows, list) else ():
        match row:
            case [str(url), int(depth)]:
                yield url, depth


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
