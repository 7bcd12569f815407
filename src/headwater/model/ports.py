"""Ports to the outside. Each has a local and a cluster implementation; one contract suite per port runs on both."""

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
"""Returns the time, in UTC. It is injected everywhere, so that a test can let a day pass."""


CommitListener = Callable[[str, Sequence[StoredFingerprint]], None]
"""Called with the recipe and the fingerprints that a job stored, after its commit, for other programs that want to know
without querying the rows. It returns quickly and raises nothing, and no decision depends on it."""


def ignore_commits(recipe: str, fingerprints: Sequence[StoredFingerprint]) -> None:
    """A listener that does nothing."""
    del recipe, fingerprints


class Archive(Protocol):
    """Raw bytes with their headers, written once and never changed. Reading verifies the hash."""

    def put(self, captures: Sequence[tuple[Capture, bytes]]) -> Sequence[Capture]:
        """Stores the bodies and returns the captures with their locations. Storing them again changes nothing."""
        ...

    def get(self, captures: Sequence[Capture]) -> Mapping[str, bytes]:
        """Returns the bodies by their hash, without those that are missing or damaged."""
        ...


class Fetcher(Protocol):
    """Sends many requests at a time, under the rules of politeness and safety. Answers come in any order."""

    def room(self) -> int:
        """Returns how many further requests it accepts now."""
        ...

    def submit(self, token: str, request: Request) -> None: ...

    def collect(self, limit: int, wait: timedelta) -> Sequence[tuple[str, Response | Failure]]:
        """Returns the answers that have arrived; waits at most `wait` for the first. Each token is answered once."""
        ...

    def close(self) -> None: ...


class Store(Knowledge, Protocol):
    """Rows: the truth about what exists and what is unfinished.

    `claim_*` lease due rows to the owner, oldest first. `finish_*` write a job's results and release its leases in one
    transaction; results for rows whose lease was lost in the meantime are ignored.
    """

    def register(self, sources: Sequence[Source], now: datetime) -> int:
        """Updates the rows from the configuration, keeps what was learned, and returns the number of new sources."""
        ...

    def sync_sources(self, recipe: str, listed: Sequence[Source], now: datetime) -> Sequence[str]:
        """Pauses the sources that were removed from the recipe's list, resumes those that are listed again, and returns the
        names of the paused ones. Sources that an operator added or paused by hand stay as they are."""
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
        """Stores leads of a poll that is still running and returns the number of new ones."""
        ...

    def finish_poll(self, polled: Sequence[PollResult], owner: str, now: datetime) -> int:
        """Returns the number of new leads."""
        ...

    def finish_fetch(self, fetched: Sequence[FetchResult], owner: str, now: datetime) -> None: ...

    def finish_refine(
        self, refined: Sequence[RefineResult], owner: str, now: datetime, settle: timedelta
    ) -> Sequence[str]:
        """Returns the ids that were not written because another document took one of their exclusive fingerprints in the
        meantime: these must be decided again."""
        ...

    def finish_gather(self, gathered: Sequence[GatherResult], owner: str, now: datetime) -> None: ...

    def finish_deliver(self, delivered: Sequence[DeliveryResult], owner: str, now: datetime) -> None: ...

    def claim_replays(self, claim: Claim) -> Sequence[ReplayItem]: ...

    def finish_replay(self, replayed: Sequence[ReplayResult], owner: str, now: datetime) -> None:
        """Stores the comparisons; the documents themselves stay untouched."""
        ...

    def advance_replay(self, recipe: str, now: datetime) -> int:
        """Lists some more documents of the recipe's replay, or makes some of those to be replaced due for refining; returns
        how many."""
        ...

    def renew(self, task: Task, owner: str, until: datetime) -> None:
        """Extends every lease that the owner holds in this task's table."""
        ...

    def release(self, owners: Sequence[str], *, counts: bool) -> int:
        """Releases all leases of these owners. It counts as an attempt if they died, not if they stopped."""
        ...

    def holders(self) -> set[str]:
        """Returns the owners of all leases."""
        ...

    def waiting(self, recipe: str, now: datetime) -> Sequence[Task]:
        """Returns the tasks that have rows which are due and not leased."""
        ...

    def next_due(self, recipe: str) -> Mapping[Task, datetime]:
        """Returns when the next unfinished row of each task is due, leased or not."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueItem:
    """An item of a queue. The same id is the same item, however often it is added."""

    id: str
    queue: str
    recipe: str
    document: str
    payload: Mapping[str, Any]


StoreItems = Callable[[Sequence[QueueItem]], object]
"""Stores items durably before it returns."""


class RemoteQueues(Protocol):
    """Queues on another server, from which items are transferred when more are requested than are here. Raises Temporary
    when the server cannot be reached."""

    def hand_over(self, queue: str, limit: int, keep: StoreItems) -> int:
        """Passes up to `limit` items to `keep`, oldest first, removes them once it has returned, and returns how many."""
        ...

    def waiting(self) -> Mapping[str, int]:
        """Returns the number of items of each queue that is not empty."""
        ...

    def peek(self, queue: str, limit: int) -> Sequence[Mapping[str, Any]]:
        """Returns the next items without removing them."""
        ...
