"""What the ladder is given and what it answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

Answer = Literal["duplicate", "related", "new"]

UNDATED = datetime.max.replace(tzinfo=UTC)
"""Whoever says no date is taken to come after those who do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """`published_at` carries a zone; None means that nobody said."""

    id: str
    body: str
    title: str = ""
    url: str = ""
    guid: str = ""
    publisher: str = ""
    published_at: datetime | None = None


def age(article: Article) -> tuple[datetime, str]:
    """Sorts articles from the earliest to the latest, always in the same way."""
    return article.published_at or UNDATED, article.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the later of two articles is to a reader who has seen the earlier one, and why."""

    answer: Answer
    rule: str
    score: float
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """`duplicate_of` is the earliest original of the group, never another copy."""

    id: str
    duplicate_of: str | None = None
    related_to: tuple[str, ...] = ()
    rule: str = ""
    score: float = 0.0
    evidence: Mapping[str, Any] = field(default_factory=dict)
