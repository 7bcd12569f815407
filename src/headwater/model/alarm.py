"""Alarms: what an operator should know about a recipe or a source."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm:
    """An alarm is stored as a row and then sent to every channel. `subject` is the source it concerns, or "" for the whole
    recipe. Revision 1 raises it, revision 2 clears it."""

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
