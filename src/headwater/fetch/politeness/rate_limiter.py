"""The rate limiter: the one place that decides whether a request may leave now or has to wait.

All users of a rate limiter share its limits: threads share the object, processes of one machine share a file
(`rate_limiter_file`), machines share a Redis server (`rate_limiter_redis`). `quotas` decides; a rate limiter only remembers.
"""

import threading
from bisect import insort
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from headwater.fetch.politeness.quotas import Decision, Demand, Go, KeyState, decide_admission

EpochClock = Callable[[], float]
"""The time in seconds since the epoch: the same for all that share a rate limiter."""

# Plans reach no further ahead than this. A request that would have to wait longer asks again then.
HORIZON = 600.0
# Clocks are adjusted by a little all the time. Only a larger step back means that the clock was set.
CLOCK_SLACK = 2.0
# A planned moment expires this long after its time if its request does not come back.
GRACE = 30.0
# Sent requests are remembered for at least this long, because a limit may become stricter later (a Crawl-delay).
MEMORY = 60.0
_SWEEP_EVERY = 2000


class RateLimiter(Protocol):
    """`blocking`: a call may wait for other processes, so it must not run in an event loop. A rate limiter that cannot
    be reached raises Temporary."""

    blocking: bool

    def reserve(self, demands: Sequence[Demand], clock: EpochClock) -> Sequence[Decision]:
        """One decision per demand, in their order. An admitted demand runs until it is reported as done.

        The clock is read under the lock: a time read before waiting for the lock would lie before requests that others
        have sent meanwhile."""
        ...

    def report_sent(self, leases: Sequence[str], now: float) -> None:
        """These requests are on the wire since now."""
        ...

    def report_done(self, leases: Sequence[str], now: float) -> None:
        """These requests have ended. One that was never reported as sent counts as sent now."""
        ...

    def block_until(self, keys: Sequence[str], until: float) -> None:
        """Admit nothing for these keys before then. An earlier block that lasts longer stays."""
        ...

    def close(self) -> None: ...


@dataclass(slots=True)
class KeyUsage:
    """What a rate limiter remembers of one key. Times are seconds since the epoch, by lease or ticket. `latest` is when
    it was last read, where several clocks read it."""

    sent: list[float] = field(default_factory=list)
    pending: dict[str, float] = field(default_factory=dict)
    planned: dict[str, float] = field(default_factory=dict)
    running: dict[str, float] = field(default_factory=dict)
    blocked_until: float = 0.0
    memory: float = MEMORY
    latest: float = 0.0

    def forget(self, now: float) -> None:
        """Drop what no longer counts. A request that was never reported counts as sent, and as done, after its time."""
        for lease in [lease for lease, latest in self.pending.items() if latest <= now]:
            insort(self.sent, self.pending.pop(lease))
        while self.sent and self.sent[0] < now - self.memory:
            self.sent.pop(0)
        for table, earliest in ((self.running, now), (self.planned, now - GRACE)):
            for name in [name for name, until in table.items() if until < earliest]:
                del table[name]

    def shift(self, seconds: float) -> None:
        """Move all times back, because the clock was set back."""
        self.sent = [at - seconds for at in self.sent]
        for table in (self.pending, self.planned, self.running):
            table.update({name: at - seconds for name, at in table.items()})
        self.blocked_until -= seconds

    def state(self, ticket: str) -> KeyState:
        """The state that a request with this ticket finds: its own plan does not count."""
        planned = sorted(at for name, at in self.planned.items() if name != ticket)
        return KeyState(self.sent, len(self.pending), planned, len(self.running), self.blocked_until)

    def is_idle(self, now: float) -> bool:
        return not (self.sent or self.pending or self.planned or self.running) and self.blocked_until <= now

    def mark_sent(self, lease: str, now: float) -> None:
        if self.pending.pop(lease, None) is not None:
            insort(self.sent, now)

    def expires_at(self, now: float) -> float:
        """When nothing in it counts any more, if no further request comes."""
        sent = [*self.sent[-1:], *self.pending.values()]
        remembered = [at + self.memory for at in sent] + [at + GRACE for at in self.planned.values()]
        return max([now, self.blocked_until, *self.running.values(), *remembered])


def reserve_in_usage(demand: Demand, usages: Mapping[str, KeyUsage], now: float, horizon: float) -> Decision:
    """Decide on usages from which expired entries were removed, and record the decision in them."""
    usages = {key: usages[key] for key in demand.limit_keys()}
    planned = next((usage.planned.get(demand.ticket) for usage in usages.values()), None)
    states = {key: usage.state(demand.ticket) for key, usage in usages.items()}
    decision = decide_admission(demand, states, now, planned=planned, horizon=horizon)
    if isinstance(decision, Go):
        record_admission(demand, usages, now)
    elif decision.is_planned and planned is None:
        for quota in demand.quotas:
            usages[quota.key].planned[demand.ticket] = decision.until
    return decision


def record_admission(demand: Demand, usages: Mapping[str, KeyUsage], now: float) -> None:
    for quota in demand.quotas:
        usage = usages[quota.key]
        usage.memory = max(usage.memory, quota.window)
        usage.planned.pop(demand.ticket, None)
        usage.pending[demand.lease] = now + demand.start
    for slots in demand.slots:
        usages[slots.key].running[demand.lease] = now + demand.hold


class MemoryRateLimiter:
    """For one process. Its memory ends with the process."""

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
            self._follow_clock(now)
            self._sweep(len(demands), now)
            return [self._reserve(demand, now) for demand in demands]

    def _reserve(self, demand: Demand, now: float) -> Decision:
        usages = {key: self._usage(key, now) for key in demand.limit_keys()}
        decision = reserve_in_usage(demand, usages, now, self._horizon)
        if isinstance(decision, Go):
            self._leases[demand.lease] = demand
        return decision

    def report_sent(self, leases: Sequence[str], now: float) -> None:
        with self._lock:
            for lease in leases:
                self._mark_sent(lease, now)

    def _mark_sent(self, lease: str, now: float) -> None:
        demand = self._leases.get(lease)
        for quota in demand.quotas if demand else ():
            self._usage(quota.key, now).mark_sent(lease, now)

    def report_done(self, leases: Sequence[str], now: float) -> None:
        with self._lock:
            for lease in leases:
                self._mark_sent(lease, now)
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

    def _follow_clock(self, now: float) -> None:
        step_back = self._latest - now
        if step_back > CLOCK_SLACK:
            for usage in self._usages.values():
                usage.shift(step_back)
        self._latest = now if step_back > CLOCK_SLACK else max(now, self._latest)

    def _sweep(self, demand_count: int, now: float) -> None:
        """Remove idle keys: there are many hosts, and most are requested once."""
        self._until_sweep -= demand_count
        if self._until_sweep > 0:
            return
        self._until_sweep = _SWEEP_EVERY
        for key, usage in list(self._usages.items()):
            usage.forget(now)
            if usage.is_idle(now):
                del self._usages[key]
