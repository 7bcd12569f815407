"""The governor: the one place that says "now" or "not before" for a request.

Whoever shares a governor shares its limits: threads by sharing the object, processes of one machine by sharing a
file (`governor_file`), machines by sharing a server (`governor_redis`). The decision itself is `pure.pace`; a governor only remembers.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Protocol

from headwater.fetch.ledger import Ledger, reserve
from headwater.pure.pace import Decision, Demand, Go

Clock = Callable[[], float]
"""The time in seconds since the epoch: the same for all who share a governor."""

# Nothing is kept longer ahead than this: whoever would have to wait longer asks again then.
HORIZON = 600.0
# Clocks are corrected by a little all the time; only a larger step back means that they were set.
CLOCK_SLACK = 2.0
_SWEEP_EVERY = 2000


class Governor(Protocol):
    """`blocking`: a call may wait for other processes, so it must not be made in an event loop. One that cannot be
    asked raises Temporary."""

    blocking: bool

    def reserve(self, demands: Sequence[Demand], clock: Clock) -> Sequence[Decision]:
        """One decision per demand, in their order. A demand that goes is running until it is `done`.

        The clock is read when nobody else can decide any more: a moment read before waiting for the others would
        lie before what they have sent meanwhile."""
        ...

    def sent(self, leases: Sequence[str], now: float) -> None:
        """These requests are on the wire since now."""
        ...

    def done(self, leases: Sequence[str], now: float) -> None:
        """These requests are over. One that was never sent counts as sent now."""
        ...

    def bar(self, keys: Sequence[str], until: float) -> None:
        """Nothing for these keys before then. An earlier bar that lasts longer stays."""
        ...

    def close(self) -> None: ...


class MemoryGovernor:
    """For one process. What it knows is lost with it."""

    blocking = False

    def __init__(self, *, horizon: float = HORIZON) -> None:
        self._horizon = horizon
        self._ledgers: dict[str, Ledger] = {}
        self._leases: dict[str, Demand] = {}
        self._lock = threading.Lock()
        self._until_sweep = _SWEEP_EVERY
        self._latest = 0.0

    def reserve(self, demands: Sequence[Demand], clock: Clock) -> Sequence[Decision]:
        with self._lock:
            now = clock()
            self._follow(now)
            self._sweep(len(demands), now)
            return [self._reserve(demand, now) for demand in demands]

    def _reserve(self, demand: Demand, now: float) -> Decision:
        ledgers = {key: self._ledger(key, now) for key in demand.names()}
        decision = reserve(demand, ledgers, now, self._horizon)
        if isinstance(decision, Go):
            self._leases[demand.lease] = demand
        return decision

    def sent(self, leases: Sequence[str], now: float) -> None:
        with self._lock:
            for lease in leases:
                self._sent(lease, now)

    def _sent(self, lease: str, now: float) -> None:
        demand = self._leases.get(lease)
        for quota in demand.quotas if demand else ():
            self._ledger(quota.key, now).mark_sent(lease, now)

    def done(self, leases: Sequence[str], now: float) -> None:
        with self._lock:
            for lease in leases:
                self._sent(lease, now)
                demand = self._leases.pop(lease, None)
                for slots in demand.slots if demand else ():
                    self._ledger(slots.key, now).running.pop(lease, None)

    def bar(self, keys: Sequence[str], until: float) -> None:
        with self._lock:
            for key in keys:
                ledger = self._ledgers.setdefault(key, Ledger())
                ledger.barred = max(ledger.barred, until)

    def close(self) -> None:
        self._ledgers.clear()

    def _ledger(self, key: str, now: float) -> Ledger:
        ledger = self._ledgers.get(key)
        if ledger is None:
            ledger = self._ledgers[key] = Ledger()
        ledger.forget(now)
        return ledger

    def _follow(self, now: float) -> None:
        back = self._latest - now
        if back > CLOCK_SLACK:
            for ledger in self._ledgers.values():
                ledger.shift(back)
        self._latest = now if back > CLOCK_SLACK else max(now, self._latest)

    def _sweep(self, asked: int, now: float) -> None:
        """Hosts are many and most are seen once: their ledgers must not stay for ever."""
        self._until_sweep -= asked
        if self._until_sweep > 0:
            return
        self._until_sweep = _SWEEP_EVERY
        for key, ledger in list(self._ledgers.items()):
            ledger.forget(now)
            if ledger.idle(now):
                del self._ledgers[key]
