"""Limits on how often something may happen, in the memory of one server."""

import threading
from collections import OrderedDict
from dataclasses import dataclass, field

MOST_NAMES = 10_000


@dataclass
class TokenBuckets:
    """`rate` per second for each name, and up to `burst` at once. Names that were not used for longest are forgotten."""

    rate: float
    burst: float
    levels: "OrderedDict[str, tuple[float, float]]" = field(default_factory=OrderedDict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, name: str, now: float) -> float:
        """0.0 if it may happen now; otherwise the seconds until it may."""
        with self.lock:
            return self._take(name, now)

    def _take(self, name: str, now: float) -> float:
        level, since = self.levels.pop(name, (self.burst, now))
        level = min(self.burst, level + (now - since) * self.rate)
        may_happen = level >= 1.0
        self.levels[name] = (level - 1.0 if may_happen else level, now)
        if len(self.levels) > MOST_NAMES:
            self.levels.popitem(last=False)
        return 0.0 if may_happen else (1.0 - level) / self.rate
