"""Limits for the runs of a pipeline. Each rule has a limit for a warning and one for a critical alarm. A share counts only
from a minimum number of items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from headwater.model.alarm import MIN_COUNT, PipelineFigures, Problem
from headwater.ops.alarms.decision import shown_names

HOUR = timedelta(hours=1)
SCATTERED = "scattered"


@dataclass(frozen=True, slots=True)
class AlarmLimit:
    kind: str
    warning: float
    critical: float
    title: str


# G-25
LIMITS: Sequence[AlarmLimit] = (
    AlarmLimit("slow_run", 2, 4, "the run has taken {0:.1f} hours"),
    AlarmLimit("failing", 0.10, 0.25, "{0:.0%} of the entries failed"),
    AlarmLimit("unreadable", 0.15, 0.30, "{0:.0%} of the pages could not be read"),
    AlarmLimit("breakers", 5, 15, "{0:.0f} hosts are not fetched because they failed"),
    AlarmLimit(SCATTERED, 0.80, 0.95, "{0:.0%} of the stories have a single article"),
)


def pipeline_problems(figures: PipelineFigures, *, warns_if_scattered: bool = False) -> list[Problem]:
    """One problem for each limit that is exceeded. A critical one has a kind of its own, so that it raises another alarm.
    Stories with a single article are a problem only of a recipe whose sources report the same events."""
    values = _values(figures)
    limits = [limit for limit in LIMITS if warns_if_scattered or limit.kind != SCATTERED]
    details = {"breakers": shown_names(figures.open_breakers)}
    problems = (_check(limit, values[limit.kind], details.get(limit.kind, "")) for limit in limits)
    return [problem for problem in problems if problem is not None]


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
        "slow_run": figures.duration / HOUR,
        "failing": _share(figures.failed, figures.entries),
        "unreadable": _share(figures.unreadable, figures.read),
        "breakers": len(figures.open_breakers),
        SCATTERED: _share(figures.single, figures.stories),
    }


def _share(part: int, total: int) -> float:
    return part / total if total >= MIN_COUNT else 0.0


def _check(limit: AlarmLimit, value: float, detail: str) -> Problem | None:
    if value <= limit.warning:
        return None
    critical = value > limit.critical
    return Problem(
        kind=f"{limit.kind}_critical" if critical else limit.kind,
        subject="",
        name="",
        title=limit.title.format(value),
        detail=detail,
        evidence={"value": round(value, 4), "limit": limit.critical if critical else limit.warning},
    )


def silent_subjects(last_seen: Mapping[str, datetime], limit: timedelta, now: datetime) -> tuple[str, ...]:
    """Subjects without a new entry for longer than the limit. A subject that never had one is not listed."""
    return tuple(sorted(name for name, moment in last_seen.items() if now - moment > limit))
