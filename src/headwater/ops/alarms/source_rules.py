"""Problems of sources, from the history of their polls and documents."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from headwater.model.alarm import Problem
from headwater.model.schedule import effective_trigger, polling_interval
from headwater.model.source import Trigger
from headwater.ops.alarms.decision import shown_names
from headwater.ops.alarms.quality_drop import QualityDrop, detect_quality_drop
from headwater.ops.alarms.silence import Silence, detect_silence
from headwater.store.reads.source_history import SourceHistory

MIN_POLLS = 20
MIN_SOURCES = 3
FIRST_HOUR = timedelta(hours=1)
MIN_SUCCESS_RATE = 0.95
MAX_QUARANTINED = 50


def recipe_problems(
    statistics: Mapping[str, Mapping[str, Any]], quarantined: int, now: datetime
) -> list[Problem]:
    """Problems of a recipe as a whole, from the polls of the last day by source and the number of records that went into
    quarantine in the last hour. In the first hour every source is polled for the first time, and those that never worked
    are among them: that says nothing about the day."""
    first_at = min((source["first_at"] for source in statistics.values()), default=now)
    polls = sum(source["polls"] for source in statistics.values())
    succeeded = sum(source["succeeded"] for source in statistics.values())
    problems = []
    if now - first_at >= FIRST_HOUR and polls >= MIN_POLLS and succeeded < MIN_SUCCESS_RATE * polls:
        title = f"only {succeeded / polls:.0%} of {polls} polls succeeded"
        problems.append(_recipe_problem("unreliable", title, {"polls": polls, "succeeded": succeeded}))
    if quarantined > MAX_QUARANTINED:
        title = f"{quarantined} records went into quarantine within an hour"
        problems.append(_recipe_problem("quarantine", title, {"records": quarantined}))
    return problems


def _recipe_problem(kind: str, title: str, evidence: Mapping[str, Any]) -> Problem:
    return Problem(kind=kind, subject="", name="", title=title, evidence=evidence)


def source_problems(histories: Sequence[SourceHistory], default: Trigger, now: datetime) -> list[Problem]:
    problems = [problem for history in histories for problem in _problems_of(history, default, now)]
    return [*problems, *_all_failing(histories, now)]


def _all_failing(histories: Sequence[SourceHistory], now: datetime) -> Iterator[Problem]:
    """A source that fails once is nothing; all of them at once is known to an operator before each has failed ten times. A
    muted source does not count: the problem is of the recipe, so that nobody filters it by source later."""
    active = [h.source for h in histories if h.source.active and not is_muted(h, now)]
    if len(active) >= MIN_SOURCES and all(source.failures for source in active):
        title = f"none of the {len(active)} sources could be read"
        names = shown_names(sorted(source.name for source in active))
        evidence = {"sources": len(active)}
        yield Problem(kind="all_failing", subject="", name="", title=title, detail=names, evidence=evidence)


def _problems_of(history: SourceHistory, default: Trigger, now: datetime) -> Iterator[Problem]:
    source = history.source
    if source.stop_reason is not None:
        yield _stopped(history)
    elif source.active:
        if (silence := source_silence(history, default, now)) is not None:
            yield _silent(history, silence)
        if (drop := detect_quality_drop(history.scores)) is not None:
            yield _quality_drop(history, drop)


def is_muted(history: SourceHistory, now: datetime) -> bool:
    return history.muted_until is not None and history.muted_until > now


def poll_interval(history: SourceHistory, default: Trigger, now: datetime) -> timedelta:
    source = history.source
    return polling_interval(effective_trigger(source.trigger, default, source.options), now)


def source_silence(history: SourceHistory, default: Trigger, now: datetime) -> Silence | None:
    """A source that fails is not silent: its polls return nothing."""
    if history.last_seen_at is None or history.last_success_at is None or history.source.failures:
        return None
    return detect_silence(
        history.arrivals, history.last_seen_at, history.last_success_at, poll_interval(history, default, now)
    )


def _stopped(history: SourceHistory) -> Problem:
    source = history.source
    reason = history.error or "no reason"
    return Problem(
        kind="stopped",
        subject=source.id,
        name=source.name,
        title=f"{source.name} was stopped",
        detail=f"{source.stop_reason} ({reason}). It is tried once a day. Fix it, then run `headwater sources reset`.",
        evidence={"failures": source.failures, "error": history.error},
    )


def _silent(history: SourceHistory, silence: Silence) -> Problem:
    return Problem(
        kind="silent",
        subject=history.source.id,
        name=history.source.name,
        title=f"{history.source.name} is silent",
        detail=f"Nothing new for {_hours(silence.duration):g} hours; its rhythm explains "
        f"{_hours(silence.expected):g} hours.",
        evidence={"quiet_hours": _hours(silence.duration), "explained_hours": _hours(silence.expected)},
    )


def _quality_drop(history: SourceHistory, drop: QualityDrop) -> Problem:
    return Problem(
        kind="quality_drop",
        subject=history.source.id,
        name=history.source.name,
        title=f"the quality of {history.source.name} has dropped",
        detail=f"The quality of its newest documents fell from {drop.before:.2f} to {drop.now:.2f}: its pages may "
        "have changed.",
        evidence={
            "before": round(drop.before, 3),
            "now": round(drop.now, 3),
            "z_score": round(drop.z_score, 1),
        },
    )


def _hours(span: timedelta) -> float:
    return round(span / timedelta(hours=1), 1)
