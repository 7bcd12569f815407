"""A circuit breaker per host: after a row of failures the host is left alone for a while, then tried once."""

from dataclasses import dataclass, replace

# A probe that nobody answers for must not keep the circuit half open for ever.
_PROBE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Circuit:
    """`failures` in a row; `until`: closed to everybody before then; `probe`: one request is out to try."""

    failures: int = 0
    until: float = 0.0
    probe: float = 0.0


CLOSED = Circuit()


def enter(circuit: Circuit, now: float) -> tuple[Circuit, float]:
    """The circuit after somebody asked to pass, and how long they have to wait: 0 lets them pass."""
    if not circuit.until:
        return circuit, 0.0
    wait = max(circuit.until, circuit.probe) - now
    if wait > 0:
        return circuit, wait
    return replace(circuit, probe=now + _PROBE_SECONDS), 0.0


def leave(circuit: Circuit, now: float, *, failed: bool, threshold: int, pause: float) -> Circuit:
    """The circuit after an exchange. A success closes it; enough failures, or a failed probe, open it."""
    if not failed:
        return CLOSED
    failures = circuit.failures + 1
    if failures < threshold:
        return Circuit(failures)
    return Circuit(failures, until=now + pause)
