"""The governor: the one place that says "now" or "not before" for a request.

Whoever shares a governor shares its limits: threads by sharing the object, processes of one machine by sharing a
file (`governor_file`), machines by sharing a server. The decision itself is `pure.pace`; a governor only remembers.
"""

import threading
from bisect import insort
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from headwater.pure.pace import Decision, Demand, Go, View, decide

Clock = Callable[[], float]
"""The time in seconds since the epoch: the same for all who share a governor."""

# Nothing is kept longer ahead than this: whoever would have to wait longer asks again then.
HORIZON = 600.0
# A moment kept for somebody who does not come is given up after this.
GRACE = 30.0
# What was sent is remembered at least so long, because a limit may turn out stricter than it was (a Crawl-delay).
MEMORY = 60.0
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


@dataclass(slots=True)
class _Ledger:
    sent: list[float] = field(default_factory=list)
    pending: dict[str, float] = field(default_factory=dict)
    planned: dict[str, float] = field(default_factory=dict)
    running: dict[str, float] = field(default_factory=dict)
    barred: float = 0.0
    memory: float = MEMORY

    def forget(self, now: float) -> None:
        """Drop what no longer counts. One that never reported is taken for sent, and for over, after its time."""
        for lease in [lease for lease, latest in self.pending.items() if latest <= now]:
            insort(self.sent, self.pending.pop(lease))
        while self.sent and self.sent[0] < now - self.memory:
            self.sent.pop(0)
        for table, least in ((self.running, now), (self.planned, now - GRACE)):
            for name in [name for name, until in table.items() if until < least]:
                del table[name]

    def shift(self, seconds: float) -> None:
        """The clock was set back: everything goes along."""
        self.sent = [at - seconds for at in self.sent]
        for table in (self.pending, self.planned, self.running):
            table.update({name: at - seconds for name, at in table.items()})
        self.barred -= seconds

    def view(self, ticket: str) -> View:
        planned = sorted(at for name, at in self.planned.items() if name != ticket)
        return View(self.sent, len(self.pending), planned, len(self.running), self.barred)

    def idle(self, now: float) -> bool:
        return not (self.sent or self.pending or self.planned or self.running) and self.barred <= now


class MemoryGovernor:
    """For one process. What it knows is lost with it."""

    blocking = False

    def __init__(self, *, horizon: float = HORIZON) -> None:
        self._horizon = horizon
        self._ledgers: dict[str, _Ledger] = {}
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
        planned = next((ledger.planned.get(demand.ticket) for ledger in ledgers.values()), None)
        views = {key: ledger.view(demand.ticket) for key, ledger in ledgers.items()}
        decision = decide(demand, views, now, planned=planned, horizon=self._horizon)
        if isinstance(decision, Go):
            self._let_go(demand, ledgers, now)
        elif decision.planned and planned is None:
            for quota in demand.quotas:
                ledgers[quota.key].planned[demand.ticket] = decision.until
        return decision

    def _let_go(self, demand: Demand, ledgers: dict[str, _Ledger], now: float) -> None:
        self._leases[demand.lease] = demand
        for quota in demand.quotas:
            ledger = ledgers[quota.key]
            ledger.memory = max(ledger.memory, quota.window)
            ledger.planned.pop(demand.ticket, None)
            ledger.pending[demand.lease] = now + demand.start
        for slots in demand.slots:
            ledgers[slots.key].running[demand.lease] = now + demand.hold

    def sent(self, leases: Sequence[str], now: float) -> None:
        with self._lock:
            for lease in leases:
                self._sent(lease, now)

    def _sent(self, lease: str, now: float) -> None:
        demand = self._leases.get(lease)
        for quota in demand.quotas if demand else ():
            ledger = self._ledger(quota.key, now)
            if ledger.pending.pop(lease, None) is not None:
                insort(ledger.sent, now)

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
                ledger = self._ledgers.setdefault(key, _Ledger())
                ledger.barred = max(ledger.barred, until)

    def close(self) -> None:
        self._ledgers.clear()

    def _ledger(self, key: str, now: float) -> _Ledger:
        ledger = self._ledgers.get(key)
        if ledger is None:
            ledger = self._ledgers[key] = _Ledger()
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
