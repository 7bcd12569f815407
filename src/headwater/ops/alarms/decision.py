"""Which alarms to raise and which to clear. A problem that persists raises one alarm, many problems with one cause raise one
alarm together, and a problem that comes and goes raises one in six hours."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime, timedelta

from headwater.model.alarm import AlarmChanges, AlarmKey, Problem

GROUP_ABOVE = 5
"""More problems of one kind than this have one cause: they become one alarm."""
QUIET_PERIOD = timedelta(hours=6)
"""A cleared alarm is not raised again before this time."""
NAMES_SHOWN = 20


def decide_alarms(
    problems: Sequence[Problem],
    active: frozenset[AlarmKey],
    cleared: Mapping[AlarmKey, datetime],
    now: datetime,
    muted: AbstractSet[str] = frozenset(),
) -> AlarmChanges:
    """`active` are the alarms that are raised, `cleared` says when others were last cleared. No alarm is raised about a
    subject that is `muted`; one that was raised before stays until its problem ends."""
    by_key = {problem.key: problem for problem in _group([p for p in problems if p.subject not in muted])}
    persisting = {problem.key for problem in problems} | set(by_key)
    new = [key for key in by_key if key not in active and _may_raise(cleared.get(key), now)]
    return AlarmChanges(tuple(by_key[key] for key in sorted(new)), active - persisting)


def _may_raise(cleared: datetime | None, now: datetime) -> bool:
    return cleared is None or now - cleared >= QUIET_PERIOD


def _group(problems: Sequence[Problem]) -> list[Problem]:
    by_kind: dict[str, list[Problem]] = defaultdict(list)
    for problem in problems:
        by_kind[problem.kind].append(problem)
    grouped: list[Problem] = []
    for kind, same_kind in by_kind.items():
        grouped += [_combine(kind, same_kind)] if len(same_kind) > GROUP_ABOVE else same_kind
    return grouped


def _combine(kind: str, problems: Sequence[Problem]) -> Problem:
    names = sorted(problem.name for problem in problems)
    return Problem(
        kind=kind,
        subject="",
        name="",
        title=f"{len(names)} sources: {kind}",
        detail=shown_names(names),
        evidence={"sources": len(names)},
    )


def shown_names(names: Sequence[str]) -> str:
    """The first names, and how many there are besides."""
    more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    return ", ".join(names[:NAMES_SHOWN]) + more
