"""How a pipeline's runs should look, and when they look so bad that somebody must know.

Every rule has two marks: beyond the first it is a warning, beyond the second it is critical. A rate of few things says
nothing, so each needs a least number to be taken of.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from headwater.ops.alarms.decision import Problem

HOUR = timedelta(hours=1)
MIN_COUNT = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineFigures:
    """What is counted: how long the present or last run has taken, what became of its entries, how many hosts are not
    asked because they failed, and how many of its stories have one article only."""

    lasted: timedelta = timedelta(0)
    entries: int = 0
    failed: int = 0
    read: int = 0
    unreadable: int = 0
    breakers: int = 0
    stories: int = 0
    single: int = 0


@dataclass(frozen=True, slots=True)
class AlarmLimit:
    kind: str
    warning: float
    critical: float
    words: str


# G-25
LIMITS: Sequence[AlarmLimit] = (
    AlarmLimit("slow_run", 2, 4, "the run has taken {0:.1f} hours"),
    AlarmLimit("failing", 0.10, 0.25, "{0:.0%} of the entries failed"),
    AlarmLimit("unreadable", 0.15, 0.30, "{0:.0%} of the pages could not be read"),
    AlarmLimit("breakers", 5, 15, "{0:.0f} hosts are not asked because they failed"),
    AlarmLimit("scattered", 0.80, 0.95, "{0:.0%} of the stories have a single article"),
)


def pipeline_problems(figures: PipelineFigures | None) -> list[Problem]:
    """One concern per rule that is broken; a critical one is of another kind, so that it is told anew."""
    if figures is None:
        return []
    values = _values(figures)
    return [concern for limit in LIMITS if (concern := _judged(limit, values[limit.kind])) is not None]


def silent_subject_problem(key: str, name: str, since: datetime) -> Problem:
    return Problem(
        kind="silent_subject",
        subject=key,
        name=name,
        title=f"nothing new about {name}",
        detail=f"The last entry came at {since:%Y-%m-%d %H:%M} UTC.",
        evidence={"last_seen": since.isoformat()},
    )


def _values(figures: PipelineFigures) -> Mapping[str, float]:
    return {
        "slow_run": figures.lasted / HOUR,
        "failing": _share(figures.failed, figures.entries),
        "unreadable": _share(figures.unreadable, figures.read),
        "breakers": figures.breakers,
        "scattered": _share(figures.single, figures.stories),
    }


def _share(some: int, every: int) -> float:
    return some / every if every >= MIN_COUNT else 0.0


def _judged(limit: AlarmLimit, value: float) -> Problem | None:
    if value <= limit.warning:
        return None
    critical = value > limit.critical
    return Problem(
        kind=f"{limit.kind}_critical" if critical else limit.kind,
        subject="",
        name="",
        title=limit.words.format(value),
        evidence={"value": round(value, 4), "limit": limit.critical if critical else limit.warning},
    )


def silent_subjects(last_seen: Mapping[str, datetime], limit: timedelta, now: datetime) -> tuple[str, ...]:
    """Those of whom nothing came for too long; one that never had an entry is not silent, but unknown."""
    return tuple(sorted(name for name, moment in last_seen.items() if now - moment > limit))
