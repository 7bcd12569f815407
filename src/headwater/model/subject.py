"""Subjects: what documents may be about, and the names by which they are known."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from headwater.model.errors import Refused

MAX_SUBJECT_LENGTH = 64
# how certainly a name of each kind means its subject.
CONFIDENCE_BY_KIND: Mapping[str, float] = {"identifier": 0.9, "legal_name": 0.85, "alias": 0.7, "brand": 0.6}


def check_subject_length(key: str | None) -> str | None:
    """Returns the key. Refuses one that is too long: SQLite would store it, PostgreSQL would reject the whole batch."""
    if key is not None and len(key) > MAX_SUBJECT_LENGTH:
        raise Refused(
            "bad_subject",
            f"the subject '{key[:20]}…' has {len(key)} characters; use at most {MAX_SUBJECT_LENGTH}",
        )
    return key


@dataclass(frozen=True, slots=True, order=True)
class Alias:
    """One name of one subject. `kind` is identifier, legal_name, alias, brand or a recipe's own; a `confidence` other than 0
    overrides that of the kind."""

    text: str
    subject: str
    kind: str = "alias"
    confidence: float = 0.0

    def effective_confidence(self) -> float:
        return self.confidence or CONFIDENCE_BY_KIND.get(self.kind, CONFIDENCE_BY_KIND["alias"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A company, a person or a place, with all its names. An inactive subject is not searched for. `attributes` hold
    whatever else its recipe knows about it."""

    id: str
    name: str
    kind: str = "company"
    active: bool = True
    aliases: tuple[Alias, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_subject_length(self.id)
