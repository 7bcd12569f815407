"""Dedupe markers on a Redis server: hints for other programs, valid for a day. The rows remain the truth.

Markers are written after the commit, and only for what the rows confirm. A server that fails is not asked for a while
and logged once. A maintenance task writes the missing markers when the server returns.
"""

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256

import structlog
from sqlalchemy import Engine

from headwater.model.errors import Temporary
from headwater.model.ports import Clock
from headwater.model.stored_fingerprint import NormalizeUrl, StoredFingerprint
from headwater.redis_client import RedisClient, RedisCommand
from headwater.store.redis.marker_rows import DatedLookup, confirmed_lookups, recent_lookups

LIFE = timedelta(hours=24)
REST = 30.0
WHOLE_SECONDS = 3600
_log = structlog.get_logger()


def dedupe_key(namespace: str, fingerprint: StoredFingerprint) -> str:
    """Returns `{namespace}:dedupe:{hash}`, or `{namespace}:dedupe:url:{hash}` for addresses."""
    if fingerprint.kind == "url":
        return f"{namespace}:dedupe:url:{sha256(fingerprint.value.encode('utf-8', 'replace')).hexdigest()}"
    return f"{namespace}:dedupe:{fingerprint.value}"


@dataclass
class DedupeMarkers:
    """`namespaces` are the key prefixes by recipe. A failing server or database raises nothing in a call."""

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
        """Write the markers of a committed job."""
        if not marks or self.now() < self._again_at:
            return
        try:
            borne_out = confirmed_lookups(self.engine, list(dict.fromkeys(marks)))
            self._write(recipe, ((mark, LIFE) for mark in borne_out))
        except Temporary as trouble:
            self._pause(trouble)
        else:
            self._resume()

    def recipes_without_markers(self) -> list[str]:
        """The recipes whose markers are missing. Raises Temporary."""
        recipes = sorted(self.namespaces)
        flags = self.server.execute([("EXISTS", self._filled_key(recipe)) for recipe in recipes])
        return [recipe for recipe, exists in zip(recipes, flags, strict=True) if not exists]

    def refill(self, recipe: str, normal: NormalizeUrl) -> int:
        """Write all markers of the last day; returns how many. Repeating it changes nothing. Raises Temporary."""
        now, count = self.clock(), 0
        for batch in recent_lookups(self.engine, recipe, now - LIFE, normal):
            count += self._write(recipe, _with_remaining_life(batch, now))
        # Valid for an hour, so markers that a killed worker did not write are missing for an hour at most.
        self.server.execute([("SET", self._filled_key(recipe), now.isoformat(), "EX", WHOLE_SECONDS)])
        return count

    def _write(self, recipe: str, marks: Iterable[tuple[StoredFingerprint, timedelta]]) -> int:
        namespace = self.namespaces.get(recipe, recipe)
        commands: list[RedisCommand] = [
            ("SET", dedupe_key(namespace, mark), mark.row, "EX", max(1, int(life.total_seconds())))
            for mark, life in marks
        ]
        return len(self.server.execute(commands))

    def _filled_key(self, recipe: str) -> str:
        return f"{self.namespaces[recipe]}:dedupe:filled:{recipe}"

    def _pause(self, trouble: Temporary) -> None:
        with self._lock:
            self._again_at = self.now() + self.rest
            first, self._troubled = not self._troubled, True
        if first:
            _log.warning("markers cannot be written", reason=trouble.reason, detail=trouble.detail)

    def _resume(self) -> None:
        with self._lock:
            before, self._troubled = self._troubled, False
        if not before:
            return
        _log.warning("markers are written again")
        with suppress(Temporary):  # the maintenance task finds the missing key and writes what was missed
            self.server.execute([("DEL", self._filled_key(recipe)) for recipe in sorted(self.namespaces)])


def _with_remaining_life(
    batch: Sequence[DatedLookup], now: datetime
) -> Iterable[tuple[StoredFingerprint, timedelta]]:
    return ((mark, min(LIFE, LIFE - (now - at))) for mark, at in batch)
