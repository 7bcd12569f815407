"""Inputs and results of the engine's jobs. The store claims the inputs and commits the results, each in one transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from headwater.model.alarm import Alarm
from headwater.model.copy_dates import CopyDate
from headwater.model.document import DedupeRecord, Document
from headwater.model.http import Capture
from headwater.model.saved_search import Digest
from headwater.model.source import Bar, Observation, Source, StoredLead
from headwater.model.story import Story


class Task(StrEnum):
    POLL = "poll"
    FETCH = "fetch"
    REFINE = "refine"
    GATHER = "gather"
    DELIVER = "deliver"
    REPLAY = "replay"
    SUMMARIZE = "summarize"


NETWORK_TASKS = (Task.POLL, Task.FETCH)
LOCAL_TASKS = (Task.REFINE, Task.GATHER, Task.DELIVER)
# Work that can wait: a local worker does it when it has nothing else to do.
IDLE_TASKS = (Task.REPLAY,)
RUN_TASKS = (*NETWORK_TASKS, *LOCAL_TASKS)
# SUMMARIZE is not among them: a maintenance task runs it on a schedule.
QUEUED_TASKS = (*RUN_TASKS, *IDLE_TASKS)


@dataclass(frozen=True, slots=True)
class Job:
    """A unit of work: small, made of strings. Without keys it covers whatever is due. A job may arrive twice, late or never."""

    recipe: str
    task: Task
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Claim:
    """A request for up to `limit` due rows of a job, to be leased to `owner` until `now + lease`. With `pass_began`, sources
    that were polled since then are left out."""

    job: Job
    owner: str
    now: datetime
    limit: int = 100
    lease: timedelta = timedelta(minutes=5)
    pass_began: datetime | None = None


class State(StrEnum):
    """The state of a lead or a document. `reason` says why."""

    WAITING = "waiting"
    DONE = "done"
    KEPT = "kept"
    DROPPED = "dropped"
    DUPLICATE = "duplicate"
    ASIDE = "aside"
    QUARANTINED = "quarantined"


def stored_states(states: Sequence[State]) -> list[State]:
    """What a step set aside is quarantined, too: people and programs have one word for both, the rows have two."""
    quarantined = {State.QUARANTINED, State.ASIDE}
    return [*states, *sorted(quarantined - set(states))] if quarantined & set(states) else list(states)


# The reason of a document that retention moved to a file. Its row says dropped, because nothing works on it any more, but it
# was kept: people are told that it was moved.
ARCHIVED = "archived"


@dataclass(frozen=True, slots=True)
class SourceLease:
    """A source leased for one poll."""

    source: Source
    poll_id: str
    attempts: int


@dataclass(frozen=True, slots=True)
class Draft:
    """A document to make: its capture, and everything known about it so far. `copy_date` is the earliest date that copies of
    it have, if its lead has none."""

    id: str
    revision: int
    attempts: int
    lead: StoredLead
    capture: Capture | None
    source: Source
    copy_date: CopyDate | None = None

    @property
    def reads_page(self) -> bool:
        """Whether its text is in the captured page. Otherwise the capture, if any, is the listing of the source."""
        return not self.lead.lead.is_complete and self.capture is not None and bool(self.capture.lead)


@dataclass(frozen=True, slots=True)
class GroupBatch:
    """A group with its kept documents and its current stories; with a window, only those that can still change.
    `reserved_ids` are the ids of former and other stories that must not be used again. `version` counts the documents that
    joined. `changes` are the documents that joined, changed or left since the group was last clustered; `has_more`: this is a
    part of a large group, and further changes wait."""

    id: str
    name: str
    attempts: int
    version: int
    documents: tuple[Document, ...]
    stories: tuple[Story, ...]
    reserved_ids: frozenset[str] = frozenset()
    changes: tuple[str, ...] = ()
    has_more: bool = False


DeliveredRecord = Document | Story | Alarm | Digest


@dataclass(frozen=True, slots=True)
class Delivery:
    """A delivery to make. `record` is None when it was withdrawn in the meantime. `progress` comes from an earlier attempt."""

    id: str
    route: str
    revision: int
    attempts: int
    record: DeliveredRecord | None
    progress: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Postponement:
    """Try again: due at `at`. `counts` is False when it was not an attempt."""

    at: datetime
    reason: str
    detail: str = ""
    counts: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarantine:
    """Kept apart with its reason until an operator retries or drops it."""

    reason: str
    detail: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PollResult:
    """A finished poll of a source. The leads come from the last of the captures. `is_postponed`: no request was sent, so this
    was no poll and leaves no row. `continues`: it was cut short, and the next poll is its second part."""

    source: str
    poll_id: str
    leads: tuple[StoredLead, ...] = ()
    captures: tuple[Capture, ...] = ()
    bars: tuple[Bar, ...] = ()
    observations: tuple[Observation, ...] = ()
    watermark: Mapping[str, Any] | None = None
    due_at: datetime | None
    failures: int = 0
    stop_reason: str | None = None
    is_postponed: bool = False
    continues: bool = False
    moved_to: str | None = None
    active: bool = True
    error: str | None = None
    detail: str = ""
    status: int | None = None
    elapsed_ms: int = 0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchResult:
    """A finished fetch: a capture, or None for nothing new, or why there is none. `version` is the lead's when it was
    fetched: a lead that changed in the meantime stays due, and so does one that must be rendered but was not
    (`was_rendered`). `fresh_until` comes from the caching headers. `no_page` is why there is no page, for a lead whose
    document is then made of what the source provided; with a postponement, the page is requested again all the same."""

    lead: str
    version: str
    was_rendered: bool = False
    result: Capture | Postponement | Quarantine | None
    moved_to: str | None = None
    drop_reason: str | None = None
    no_page: str | None = None
    fresh_until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RefineResult:
    """A finished document: kept, ended with a reason, or postponed. `capture` is what it was made from: a document that
    was captured again in the meantime stays due. `render` makes its lead due once more, with a browser. `copy_date` is the date
    of a copy that the document could take. `step_ms` are the milliseconds that extracting it and each step took, as its share
    of the time of its batch; less than one is left out."""

    id: str
    state: State
    capture: str | None
    revision: int
    document: Document | None = None
    reason: str = ""
    detail: str = ""
    of: str | None = None
    score: float | None = None
    evidence: Mapping[str, Any] = field(default_factory=dict)
    later: Postponement | None = None
    routes: tuple[str, ...] = ()
    dedupe_record: DedupeRecord | None = None
    render: bool = False
    copy_date: datetime | None = None
    step_ms: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class GatherResult:
    """The stories of a group that are new or changed. `clustered_ids` are the ids of the stories that were clustered again, without
    those that stay as they are stored; one that is missing in `stories` ends. When documents joined since (`version` is higher
    now), or `has_more` is set, the group stays due. `changes` are the changes of the group that these stories contain, as of
    `claimed_at`."""

    group: str
    version: int
    clustered_ids: tuple[str, ...] = ()
    stories: tuple[Story, ...] = ()
    changes: tuple[str, ...] = ()
    claimed_at: datetime | None = None
    has_more: bool = False
    routes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    later: Postponement | None = None
    quarantine: Quarantine | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryResult:
    """How a delivery ended. `progress` comes with `later`: what the next attempt must know."""

    id: str
    revision: int
    receipt: str = ""
    progress: str | None = None
    drop_reason: str | None = None
    later: Postponement | None = None
    quarantine: Quarantine | None = None
