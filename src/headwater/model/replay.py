"""Replays: stored captures processed again with the current code, and compared with what is stored."""

from dataclasses import dataclass
from enum import StrEnum

from headwater.model.document import Document
from headwater.model.jobs import Draft, Postponement, State


class ReplayVerdict(StrEnum):
    """How the new outcome compares with the stored one."""

    SAME = "same"
    BETTER = "better"
    WORSE = "worse"
    CHANGED = "changed"
    FAILED = "failed"


class ReplayState(StrEnum):
    """The progress of a replay. Nothing is replaced before it is applied."""

    RUNNING = "running"
    PAUSED = "paused"
    REPORTED = "reported"
    APPLYING = "applying"
    APPLIED = "applied"
    DISCARDED = "discarded"


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentOutcome:
    """The outcome of refining a document: the stored one, or the one the current code gives."""

    state: State
    reason: str = ""
    of: str | None = None
    document: Document | None = None


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """One field that differs, both values shortened. `direction` is 1 where the new value is better, -1 where it is
    worse, 0 where that cannot be said."""

    field: str
    before: str
    after: str
    direction: int = 0


@dataclass(frozen=True, slots=True)
class ReplayItem:
    """A document to process again. `stored_outcome` is None when the document has changed since it was listed, so that
    there is nothing to compare with. `original` is the original of a duplicate: it is processed in the same batch, because
    a duplicate is recognised by the current text of its original."""

    id: str
    revision: int
    draft: Draft
    stored_outcome: DocumentOutcome | None
    original: Draft | None = None

    @property
    def attempts(self) -> int:
        return self.draft.attempts


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayResult:
    """The comparison of one document, or when to try again. `revision` and `capture` are those that were compared: a
    document that has others when the replay is applied is left alone."""

    id: str
    revision: int
    capture: str | None
    verdict: ReplayVerdict = ReplayVerdict.FAILED
    before: State | None = None
    after: State | None = None
    differences: tuple[FieldDifference, ...] = ()
    reason: str = ""
    detail: str = ""
    later: Postponement | None = None
