"""What is wrong with the sources of a recipe, out of what was observed of them."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from headwater.backends.sql.observing import Observed
from headwater.model.source import Trigger
from headwater.pure.alarms import Concern, Rot, Silence, rot, silence
from headwater.pure.schedule import cadence, interval_of


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
