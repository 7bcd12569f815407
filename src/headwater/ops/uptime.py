"""How long this installation was at work, from the heartbeats of its processes."""

from typing import Any

from headwater.app import App
from headwater.model.uptime import DAY, MONTH, Uptime, measure_uptime
from headwater.store.changes.workers import database_time
from headwater.store.connect import read_transaction

UNKNOWN = Uptime(share=None, since=None)


def uptime_report(app: App, *, is_available: bool = True) -> dict[str, Any]:
    """The share of the last 24 hours and 30 days, and a line for people."""
    day, month = UNKNOWN, UNKNOWN
    if is_available:
        periods = app.uptime.periods()
        with read_transaction(app.engine) as connection:
            now = database_time(connection, app.clock())
        day, month = (measure_uptime(periods, span, now) for span in (DAY, MONTH))
    return {
        "last_24_hours": _rounded(day),
        "last_30_days": _rounded(month),
        "since": month.since.isoformat() if month.since else None,
        "line": _line(day, month),
    }


def _rounded(uptime: Uptime) -> float | None:
    return None if uptime.share is None else round(uptime.share, 6)


def _line(day: Uptime, month: Uptime) -> str:
    if day.share is None or month.share is None or month.since is None:
        return "uptime: no process has given a heartbeat yet"
    since = f" (since {month.since:%Y-%m-%d %H:%M} UTC)"
    return f"uptime: {day.share:.3%} of the last 24 hours, {month.share:.3%} of the last 30 days{since}"
