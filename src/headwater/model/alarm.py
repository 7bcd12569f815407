from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm:
    """Something an operator should know: a row first, then told on every channel. `subject` is the source it is about,
    or "" for the recipe as a whole. Revision 1 says that it began, revision 2 that it is over."""

    id: str
    recipe: str
    kind: str
    subject: str
    title: str
    detail: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    raised_at: datetime
    cleared_at: datetime | None = None
    revision: int = 1
