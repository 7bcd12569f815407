"""Ports to the outside. Each has a local and a cluster implementation; one contract suite per port runs on both."""

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
from headwater.model.recipe import MOST_CLUSTERED, Knowledge, Step
from headwater.model.replay import ReplayItem, ReplayResult
from headwater.model.saved_search import SavedSearch
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

    def claim_groups(
        self,
        claim: Claim,
        *,
        full_documents: bool = True,
        window: timedelta | None = None,
        most: int = MOST_CLUSTERED,
    ) -> Sequence[GroupBatch]: ...

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

    def finish_poll(self, results: Sequence[PollResult], owner: str, now: datetime) -> int:
        """Returns the number of new leads."""
        ...

    def finish_fetch(self, results: Sequence[FetchResult], owner: str, now: datetime) -> None: ...

    def finish_refine(
        self, results: Sequence[RefineResult], owner: str, now: datetime, settle: timedelta
    ) -> Sequence[str]:
        """Returns the ids that were not written because another document took one of their exclusive fingerprints in the
        meantime: these must be decided again."""
        ...

    def finish_gather(self, results: Sequence[GatherResult], owner: str, now: datetime) -> None: ...

    def finish_deliver(self, results: Sequence[DeliveryResult], owner: str, now: datetime) -> None: ...

    def claim_replays(self, claim: Claim) -> Sequence[ReplayItem]: ...

    def finish_replay(self, results: Sequence[ReplayResult], owner: str, now: datetime) -> None:
        """Stores the comparisons; the documents themselves stay untouched."""
        ...

    def advance_replay(self, recipe: str, now: datetime) -> int:
        """Lists some more documents of the recipe's replay, or makes some of those to be replaced due for refining; returns
        how many."""
        ...

    def saved_search(self, name: str) -> SavedSearch | None:
        """Returns the saved search of this name, if there is one."""
        ...

    def rules_step(self, recipe: str, source_names: Mapping[str, str]) -> Step | None:
        """Returns the step that applies the saved searches which are rules of the recipe; None if there are none."""
        ...

    def renew(self, task: Task, owner: str, until: datetime) -> None:
        """Extends every lease that the owner holds in this task's table."""
        ...

    def release(self, owners: Sequence[str], *, counts: bool) -> int:
        """Releases all leases of these owners. It counts as an attempt if they died, not if they stopped."""
        ...

    def lease_owners(self) -> set[str]:
        """Returns the owners of all leases."""
        ...

    def due_tasks(self, recipe: str, now: datetime) -> Sequence[Task]:
        """Returns the tasks that have rows which are due and not leased."""
        ...

    def next_due(
        self, recipe: str, reason: str | None = None, pass_began: datetime | None = None
    ) -> Mapping[Task, datetime]:
        """Returns when the next unfinished row of each task is due, leased or not; with `reason`, of the rows that wait
        for this reason; with `pass_began`, without the sources that were polled since then."""
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


@dataclass(frozen=True, slots=True)
class ListState:
    """A list on another server. `head` is the id of the next item. `remembers` is False when the server has lost its
    data since its list was last complete."""

    remembers: bool
    head: str | None


class RemoteQueues(Protocol):
    """Queues on another server, from which items are transferred when more are requested than are here. Raises Temporary
    when the server cannot be reached."""

    def hand_over(self, queue: str, limit: int, keep: StoreItems) -> int:
        """Passes up to `limit` items to `keep`, oldest first, removes them once it has returned, and returns how many."""
        ...

    def queue_lengths(self) -> Mapping[str, int]:
        """Returns the number of items of each queue that is not empty."""
        ...

    def peek(self, queue: str, limit: int) -> Sequence[Mapping[str, Any]]:
        """Returns the next items without removing them."""
        ...

    def queues(self) -> Sequence[str]:
        """Returns the names of the queues on that server."""
        ...

    def list_state(self, queue: str) -> ListState: ...

    def listed_ids(self, queue: str) -> frozenset[str]:
        """Returns the ids of all items on the list."""
        ...

    def remember(self, queue: str) -> None:
        """Records on the server that the list is complete."""
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
