"""How reliable sources are: polls, response times, rhythm and quality, and what is remarkable."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from headwater.app import App
from headwater.ops.alarms.quality_drop import detect_quality_drop
from headwater.ops.alarms.settlement import default_trigger
from headwater.ops.alarms.silence import expected_quiet
from headwater.ops.alarms.source_rules import is_muted, poll_interval, source_silence
from headwater.store.reads.source_history import SourceHistory, poll_statistics, source_histories


def source_reports(
    app: App, since: datetime, recipe: str | None = None, ids: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    """One for each source, by recipe and name."""
    engine = app.store.engine
    statistics = poll_statistics(engine, since, recipe, ids)
    return [
        _report(app, history, statistics.get(history.source.id, {}))
        for history in source_histories(engine, recipe, ids)
    ]


def _report(app: App, history: SourceHistory, statistics: dict[str, Any]) -> dict[str, Any]:
    trigger, now = default_trigger(app, history.source.recipe), app.clock()
    longest_gap = expected_quiet(history.arrivals, poll_interval(history, trigger, now))
    polls = statistics.get("polls", 0)
    return {
        "id": history.source.id,
        "recipe": history.source.recipe,
        "name": history.source.name,
        "url": history.source.url,
        "polls": polls,
        "succeeded": statistics.get("succeeded", 0),
        "reliability": round(statistics["succeeded"] / polls, 4) if polls else None,
        "mean_ms": statistics.get("mean_ms"),
        "slowest_ms": statistics.get("slowest_ms"),
        "found": statistics.get("found", 0),
        "new": statistics.get("new", 0),
        "last_success_at": history.last_success_at,
        "last_seen_at": history.last_seen_at,
        "explained_seconds": None if longest_gap is None else longest_gap.total_seconds(),
        "quality": round(sum(history.scores) / len(history.scores), 3) if history.scores else None,
        "failures": history.source.failures,
        "muted_until": history.muted_until if is_muted(history, now) else None,
        "remark": _remark(history, app, now),
    }


def _remark(history: SourceHistory, app: App, now: datetime) -> str:
    if history.source.stop_reason:
        return "stopped"
    if not history.source.active:
        return "paused"
    if history.source.failures:
        return f"failing x{history.source.failures}"
    if source_silence(history, default_trigger(app, history.source.recipe), now) is not None:
        return "silent"
    return "read worse than before" if detect_quality_drop(history.scores) is not None else ""
