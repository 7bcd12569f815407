"""The seams to the outside. Each has a laptop and a cluster side; one contract suite per port runs on both."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from headwater.model.http import Capture, Failure, Request, Response
from headwater.model.jobs import (
    Claim,
    Delivery,
    DeliveryResult,
    Draft,
    FetchResult,
    GatherResult,
    GroupBatch,
    PollResult,
    RefineResult,
    SourceLease,
    Task,
)
from headwater.model.recipe import Knowledge
from headwater.model.replay import ReplayItem, ReplayResult
from headwater.model.source import Source, StoredLead
from headwater.model.stored_fingerprint import StoredFingerprint

Clock = Callable[[], datetime]
"""The time, in UTC. Injected everywhere, so that a day can pass in a test."""


CommitListener = Callable[[str, Sequence[StoredFingerprint]], None]
"""Told by recipe what a job has seen, after its commit, for whoever wants to know sooner than the rows can be asked. It
soon returns, raises nothing, and nothing here is decided by what it remembers."""


def ignore_commits(recipe: str, seen: Sequence[StoredFingerprint]) -> None:
    """Nobody wants to know."""
    del recipe, seen


class Archive(Protocol):
    """Raw bytes with their headers, written once and never changed. Reading checks the hash."""

    def put(self, captures: Sequence[tuple[Capture, bytes]]) -> Sequence[Capture]:
        """Store the bodies; gives the captures with where they lie. Storing them again changes nothing."""
        ...

    def get(self, captures: Sequence[Capture]) -> Mapping[str, bytes]:
        """The bodies by their hash; one that is missing or damaged is missing from the answer."""
        ...


class Fetcher(Protocol):
    """Sends requests, many at a time, under the rules of politeness and safety. Answers come in any order."""

    def room(self) -> int:
        """How many further requests it takes now."""
        ...

    def submit(self, token: str, request: Request) -> None: ...

    def collect(self, limit: int, wait: timedelta) -> Sequence[tuple[str, Response | Failure]]:
        """Answers that have come in, waiting at most so long for the first. Each token is answered once."""
        ...

    def close(self) -> None: ...


class Store(Knowledge, Protocol):
    """Rows: the truth about what exists and what is unfinished.

    `claim_*` lease due rows to `owner`, oldest first. `finish_*` write a job's results and give its leases back in
    one transaction; results for rows whose lease was lost in the meantime are ignored.
    """

    def register(self, sources: Sequence[Source], now: datetime) -> int:
        """Make the rows agree with the configuration; what was learned about a source stays. Gives the new ones."""
        ...

    def sync_sources(self, recipe: str, listed: Sequence[Source], now: datetime) -> Sequence[str]:
        """Pause the sources that the recipe's list once named and names no more, wake those that it names again; gives
        the names of the paused ones. What an operator added or paused by hand stays as it is."""
        ...

    def claim_sources(self, claim: Claim) -> Sequence[SourceLease]: ...

    def claim_leads(self, claim: Claim) -> Sequence[StoredLead]: ...

    def claim_documents(self, claim: Claim) -> Sequence[Draft]: ...

    def claim_groups(self, claim: Claim, *, full_documents: bool = True) -> Sequence[GroupBatch]: ...

    def claim_deliveries(self, claim: Claim) -> Sequence[Delivery]: ...

    def add_leads(
        self,
        source_lease: SourceLease,
        leads: Sequence[StoredLead],
        captures: Sequence[Capture],
        now: datetime,
    ) -> int:
        """Leads of a look that goes on; gives the number of new ones."""
        ...

    def finish_poll(self, polled: Sequence[PollResult], owner: str, now: datetime) -> int:
        """Gives the number of new leads."""
        ...

    def finish_fetch(self, fetched: Sequence[FetchResult], owner: str, now: datetime) -> None: ...

    def finish_refine(
        self, refined: Sequence[RefineResult], owner: str, now: datetime, settle: timedelta
    ) -> Sequence[str]:
        """Gives the ids that were not written because another document took one of their exclusive fingerprints in
        the meantime: those must be decided again."""
        ...

    def finish_gather(self, gathered: Sequence[GatherResult], owner: str, now: datetime) -> None: ...

    def finish_deliver(self, delivered: Sequence[DeliveryResult], owner: str, now: datetime) -> None: ...

    def claim_replays(self, claim: Claim) -> Sequence[ReplayItem]: ...

    def finish_replay(self, replayed: Sequence[ReplayResult], owner: str, now: datetime) -> None:
        """Report what was found out; the documents themselves stay untouched."""
        ...

    def advance_replay(self, recipe: str, now: datetime) -> int:
        """List some more documents of the recipe's replay, or send some of those that are to be replaced to be refined;
        gives how many."""
        ...

    def renew(self, task: Task, owner: str, until: datetime) -> None:
        """Prolong every lease the owner holds in this task's table."""
        ...

    def release(self, owners: Sequence[str], *, counts: bool) -> int:
        """Give back everything these owners hold. It counts as an attempt if they died, not if they stopped."""
        ...

    def holders(self) -> set[str]:
        """Everybody who holds a lease."""
        ...

    def waiting(self, recipe: str, now: datetime) -> Sequence[Task]:
        """The tasks of which something is due and leased to nobody."""
        ...

    def next_due(self, recipe: str) -> Mapping[Task, datetime]:
        """When the next unfinished work of each kind is due, leased or not."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueItem:
    """One thing in a queue. The same id is the same thing, however often it is put there."""

    id: str
    queue: str
    recipe: str
    document: str
    payload: Mapping[str, Any]


StoreItems = Callable[[Sequence[QueueItem]], object]
"""Puts items where they are safe; returns once they are."""


class RemoteQueues(Protocol):
    """Queues elsewhere, from which items are taken over when somebody asks for more than is here. Raises Temporary when
    that place cannot be asked."""

    def hand_over(self, queue: str, limit: int, keep: StoreItems) -> int:
        """Give up to so many items to `keep`, oldest first, and let go of them only when it returns; gives how many."""
        ...

    def waiting(self) -> Mapping[str, int]:
        """How many items wait in each queue that has any."""
        ...

    def peek(self, queue: str, limit: int) -> Sequence[Mapping[str, Any]]:
        """The next items, as they are."""
        ...
