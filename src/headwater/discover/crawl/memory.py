"""What a crawl remembers for the next one. Bounded, plain data: it is the source's watermark."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from headwater.model.web import Response
from headwater.pure.responses import conditional, fresh_until, header
from headwater.pure.schedule import LONGEST_TRUST

MOST_PAGES = 500
MOST_WAITING = 500
LONGEST_TAG = 200


@dataclass(slots=True)
class Memory:
    """Tags of the pages at the end of the way: only they can be asked for conditionally, or not at all while they
    call themselves fresh, for of all others the links are needed, changed or not."""

    time: datetime
    before: Mapping[str, Mapping[str, Any]]
    waiting: tuple[tuple[str, int], ...] = ()
    now: dict[str, Mapping[str, str]] = field(default_factory=dict)

    def headers(self, key: str) -> dict[str, str]:
        known = self.before.get(key, {})
        return conditional(_text(known.get("etag")), _text(known.get("last_modified")))

    def is_fresh(self, key: str) -> bool:
        try:
            until = datetime.fromisoformat(str(self.before.get(key, {}).get("fresh_until")))
            return self.time < until <= self.time + LONGEST_TRUST
        except (ValueError, TypeError):
            return False

    def keep(self, key: str, response: Response | None = None) -> None:
        """The page is as it was; an answer that says so may call it fresh once more."""
        if key in self.before:
            told = {name: str(value) for name, value in self.before[key].items()}
            self.now[key] = told | (self._fresh(response) if response is not None else {})

    def read(self, key: str, response: Response) -> None:
        tags = {
            "etag": header(response.headers, "etag")[:LONGEST_TAG],
            "last_modified": header(response.headers, "last-modified")[:LONGEST_TAG],
        }
        told = {name: value for name, value in tags.items() if value} | self._fresh(response)
        if told and len(self.now) < MOST_PAGES:
            self.now[key] = told

    def _fresh(self, response: Response) -> dict[str, str]:
        until = fresh_until(response.headers, self.time)
        return {"fresh_until": until.isoformat()} if until > self.time else {}

    def watermark(self, waiting: list[tuple[str, int]]) -> dict[str, Any]:
        mark: dict[str, Any] = {"pages": self.now}
        return mark | ({"waiting": [list(one) for one in waiting]} if waiting else {})


def recall(watermark: Mapping[str, Any], time: datetime) -> Memory:
    """What an earlier crawl left; whatever does not look like it is forgotten."""
    pages = watermark.get("pages")
    known = (
        {key: row for key, row in pages.items() if isinstance(row, dict)} if isinstance(pages, dict) else {}
    )
    return Memory(time, known, tuple(_waiting(watermark.get("waiting"))))


def _waiting(rows: Any) -> Iterator[tuple[str, int]]:
    for row in rows if isinstance(rows, list) else ():
        match row:
            case [str(url), int(depth)]:
                yield url, depth


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
