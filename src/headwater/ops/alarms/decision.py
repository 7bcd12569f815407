"""Which alarms begin and which are over. Nobody is told twice about what still goes on, nobody gets fifty messages
about one broken line, and what flickers is told once."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

GROUP_ABOVE = 5
"""More concerns of one kind than this have one cause: they become one alarm."""
QUIET_PERIOD = timedelta(hours=6)
"""An alarm that is over does not begin again so soon."""
NAMES_SHOWN = 20

Key = tuple[str, str]
"""(kind, subject)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What is wrong now."""

    kind: str
    subject: str
    name: str
    title: str
    detail: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> Key:
        return self.kind, self.subject


@dataclass(frozen=True, slots=True)
class AlarmChanges:
    begins: tuple[Problem, ...]
    ends: frozenset[Key]


def decide_alarms(
    concerns: Sequence[Problem], standing: frozenset[Key], ended: Mapping[Key, datetime], now: datetime
) -> AlarmChanges:
    """`standing` are the alarms that go on, `ended` when others were over last."""
    wanted = {concern.key: concern for concern in _gathered(concerns)}
    still = {concern.key for concern in concerns} | set(wanted)
    rested = [key for key in wanted if key not in standing and _rested(ended.get(key), now)]
    return AlarmChanges(tuple(wanted[key] for key in sorted(rested)), standing - still)


def _rested(ended: datetime | None, now: datetime) -> bool:
    return ended is None or now - ended >= QUIET_PERIOD


def _gathered(concerns: Sequence[Problem]) -> list[Problem]:
    by_kind: dict[str, list[Problem]] = defaultdict(list)
    for concern in concerns:
        by_kind[concern.kind].append(concern)
    return [
        one
        for kind, some in by_kind.items()
        for one in ([_all(kind, some)] if len(some) > GROUP_ABOVE else some)
    ]


def _all(kind: str, concerns: Sequence[Problem]) -> Problem:
    names = sorted(concern.name for concern in concerns)
    more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    return Problem(
        kind=kind,
        subject="",
        name="",
        title=f"{len(names)} sources: {kind}",
        detail=", ".join(names[:NAMES_SHOWN]) + more,
        evidence={"sources": len(names)},
    )
