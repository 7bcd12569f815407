"""What a crawl still has to look at: breadth first, each address once, no template without end."""

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice

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
    _taken: set[str] = field(default_factory=set)
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

    def reached(self, url: str) -> bool:
        """Note where a redirect led; gives whether this crawl had been there already. If not, it need not go again."""
        key = canonical(url)
        before = key in self._taken
        self._known.add(key)
        self._taken.add(key)
        return before

    def next(self) -> Stop | None:
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
