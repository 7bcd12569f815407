"""The seams to the outside. Each has a laptop and a cluster side; one contract suite per port runs on both."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from headwater.model.document import Document
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
from headwater.model.story import Story
from headwater.model.summaries import (
    LineResult,
    ModelReply,
    PlannedBatch,
    PlannedRequest,
    Prompt,
    RemoteBatch,
    RequestOutcome,
    SummaryBatch,
    SummaryCandidate,
    SummaryRequest,
)

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


class SummaryStore(Protocol):
    """Requests to a language model about stories, and the batches that carry them. Every method is one transaction.

    A request is claimed by changing its row: `mark_asked` and `plan_batch` take only requests that still wait, and a
    batch changes only if its row is still as it was read. So each request is paid for once, however many processes try.
    """

    def candidates(self, recipe: str, since: datetime) -> Sequence[SummaryCandidate]:
        """The live stories with an article as new as that."""
        ...

    def request_states(self, ids: Sequence[str]) -> Mapping[str, str]: ...

    def answers(self, ids: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
        """The stored answers to those of these requests that have one."""
        ...

    def plan_requests(self, recipe: str, planned: Sequence[PlannedRequest], now: datetime) -> int:
        """Store new requests and drop waiting ones that are no longer planned; returns the number of new ones."""
        ...

    def due_requests(self, recipe: str, now: datetime, limit: int) -> Sequence[SummaryRequest]:
        """Waiting requests: the premium level first, then by score."""
        ...

    def is_queue_full(self, now: datetime) -> bool:
        """Whether a request waits because the endpoint's queue was full."""
        ...

    def spent_since(self, since: datetime) -> float:
        """US dollars, by estimate."""
        ...

    def stories_with_documents(self, ids: Sequence[str]) -> Mapping[str, tuple[Story, Sequence[Document]]]:
        """Stories with all their documents, the most similar first."""
        ...

    def documents(self, ids: Sequence[str]) -> Mapping[str, Document]: ...

    def mark_asked(self, request: str, cost: float | None, sources: Sequence[str], now: datetime) -> bool:
        """Count the attempt and its cost before the call. False if the request no longer waits."""
        ...

    def add_cost(self, request: str, cost: float | None) -> None:
        """One more call in the same attempt."""
        ...

    def settle(self, outcomes: Sequence[RequestOutcome], now: datetime, batch: str | None = None) -> None:
        """Store outcomes of requests that are still in this batch or, without one, still wait."""
        ...

    def plan_batch(self, planned: PlannedBatch, now: datetime) -> None:
        """Store the batch and give it its requests: from now on no other batch can take them."""
        ...

    def open_batches(self) -> Sequence[SummaryBatch]:
        """Those that have not ended, oldest first."""
        ...

    def requests_in(self, batch: str) -> Sequence[SummaryRequest]:
        """The requests of a batch that have no outcome yet, in the order of its lines."""
        ...

    def advance_batch(self, batch: SummaryBatch, **values: Any) -> SummaryBatch | None:
        """Change a batch; None if another process changed it since it was read."""
        ...

    def end_batch(
        self, batch: SummaryBatch, outcomes: Sequence[RequestOutcome], now: datetime, **values: Any
    ) -> bool:
        """End a batch and settle its requests in one transaction. False if another process changed it since."""
        ...

    def replace_summary(
        self, story: str, content: str, answer: Mapping[str, Any], routes: Sequence[str], now: datetime
    ) -> bool:
        """Show an answer and deliver the story again, if the story still has that content. Whether it changed."""
        ...


class LanguageModel(Protocol):
    """A language model behind one endpoint: single prompts, or batches that may take a day.

    Every call raises Temporary (try later; `counts` unless it is certain that nothing was charged), Permanent (not with
    this input) or Refused (not with these settings).
    """

    @property
    def endpoint(self) -> str:
        """Identifies the endpoint: a batch is followed only where it was sent."""
        ...

    @property
    def timeout(self) -> timedelta:
        """The longest time that one call may take."""
        ...

    async def ask(self, prompt: Prompt) -> ModelReply: ...

    async def upload(self, name: str, prompts: Mapping[str, Prompt]) -> str:
        """Upload the lines of a batch; returns the id of the file. A file alone costs nothing."""
        ...

    async def create_batch(self, file: str, tag: str) -> RemoteBatch:
        """Start a batch. `tag` finds it again if the answer to this call is lost."""
        ...

    async def find_batch(self, tag: str) -> RemoteBatch | None: ...

    async def get_batch(self, batch: str) -> RemoteBatch:
        """Permanent if the endpoint does not know it any more."""
        ...

    async def cancel_batch(self, batch: str) -> RemoteBatch:
        """Permanent if there is nothing to cancel."""
        ...

    async def batch_results(self, file: str) -> Mapping[str, LineResult]:
        """The results in an output or error file, by the id of their line."""
        ...

    async def close(self) -> None: ...
