"""Problems, and alarms: what an operator should know about a recipe or a source."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

AlarmKey = tuple[str, str]
"""(kind, subject)"""
MIN_COUNT = 20
"""Fewer items say too little to judge a run by their share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A problem that exists now."""

    kind: str
    subject: str
    name: str
    title: str
    detail: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> AlarmKey:
        return self.kind, self.subject


@dataclass(frozen=True, slots=True)
class AlarmChanges:
    to_raise: tuple[Problem, ...]
    to_clear: frozenset[AlarmKey]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineFigures:
    """What alarm rules check of the newest run: its duration (0 for one of workers that never end), its entries, the pages it
    read, the hosts whose circuit breaker is open, and its stories (`single`: with one article)."""

    duration: timedelta = timedelta(0)
    entries: int = 0
    failed: int = 0
    read: int = 0
    unreadable: int = 0
    open_breakers: tuple[str, ...] = ()
    stories: int = 0
    single: int = 0
