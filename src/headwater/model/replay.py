"""Stored captures read again with the present code: what is compared, and what came of it."""

from dataclasses import dataclass
from enum import StrEnum

from headwater.model.document import Document
from headwater.model.jobs import Draft, Postponement, State


class ReplayVerdict(StrEnum):
    """The new reading beside the stored one."""

    SAME = "same"
    BETTER = "better"
    WORSE = "worse"
    CHANGED = "changed"
    FAILED = "failed"


class ReplayState(StrEnum):
    """How far a replay has come. Nothing is replaced before it is applied."""

    RUNNING = "running"
    PAUSED = "paused"
    REPORTED = "reported"
    APPLYING = "applying"
    APPLIED = "applied"
    DISCARDED = "discarded"


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentOutcome:
    """How a document stands: as it is stored, or as it would be."""

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
    """A document to read again; `revision` is the one it has. `stands` is missing when it moved on and there is nothing to compare with. `original`
    is what a copy is a copy of: read anew beside it, for a copy is recognised by what its original says now."""

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
    """What a replay found out about one document, or when it is tried again. `revision` and `capture` are those that
    were compared: a document that has others by the time of applying moved on."""

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
