"""What a governor remembers of one key, and what a decision changes in it."""

from bisect import insort
from collections.abc import Mapping
from dataclasses import dataclass, field

from headwater.pure.pace import Decision, Demand, Go, View, decide

# A moment kept for somebody who does not come is given up after this.
GRACE = 30.0
# What was sent is remembered at least so long, because a limit may turn out stricter than it was (a Crawl-delay).
MEMORY = 60.0


@dataclass(slots=True)
class Ledger:
    """Times in seconds since the epoch. `latest` is when it was last looked at, where several clocks look at it."""

    sent: list[float] = field(default_factory=list)
    pending: dict[str, float] = field(default_factory=dict)
    planned: dict[str, float] = field(default_factory=dict)
    running: dict[str, float] = field(default_factory=dict)
    barred: float = 0.0
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
        self.barred -= seconds

    def view(self, ticket: str) -> View:
        planned = sorted(at for name, at in self.planned.items() if name != ticket)
        return View(self.sent, len(self.pending), planned, len(self.running), self.barred)

    def idle(self, now: float) -> bool:
        return not (self.sent or self.pending or self.planned or self.running) and self.barred <= now

    def mark_sent(self, lease: str, now: float) -> None:
        if self.pending.pop(lease, None) is not None:
            insort(self.sent, now)

    def ends(self, now: float) -> float:
        """When nothing in it counts any more, if nothing else comes."""
        sent = [*self.sent[-1:], *self.pending.values()]
        kept = [at + self.memory for at in sent] + [at + GRACE for at in self.planned.values()]
        return max([now, self.barred, *self.running.values(), *kept])


def reserve(demand: Demand, ledgers: Mapping[str, Ledger], now: float, horizon: float) -> Decision:
    """Decide on ledgers that have forgotten what no longer counts, and write the decision into them."""
    own = {key: ledgers[key] for key in demand.names()}
    planned = next((ledger.planned.get(demand.ticket) for ledger in own.values()), None)
    views = {key: ledger.view(demand.ticket) for key, ledger in own.items()}
    decision = decide(demand, views, now, planned=planned, horizon=horizon)
    if isinstance(decision, Go):
        let_go(demand, own, now)
    elif decision.planned and planned is None:
        for quota in demand.quotas:
            own[quota.key].planned[demand.ticket] = decision.until
    return decision


def let_go(demand: Demand, ledgers: Mapping[str, Ledger], now: float) -> None:
    for quota in demand.quotas:
        ledger = ledgers[quota.key]
        ledger.memory = max(ledger.memory, quota.window)
        ledger.planned.pop(demand.ticket, None)
        ledger.pending[demand.lease] = now + demand.start
    for slots in demand.slots:
        ledgers[slots.key].running[demand.lease] = now + demand.hold
