"""What is wrong with the sources of a recipe, out of what was observed of them."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from headwater.backends.sql.observing import Observed
from headwater.model.source import Trigger
from headwater.pure.alarms import Concern, Rot, Silence, rot, silence
from headwater.pure.schedule import cadence, interval_of

LEAST_LOOKS = 20
LEAST_SUCCESS = 0.95
MOST_SET_APART = 50


def common_concerns(looked: Mapping[str, Mapping[str, Any]], set_apart: int) -> list[Concern]:
    """What is wrong with a recipe as a whole: looks of the last day by source, records set apart in the last hour."""
    count = sum(one["looks"] for one in looked.values())
    well = sum(one["succeeded"] for one in looked.values())
    found = []
    if count >= LEAST_LOOKS and well < LEAST_SUCCESS * count:
        title = f"only {well / count:.0%} of {count} looks at sources succeeded"
        found.append(_common("unreliable", title, {"looks": count, "succeeded": well}))
    if set_apart > MOST_SET_APART:
        title = f"{set_apart} records went into quarantine within an hour"
        found.append(_common("quarantine", title, {"records": set_apart}))
    return found


def _common(kind: str, title: str, evidence: Mapping[str, Any]) -> Concern:
    return Concern(kind=kind, subject="", name="", title=title, evidence=evidence)


def concerns(observed: Sequence[Observed], usual: Trigger, now: datetime) -> list[Concern]:
    return [concern for one in observed for concern in _of(one, usual, now)]


def _of(one: Observed, usual: Trigger, now: datetime) -> Iterator[Concern]:
    source = one.source
    if source.stopped is not None:
        yield Concern(
            kind="stopped",
            subject=source.id,
            name=source.name,
            title=f"{source.name} was stopped",
            detail=f"{source.stopped} ({one.error or 'no reason'}). Mend it, then `headwater sources reset`.",
            evidence={"failures": source.failures, "error": one.error},
        )
        return
    if not source.active:
        return
    if (quiet := quiet_of(one, usual, now)) is not None:
        yield _silent(one, quiet)
    if (falling := rot(one.scores)) is not None:
        yield _rotting(one, falling)


def interval(one: Observed, usual: Trigger, now: datetime) -> timedelta:
    return interval_of(cadence(one.source.trigger, usual, one.source.options), now)


def quiet_of(one: Observed, usual: Trigger, now: datetime) -> Silence | None:
    """A source that fails is not quiet: it is not heard."""
    if one.last_seen_at is None or one.last_success_at is None or one.source.failures:
        return None
    return silence(one.arrivals, one.last_seen_at, one.last_success_at, interval(one, usual, now))


def _silent(one: Observed, quiet: Silence) -> Concern:
    return Concern(
        kind="silent",
        subject=one.source.id,
        name=one.source.name,
        title=f"{one.source.name} is silent",
        detail=f"Nothing new for {_hours(quiet.quiet)}; its rhythm explains {_hours(quiet.explained)}.",
        evidence={"quiet_hours": _number(quiet.quiet), "explained_hours": _number(quiet.explained)},
    )


def _rotting(one: Observed, falling: Rot) -> Concern:
    return Concern(
        kind="rotting",
        subject=one.source.id,
        name=one.source.name,
        title=f"{one.source.name} is read worse than before",
        detail=f"The quality of its newest documents fell from {falling.before:.2f} to {falling.now:.2f}: its pages "
        "may have changed.",
        evidence={
            "before": round(falling.before, 3),
            "now": round(falling.now, 3),
            "surprise": round(falling.surprise, 1),
        },
    )


def _hours(span: timedelta) -> str:
    return f"{_number(span):g} hours"


def _number(span: timedelta) -> float:
    return round(span / timedelta(hours=1), 1)
