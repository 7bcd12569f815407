"""Circuit breakers: after several failures in a row a host is left alone for a while, then tried with one request."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

import structlog

from headwater.fetch.failures import FetchStopped
from headwater.fetch.settings import FetchSettings
from headwater.model.http import BREAKER_OPEN

# A probe that is never answered must not keep the circuit half open for ever.
_PROBE_SECONDS = 60.0
_MOST_HOSTS = 10_000
# Failures of the host. All others concern the request: a page too large, a forbidden address, a rule.
_HOST_FAILURES = frozenset({"dns", "refused", "reset", "timeout", "tls", "truncated", "protocol", "encoding"})
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Circuit:
    """`failures` in a row; `until`: open, no request passes before then; `probe`: when the running probe is given up."""

    failures: int = 0
    until: float = 0.0
    probe: float = 0.0


CLOSED = Circuit()


def enter_circuit(circuit: Circuit, now: float) -> tuple[Circuit, float]:
    """The circuit after a request asked to pass, and how long the request has to wait: 0 lets it pass."""
    if not circuit.until:
        return circuit, 0.0
    wait = max(circuit.until, circuit.probe) - now
    if wait > 0:
        return circuit, wait
    return replace(circuit, probe=now + _PROBE_SECONDS), 0.0


def circuit_after(circuit: Circuit, now: float, *, failed: bool, threshold: int, pause: float) -> Circuit:
    """The circuit after a request. A success closes it; enough failures, or a failed probe, open it."""
    if not failed:
        return CLOSED
    failures = circuit.failures + 1
    if failures < threshold:
        return Circuit(failures)
    return Circuit(failures, until=now + pause)


class CircuitBreakers:
    """The circuit breakers of all hosts."""

    def __init__(self, settings: FetchSettings, now: Callable[[], float]) -> None:
        self._threshold = settings.breaker_failures
        self._pause = settings.breaker_pause / timedelta(seconds=1)
        self._now = now
        self._circuits: dict[str, Circuit] = {}

    def check(self, host: str) -> None:
        """Stop when the circuit of the host is open. Called before anything is spent on the request."""
        circuit = self._circuits.get(host)
        if circuit is not None:
            self._stop(host, enter_circuit(circuit, self._now())[1])

    def enter(self, host: str) -> None:
        """As `check`, and start a probe when one is due."""
        circuit = self._circuits.get(host)
        if circuit is None:
            return
        self._circuits[host], wait = enter_circuit(circuit, self._now())
        self._stop(host, wait)

    def _stop(self, host: str, wait: float) -> None:
        if wait > 0:
            raise FetchStopped(BREAKER_OPEN, host, delay=timedelta(seconds=wait))

    def record_status(self, host: str, status: int) -> None:
        """A missing or forbidden page is not a failure of its host."""
        self._record(host, failed=status >= 500)

    def record_failure(self, host: str, reason: str) -> None:
        if reason in _HOST_FAILURES:
            self._record(host, failed=True)

    def forget(self) -> None:
        """Close all circuits: their failures were our own."""
        self._circuits.clear()

    def _record(self, host: str, *, failed: bool) -> None:
        before = self._circuits.get(host, CLOSED)
        if not failed:
            if before is not CLOSED:
                del self._circuits[host]
            return
        after = circuit_after(before, self._now(), failed=True, threshold=self._threshold, pause=self._pause)
        if len(self._circuits) >= _MOST_HOSTS:
            self._circuits.pop(next(iter(self._circuits)))
        self._circuits[host] = after
        if after.until and not before.until:
            _log.warning("breaker opened", host=host, failures=after.failures, seconds=self._pause)
