"""What a crawl still has to look at: breadth first, each address once, no template without end."""

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from headwater.pure.crawling.traps import shape_of, trap_of
from headwater.pure.urls import canonical


@dataclass(frozen=True, slots=True)
class Stop:
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
    _waiting: deque[Stop] = field(default_factory=deque)
    _known: set[str] = field(default_factory=set)
    _shapes: Counter[str] = field(default_factory=Counter)

    def add(self, urls: Iterable[str], depth: int) -> None:
        for url in urls:
            key = canonical(url)
            if key in self._known:
                continue
            reason = trap_of(key) or self._crowded(key)
            if reason:
                self.skipped[reason] += 1
                continue
            self._known.add(key)
            self._waiting.append(Stop(key, url, depth))

    def _crowded(self, key: str) -> str:
        if len(self._waiting) >= self.most:
            return "frontier_full"
        shape = shape_of(key)
        if self._shapes[shape] >= self.per_shape:
            return "too_many_alike"
        self._shapes[shape] += 1
        return ""

    def met(self, url: str) -> bool:
        """Note where a redirect led; gives whether that was known already."""
        key = canonical(url)
        known = key in self._known
        self._known.add(key)
        return known

    def next(self) -> Stop | None:
        return self._waiting.popleft() if self._waiting else None

    def rest(self, most: int) -> list[tuple[str, int]]:
        """What was not looked at, in order, as plain data."""
        return [(stop.url, stop.depth) for stop in list(self._waiting)[:most]]
