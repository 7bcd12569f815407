"""Summaries by a language model: what is asked about a story, and how each request and each batch stands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from headwater.model.errors import HeadwaterError
from headwater.model.jobs import Postponement

Level = Literal["standard", "premium"]
Messages = Sequence[Mapping[str, str]]

SUPERSEDED = "superseded"
QUEUE_FULL = "queue_full"


class RequestState(StrEnum):
    WAITING = "waiting"
    ASKED = "asked"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    DROPPED = "dropped"


class BatchState(StrEnum):
    """The steps of a batch. Each is stored before or right after it happens, so that the process after a kill knows what
    the endpoint may have done."""

    PLANNED = "planned"
    UPLOADED = "uploaded"
    CREATING = "creating"
    SENT = "sent"
    ENDED = "ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryCandidate:
    """A live story as far as its summary goes. `content` is the fingerprint of its documents, `shown_request` the request whose
    answer it shows, if any."""

    story: str
    content: str
    score: float
    size: int
    shown_request: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRequest:
    """A request that should exist. The id names the story, its content and the level: planning twice plans the same."""

    id: str
    story: str
    content: str
    level: Level
    model: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRequest:
    """A stored request. `cost` is the estimate for all attempts so far, `sources` the documents that the prompt quotes:
    the answer names them by position."""

    id: str
    story: str
    content: str
    level: Level
    model: str
    attempts: int = 0
    cost: float | None = None
    batch: str | None = None
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestOutcome:
    """The end of an attempt: an answer, another attempt later, or an end with its reason. `refund` is the part of the
    estimate that was certainly not charged."""

    id: str
    state: RequestState
    reason: str | None = None
    answer: Mapping[str, Any] | None = None
    later: Postponement | None = None
    refund: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedBatch:
    """A batch to be sent: its requests in the order of its lines, each with its estimated cost and its sources."""

    id: str
    endpoint: str
    model: str
    requests: Mapping[str, tuple[float | None, Sequence[str]]]
    cost: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryBatch:
    """A stored batch. `remote_id` is its id at the endpoint, `status` what the endpoint last said about it."""

    id: str
    endpoint: str
    model: str
    state: BatchState
    request_count: int
    created_at: datetime
    cost: float | None = None
    file_id: str | None = None
    remote_id: str | None = None
    status: str | None = None
    counts: Mapping[str, int] | None = None
    reason: str | None = None
    cancel_requested_at: datetime | None = None
    creation_started_at: datetime | None = None
    ended_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What a model is asked. `max_tokens` limits the length of the answer."""

    model: str
    messages: Messages
    max_tokens: int


@dataclass(frozen=True, slots=True)
class ModelReply:
    """`model` is the model that answered, by the endpoint's account. `truncated`: the answer reached its limit."""

    text: str
    model: str
    truncated: bool = False
    usage: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteBatch:
    """A batch as the endpoint reports it. `errors` are (code, line); the line is missing where the whole batch is at
    fault."""

    id: str
    status: str
    counts: Mapping[str, int] = field(default_factory=dict)
    output_file: str | None = None
    error_file: str | None = None
    errors: tuple[tuple[str | None, int | None], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LineResult:
    """The result of one line of a batch: a reply, a reply that cannot be read (`error`), or a refusal. A `transient`
    refusal may succeed in another batch."""

    id: str
    reply: ModelReply | None = None
    error: HeadwaterError | None = None
    reason: str = ""
    transient: bool = False


@dataclass
class SummaryFigures:
    """What a round did. `cost` estimates in US dollars what was asked; None if a price is unknown."""

    planned: int = 0
    asked: int = 0
    answered: int = 0
    failed: int = 0
    postponed: int = 0
    batches_sent: int = 0
    batches_ended: int = 0
    stories_updated: int = 0
    cost: float | None = 0.0
