from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from headwater.model.subject import fitting


@dataclass(frozen=True, slots=True)
class Trigger:
    """When a source is due: every so often, or by a cron expression in UTC. Exactly one of the two."""

    every: timedelta | None = None
    cron: str | None = None

    def __post_init__(self) -> None:
        if (self.every is None) == (self.cron is None):
            raise ValueError("a trigger has either an interval or a cron expression")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where new things come from: plain data, one row.

    `options` belongs to the kind (selectors, filters, limits); `watermark` is how far the source has been read and
    belongs to the kind as well, but is written by the engine, and only after everything before it is stored.
    """

    id: str
    recipe: str
    kind: str
    name: str
    url: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    trigger: Trigger | None = None
    subject: str | None = None
    credibility: float = 0.5
    active: bool = True
    watermark: Mapping[str, Any] = field(default_factory=dict)
    failures: int = 0
    stopped: str | None = None

    def __post_init__(self) -> None:
        fitting(self.subject)
