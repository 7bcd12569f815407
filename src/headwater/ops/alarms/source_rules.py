"""What is wrong with the sources of a recipe, out of what was observed of them."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from headwater.model.schedule import effective_trigger, polling_interval
from headwater.model.source import Trigger
from headwater.ops.alarms.decision import Problem
from headwater.ops.alarms.quality_drop import QualityDrop, detect_quality_drop
from headwater.ops.alarms.silence import Silence, detect_silence
from headwater.store.reads.source_history import SourceHistory

MIN_POLLS = 20
MIN_SUCCESS_RATE = 0.95
MAX_QUARANTINED = 50


def recipe_problems(looked: Mapping[str, Mapping[str, Any]], set_apart: int) -> list[Problem]:
    """What is wrong with a recipe as a whole: looks of the last day by source, records set apart in the last hour."""
    count = sum(one["looks"] for one in looked.values())
    well = sum(one["succeeded"] for one in looked.values())
    found = []
    if count >= MIN_POLLS and well < MIN_SUCCESS_RATE * count:
        title = f"only {well / count:.0%} of {count} looks at sources succeeded"
        found.append(_common("unreliable", title, {"looks": count, "succeeded": well}))
    if set_apart > MAX_QUARANTINED:
        title = f"{set_apart} records went into quarantine within an hour"
        found.append(_common("quarantine", title, {"records": set_apart}))
    return found


def _common(kind: str, title: str, evidence: Mapping[str, Any]) -> Problem:
    return Problem(kind=kind, subject="", name="", title=title, evidence=evidence)


def source_problems(observed: Sequence[SourceHistory], usual: Trigger, now: datetime) -> list[Problem]:
    return [concern for one in observed for concern in _of(one, usual, now)]


def _of(one: SourceHistory, usual: Trigger, now: datetime) -> Iterator[Problem]:
    source = one.source
    if source.stopped is not None:
        yield Problem(
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
    if (quiet := source_silence(one, usual, now)) is not None:
        yield _silent(one, quiet)
    if (falling := detect_quality_drop(one.scores)) is not None:
        yield _rotting(one, falling)


def poll_interval(one: SourceHistory, usual: Trigger, now: datetime) -> timedelta:
    return polling_interval(effective_trigger(one.source.trigger, usual, one.source.options), now)


def source_silence(one: SourceHistory, usual: Trigger, now: datetime) -> Silence | None:
    """A source that fails is not quiet: it is not heard."""
    if one.last_seen_at is None or one.last_success_at is None or one.source.failures:
        return None
    return detect_silence(one.arrivals, one.last_seen_at, one.last_success_at, poll_interval(one, usual, now))


def _silent(one: SourceHistory, quiet: Silence) -> Problem:
    return Problem(
        kind="silent",
        subject=one.source.id,
        name=one.source.name,
        title=f"{one.source.name} is silent",
        detail=f"Nothing new for {_hours(quiet.quiet)}; its rhythm explains {_hours(quiet.explained)}.",
        evidence={"quiet_hours": _number(quiet.quiet), "explained_hours": _number(quiet.explained)},
    )


def _rotting(one: SourceHistory, falling: QualityDrop) -> Problem:
    return Problem(
        kind="quality_drop",
        subject=one.source.id,
        name=one.source.name,
        title=f"{one.source.name} is read worse than before",
        detail=f"The quality of its newest documents fell from {falling.before:.2f} to {falling.now:.2f}: its pages "
        "may have changed.",
        evidence={
            "before": round(falling.before, 3),
            "now": round(falling.now, 3),
            "z_score": round(falling.z_score, 1),
        },
    )


def _hours(span: timedelta) -> str:
    return f"{_number(span):g} hours"


def _number(span: timedelta) -> float:
    return round(span / timedelta(hours=1), 1)
