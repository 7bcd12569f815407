"""Stories: clusters of documents about one event."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from headwater.model.document import FactValue


@dataclass(frozen=True, slots=True)
class Member:
    """A document's place in a story."""

    document: str
    similarity: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A cluster of the documents of one group. It keeps its id when the group is clustered again."""

    id: str
    recipe: str
    group: str
    title: str
    members: tuple[Member, ...]
    summary: str = ""
    first_at: datetime | None = None
    last_at: datetime | None = None
    score: float | None = None
    revision: int = 1
    attributes: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, FactValue] = field(default_factory=dict)
