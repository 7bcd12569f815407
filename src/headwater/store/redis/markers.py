"""Marks on a Redis server for what the rows hold: a hint for other programs, for a day, and never the truth.

They are written after the commit and only for what the rows bear out. A server that is away is left alone for a while
and told of once; what it missed is filled in from the rows when it comes back without its memory.
"""

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import structlog
from sqlalchemy import Engine

from headwater.model.errors import Temporary
from headwater.model.ports import Clock
from headwater.model.stored_fingerprint import NormalizeUrl, StoredFingerprint, dedupe_key
from headwater.redis_client import RedisClient, RedisCommand
from headwater.store.redis.marker_rows import DatedLookup, confirmed_lookups, recent_lookups

LIFE = timedelta(hours=24)
REST = 30.0
WHOLE_SECONDS = 3600
_log = structlog.get_logger()


@dataclass
class DedupeMarkers:
    """`namespaces` says by recipe how its marks begin. Nothing here raises for a server or a database that is away."""

    server: RedisClient
    engine: Engine
    clock: Clock
    namespaces: Mapping[str, str]
    rest: float = REST
    now: Callable[[], float] = time.monotonic
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _again_at: float = 0.0
    _troubled: bool = False

    def __call__(self, recipe: str, marks: Sequence[StoredFingerprint]) -> None:
        """Mark what a job has just committed."""
        if not marks or self.now() < self._again_at:
            return
        try:
            borne_out = confirmed_lookups(self.engine, list(dict.fromkeys(marks)))
            self._write(recipe, ((mark, LIFE) for mark in borne_out))
        except Temporary as trouble:
            self._leave_alone(trouble)
        else:
            self._well_again()

    def missing(self) -> list[str]:
        """The recipes whose marks were lost, or never made. Raises Temporary."""
        recipes = sorted(self.namespaces)
        found = self.server.ask([("EXISTS", self._whole(recipe)) for recipe in recipes])
        return [recipe for recipe, there in zip(recipes, found, strict=True) if not there]

    def refill(self, recipe: str, normal: NormalizeUrl) -> int:
        """All marks of the last day from the rows; gives how many. Doing it twice changes nothing. Raises Temporary."""
        now, count = self.clock(), 0
        for some in recent_lookups(self.engine, recipe, now - LIFE, normal):
            count += self._write(recipe, _lasting(some, now))
        # For an hour: what a worker that was killed between commit and mark left out is made then at the latest.
        self.server.ask([("SET", self._whole(recipe), now.isoformat(), "EX", WHOLE_SECONDS)])
        return count

    def _write(self, recipe: str, marks: Iterable[tuple[StoredFingerprint, timedelta]]) -> int:
        namespace = self.namespaces.get(recipe, recipe)
        commands: list[RedisCommand] = [
            ("SET", dedupe_key(namespace, mark), mark.row, "EX", max(1, int(life.total_seconds())))
            for mark, life in marks
        ]
        return len(self.server.ask(commands))

    def _whole(self, recipe: str) -> str:
        return f"{self.namespaces[recipe]}:dedupe:filled:{recipe}"

    def _leave_alone(self, trouble: Temporary) -> None:
        with self._lock:
            self._again_at = self.now() + self.rest
            first, self._troubled = not self._troubled, True
        if first:
            _log.warning("marks cannot be written", reason=trouble.reason, detail=trouble.detail)

    def _well_again(self) -> None:
        with self._lock:
            before, self._troubled = self._troubled, False
        if not before:
            return
        _log.warning("marks are written again")
        with suppress(Temporary):  # what was missed in between is made by the chore that finds nothing whole
            self.server.ask([("DEL", self._whole(recipe)) for recipe in sorted(self.namespaces)])


def _lasting(some: Sequence[DatedLookup], now: datetime) -> Iterable[tuple[StoredFingerprint, timedelta]]:
    return ((mark, min(LIFE, LIFE - (now - at))) for mark, at in some)
