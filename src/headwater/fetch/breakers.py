"""The circuit breakers of all hosts."""

from collections.abc import Callable
from datetime import timedelta

import structlog

from headwater.fetch.failures import Stopped
from headwater.fetch.settings import FetchSettings
from headwater.pure.circuits import CLOSED, Circuit, enter, leave

_KNOWN_HOSTS = 10_000
_log = structlog.get_logger()
# Failures of the host. All others are about the request: a page too large, a forbidden address, a rule.
_BLAMED = frozenset({"dns", "refused", "reset", "timeout", "tls", "truncated", "protocol", "encoding"})


class Breakers:
    def __init__(self, settings: FetchSettings, now: Callable[[], float]) -> None:
        self._threshold = settings.breaker_failures
        self._pause = settings.breaker_pause / timedelta(seconds=1)
        self._now = now
        self._circuits: dict[str, Circuit] = {}

    def peek(self, host: str) -> None:
        """Stops when the host is left alone for now. Asked before anything is spent on the request."""
        circuit = self._circuits.get(host)
        if circuit is not None:
            self._stop(host, enter(circuit, self._now())[1])

    def enter(self, host: str) -> None:
        circuit = self._circuits.get(host)
        if circuit is None:
            return
        self._circuits[host], wait = enter(circuit, self._now())
        self._stop(host, wait)

    def _stop(self, host: str, wait: float) -> None:
        if wait > 0:
            raise Stopped("breaker_open", host, delay=timedelta(seconds=wait))

    def answered(self, host: str, status: int) -> None:
        """A page that is missing or refused is no failure of its host."""
        self._note(host, failed=status >= 500)

    def failed(self, host: str, reason: str) -> None:
        if reason in _BLAMED:
            self._note(host, failed=True)

    def _note(self, host: str, *, failed: bool) -> None:
        before = self._circuits.get(host, CLOSED)
        if not failed:
            if before is not CLOSED:
                del self._circuits[host]
            return
        after = leave(before, self._now(), failed=True, threshold=self._threshold, pause=self._pause)
        if len(self._circuits) >= _KNOWN_HOSTS:
            self._circuits.pop(next(iter(self._circuits)))
        self._circuits[host] = after
        if after.until and not before.until:
            _log.warning("breaker opened", host=host, failures=after.failures, seconds=self._pause)
