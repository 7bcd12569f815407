"""What a governor remembers of one key, and what a decision changes in it."""

import threading
from bisect import insort
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from headwater.fetch.politeness.quotas import Decision, Demand, Go, KeyState, decide_admission

# A moment kept for somebody who does not come is given up after this.
GRACE = 30.0
# What was sent is remembered at least so long, because a limit may turn out stricter than it was (a Crawl-delay).
MEMORY = 60.0


@dataclass(slots=True)
class KeyUsage:
    """Times in seconds since the epoch. `latest` is when it was last looked at, where several clocks look at it."""

    sent: list[float] = field(default_factory=list)
    pending: dict[str, float] = field(default_factory=dict)
    planned: dict[str, float] = field(default_factory=dict)
    running: dict[str, float] = field(default_factory=dict)
    blocked_until: float = 0.0
    memory: float = MEMORY
    latest: float = 0.0

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
        self.blocked_until -= seconds

    def view(self, ticket: str) -> KeyState:
        planned = sorted(at for name, at in self.planned.items() if name != ticket)
        return KeyState(self.sent, len(self.pending), planned, len(self.running), self.blocked_until)

    def idle(self, now: float) -> bool:
        return not (self.sent or self.pending or self.planned or self.running) and self.blocked_until <= now

    def mark_sent(self, lease: str, now: float) -> None:
        if self.pending.pop(lease, None) is not None:
            insort(self.sent, now)

    def ends(self, now: float) -> float:
        """When nothing in it counts any more, if nothing else comes."""
        sent = [*self.sent[-1:], *self.pending.values()]
        kept = [at + self.memory for at in sent] + [at + GRACE for at in self.planned.values()]
        return max([now, self.blocked_until, *self.running.values(), *kept])


def reserve_in_usage(demand: Demand, usages: Mapping[str, KeyUsage], now: float, horizon: float) -> Decision:
    """Decide on ledgers that have forgotten what no longer counts, and write the decision into them."""
    own = {key: usages[key] for key in demand.names()}
    planned = next((usage.planned.get(demand.ticket) for usage in own.values()), None)
    views = {key: usage.view(demand.ticket) for key, usage in own.items()}
    decision = decide_admission(demand, views, now, planned=planned, horizon=horizon)
    if isinstance(decision, Go):
        record_admission(demand, own, now)
    elif decision.planned and planned is None:
        for quota in demand.quotas:
            own[quota.key].planned[demand.ticket] = decision.until
    return decision


def record_admission(demand: Demand, usages: Mapping[str, KeyUsage], now: float) -> None:
    for quota in demand.quotas:
        usage = usages[quota.key]
        usage.memory = max(usage.memory, quota.window)
        usage.planned.pop(demand.ticket, None)
        usage.pending[demand.lease] = now + demand.start
    for slots in demand.slots:
        usages[slots.key].running[demand.lease] = now + demand.hold


EpochClock = Callable[[], float]
"""The time in seconds since the epoch: the same for all who share a governor."""

# Nothing is kept longer ahead than this: whoever would have to wait longer asks again then.
HORIZON = 600.0
# Clocks are corrected by a little all the time; only a larger step back means that they were set.
CLOCK_SLACK = 2.0
_SWEEP_EVERY = 2000


class RateLimiter(Protocol):
    """`blocking`: a call may wait for other processes, so it must not be made in an event loop. One that cannot be
    asked raises Temporary."""

    blocking: bool

    def reserve(self, demands: Sequence[Demand], clock: EpochClock) -> Sequence[Decision]:
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

    def block_until(self, keys: Sequence[str], until: float) -> None:
        """Nothing for these keys before then. An earlier bar that lasts longer stays."""
        ...

    def close(self) -> None: ...


class MemoryRateLimiter:
    """For one process. What it knows is lost with it."""

    blocking = False

    def __init__(self, *, horizon: float = HORIZON) -> None:
        self._horizon = horizon
        self._usages: dict[str, KeyUsage] = {}
        self._leases: dict[str, Demand] = {}
        self._lock = threading.Lock()
        self._until_sweep = _SWEEP_EVERY
        self._latest = 0.0

    def reserve(self, demands: Sequence[Demand], clock: EpochClock) -> Sequence[Decision]:
        with self._lock:
            now = clock()
            self._follow(now)
            self._sweep(len(demands), now)
            return [self._reserve(demand, now) for demand in demands]

    def _reserve(self, demand: Demand, now: float) -> Decision:
        usages = {key: self._usage(key, now) for key in demand.names()}
        decision = reserve_in_usage(demand, usages, now, self._horizon)
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
            self._usage(quota.key, now).mark_sent(lease, now)

    def done(self, leases: Sequence[str], now: float) -> None:
        with self._lock:
            for lease in leases:
                self._sent(lease, now)
                demand = self._leases.pop(lease, None)
                for slots in demand.slots if demand else ():
                    self._usage(slots.key, now).running.pop(lease, None)

    def block_until(self, keys: Sequence[str], until: float) -> None:
        with self._lock:
            for key in keys:
                usage = self._usages.setdefault(key, KeyUsage())
                usage.blocked_until = max(usage.blocked_until, until)

    def close(self) -> None:
        self._usages.clear()

    def _usage(self, key: str, now: float) -> KeyUsage:
        usage = self._usages.get(key)
        if usage is None:
            usage = self._usages[key] = KeyUsage()
        usage.forget(now)
        return usage

    def _follow(self, now: float) -> None:
        back = self._latest - now
        if back > CLOCK_SLACK:
            for usage in self._usages.values():
                usage.shift(back)
        self._latest = now if back > CLOCK_SLACK else max(now, self._latest)

    def _sweep(self, asked: int, now: float) -> None:
        """Hosts are many and most are seen once: their ledgers must not stay for ever."""
        self._until_sweep -= asked
        if self._until_sweep > 0:
            return
        self._until_sweep = _SWEEP_EVERY
        for key, usage in list(self._usages.items()):
            usage.forget(now)
            if usage.idle(now):
                del self._usages[key]
