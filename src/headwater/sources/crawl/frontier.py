"""What a crawl still has to look at: breadth first, each address once, no template without end."""

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


def url_shape(url: str) -> str:
    """What addresses of one template have in common: numbers and long hashes left out, parameters by name only."""
    parts = urlsplit(url)
    path = NUMBER.sub("#", HASH.sub("#", parts.path))
    names = sorted({NUMBER.sub("#", name) for name, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return f"{parts.netloc}{path}?{'&'.join(names)}"


def trap_reason(url: str) -> str:
    """Why an address is not worth asking for; empty when nothing speaks against it."""
    if len(url) > LONGEST_URL:
        return "too_long"
    parts = urlsplit(url)
    segments = [segment for segment in parts.path.split("/") if segment]
    if len(segments) > MOST_SEGMENTS:
        return "too_deep"
    if segments and max(Counter(segments).values()) > MOST_REPEATS:
        return "repeats"
    return "too_many_parameters" if parts.query.count("&") >= MOST_PARAMETERS else ""


@dataclass(frozen=True, slots=True)
class FrontierEntry:
    """An address to look at. `key` is its canonical form, `url` how it was written."""

    key: str
    url: str
    depth: int


@dataclass(slots=True)
class Frontier:
    """`most` bounds what waits, `per_shape` how many addresses of one template are taken at all."""

    most: int = 10_000
    per_shape: int = 100
    skipped: Counter[str] = field(default_factory=Counter)
    _waiting: deque[FrontierEntry] = field(default_factory=deque)
    _known: set[str] = field(default_factory=set)
    _taken: set[str] = field(default_factory=set)
    _shapes: Counter[str] = field(default_factory=Counter)

    def add(self, urls: Iterable[str], depth: int) -> None:
        for url in urls:
            key = canonical_url(url)
            if key in self._known:
                continue
            reason = trap_reason(key) or self._crowded(key)
            if reason:
                self.skipped[reason] += 1
                continue
            self._known.add(key)
            self._waiting.append(FrontierEntry(key, url, depth))

    def _crowded(self, key: str) -> str:
        if len(self._waiting) >= self.most:
            return "frontier_full"
        shape = url_shape(key)
        if self._shapes[shape] >= self.per_shape:
            return "too_many_alike"
        self._shapes[shape] += 1
        return ""

    def reached(self, url: str) -> bool:
        """Note where a redirect led; gives whether this crawl had been there already. If not, it need not go again."""
        key = canonical_url(url)
        before = key in self._taken
        self._known.add(key)
        self._taken.add(key)
        return before

    def next(self) -> FrontierEntry | None:
        while self._waiting:
            stop = self._waiting.popleft()
            if stop.key not in self._taken:
                self._taken.add(stop.key)
                return stop
        return None

    def rest(self, most: int) -> list[tuple[str, int]]:
        """What was not looked at, in order, as plain data."""
        left = (stop for stop in self._waiting if stop.key not in self._taken)
        return [(stop.url, stop.depth) for stop in islice(left, most)]
