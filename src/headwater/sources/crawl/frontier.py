"""The crawl frontier: breadth first, each URL once, with bounds against URL traps (calendars, sessions, stacked filters)."""

import re
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from urllib.parse import parse_qsl, urlsplit

from headwater.text.urls import canonical_url

LONGEST_URL = 2048
MOST_SEGMENTS = 12
MOST_REPEATS = 3
MOST_PARAMETERS = 8
NUMBER = re.compile(r"\d+")
HASH = re.compile(r"[0-9a-f]{12,}")


@dataclass(frozen=True, slots=True)
class FrontierEntry:
    """A page to visit. `key` is the canonical form of its URL, `url` the form in the link."""

    key: str
    url: str
    depth: int


@dataclass(slots=True)
class Frontier:
    """`max_waiting` bounds the queue, `per_shape` the URLs of one template that are taken at all."""

    max_waiting: int = 10_000
    per_shape: int = 100
    skipped: Counter[str] = field(default_factory=Counter)
    _queue: deque[FrontierEntry] = field(default_factory=deque)
    _keys: set[str] = field(default_factory=set)
    _taken: set[str] = field(default_factory=set)
    _shapes: Counter[str] = field(default_factory=Counter)

    def add(self, urls: Iterable[str], depth: int) -> None:
        for url in urls:
            key = canonical_url(url)
            if key in self._keys:
                continue
            reason = trap_reason(key) or self._limit_reason(key)
            if reason:
                self.skipped[reason] += 1
                continue
            self._keys.add(key)
            self._queue.append(FrontierEntry(key, url, depth))

    def _limit_reason(self, key: str) -> str:
        if len(self._queue) >= self.max_waiting:
            return "frontier_full"
        shape = url_shape(key)
        if self._shapes[shape] >= self.per_shape:
            return "too_many_alike"
        self._shapes[shape] += 1
        return ""

    def mark_reached(self, url: str) -> bool:
        """Mark the target of a redirect as visited; returns whether this crawl had visited it before."""
        key = canonical_url(url)
        already_taken = key in self._taken
        self._keys.add(key)
        self._taken.add(key)
        return already_taken

    def next(self) -> FrontierEntry | None:
        while self._queue:
            entry = self._queue.popleft()
            if entry.key not in self._taken:
                self._taken.add(entry.key)
                return entry
        return None

    def waiting_pages(self, most: int) -> list[tuple[str, int]]:
        """The first pages in the queue that were not visited, as (URL, depth)."""
        entries = (entry for entry in self._queue if entry.key not in self._taken)
        return [(entry.url, entry.depth) for entry in islice(entries, most)]


def trap_reason(url: str) -> str:
    """Why the URL is not worth a request; empty if it is."""
    if len(url) > LONGEST_URL:
        return "too_long"
    parts = urlsplit(url)
    segments = [segment for segment in parts.path.split("/") if segment]
    if len(segments) > MOST_SEGMENTS:
        return "too_deep"
    if segments and max(Counter(segments).values()) > MOST_REPEATS:
        return "repeats"
    return "too_many_parameters" if parts.query.count("&") >= MOST_PARAMETERS else ""


def url_shape(url: str) -> str:
    """What the URLs of one template share: numbers and long hashes left out, parameters by name only."""
    parts = urlsplit(url)
    path = NUMBER.sub("#", HASH.sub("#", parts.path))
    names = sorted({NUMBER.sub("#", name) for name, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return f"{parts.netloc}{path}?{'&'.join(names)}"
