"""Uptime: the share of a time span in which at least one worker process gave heartbeats."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

# Heartbeats come every ten seconds. After a longer gap than this, nothing was alive in between.
LONGEST_GAP = timedelta(seconds=30)
DAY, MONTH = timedelta(days=1), timedelta(days=30)


@dataclass(frozen=True, slots=True)
class UptimePeriod:
    """A time without a longer gap between heartbeats."""

    started_at: datetime
    ended_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Uptime:
    """`share` is None before the first heartbeat. `since` is the beginning of the span: an installation that is younger than the
    span is measured from its first heartbeat."""

    share: float | None
    since: datetime | None


def measure_uptime(periods: Sequence[UptimePeriod], span: timedelta, now: datetime) -> Uptime:
    """The current period lasts until now if its last heartbeat is recent."""
    if not periods:
        return Uptime(share=None, since=None)
    since = max(now - span, min(period.started_at for period in periods))
    if since >= now:
        return Uptime(share=1.0, since=since)
    time_up = timedelta()
    end = since
    for period in sorted(_until_now(periods, now), key=lambda period: period.started_at):
        time_up += max(min(period.ended_at, now) - max(period.started_at, end), timedelta())
        end = max(end, period.ended_at)
    return Uptime(share=time_up / (now - since), since=since)


def _until_now(periods: Sequence[UptimePeriod], now: datetime) -> Iterable[UptimePeriod]:
    for period in periods:
        is_current = now - LONGEST_GAP <= period.ended_at < now
        yield UptimePeriod(period.started_at, now if is_current else period.ended_at)
