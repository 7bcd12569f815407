"""When sources and records are due. All times are in UTC, and the current time is an argument."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from cronsim import CronSim

from headwater.model.source import Trigger

MIN_INTERVAL = timedelta(seconds=10)
FIRST_BACKOFF = timedelta(seconds=60)
MAX_BACKOFF = timedelta(seconds=3600)
FAILURES_UNTIL_STOP = 10
STOPPED_RETRY = timedelta(days=1)
INTERVAL_OPTION = "polling_interval_seconds"

# A caching header may be wrong. These limits make sure that it delays a few polls at most.
MIN_FRESHNESS_LIMIT = timedelta(hours=1)
MAX_FRESHNESS_LIMIT = timedelta(days=1)
_FRESHNESS_INTERVALS = 4

FIRST_RETRY = timedelta(seconds=2)
MAX_RETRY_DELAY = timedelta(minutes=10)


def effective_trigger(own: Trigger | None, default: Trigger, options: Mapping[str, Any]) -> Trigger:
    """Returns the interval in the options, else the source's own trigger, else the default; at least the minimum."""
    interval = options.get(INTERVAL_OPTION)
    trigger = own or default if interval is None else Trigger(every=timedelta(seconds=float(interval)))
    if trigger.every is not None and trigger.every < MIN_INTERVAL:
        return Trigger(every=MIN_INTERVAL)
    return trigger


def has_own_interval(own: Trigger | None, options: Mapping[str, Any]) -> bool:
    """Whether a person said how often this very source is polled. Then neither its habits nor its wishes change that."""
    return own is not None or options.get(INTERVAL_OPTION) is not None


def next_poll_at(
    trigger: Trigger,
    now: datetime,
    after: timedelta | None = None,
    again: timedelta | None = None,
    within: timedelta | None = None,
) -> datetime:
    """Returns when a source that was polled just now is due again. `after` is the minimum pause the source asks for; it
    wins over `within`, the maximum pause before entries would be missed. `again` comes from a poll that was cut short and
    must be resumed."""
    if again is not None:
        return now + max(again, MIN_INTERVAL)
    if trigger.every is not None:
        due_at = now + trigger.every
    else:
        due_at = next(CronSim(str(trigger.cron), now.astimezone(UTC)))
    if within is not None:
        due_at = min(due_at, now + max(within, MIN_INTERVAL))
    return max(due_at, now + after) if after is not None else due_at


def polling_interval(trigger: Trigger, now: datetime) -> timedelta:
    """Returns the time from one poll to the next; for a cron expression, between the next two."""
    if trigger.every is not None:
        return trigger.every
    times = CronSim(str(trigger.cron), now.astimezone(UTC))
    first, second = next(times), next(times)
    return second - first


def freshness_delay(fresh_for: timedelta | None, trigger: Trigger) -> timedelta:
    """Returns how long a response that declares itself fresh delays the next poll: at most four intervals, but an hour is
    always allowed and a day is the maximum. A cron expression is never delayed: its times are deliberate."""
    if fresh_for is None or trigger.every is None:
        return timedelta(0)
    limit = max(_FRESHNESS_INTERVALS * min(trigger.every, MAX_FRESHNESS_LIMIT), MIN_FRESHNESS_LIMIT)
    return min(max(fresh_for, timedelta(0)), limit, MAX_FRESHNESS_LIMIT)


def source_backoff(failures: int) -> timedelta:
    """Returns the pause after the n-th failure in a row: 60 s, doubled each time, an hour at most."""
    return min(FIRST_BACKOFF * (1 << min(max(failures, 1) - 1, 20)), MAX_BACKOFF)


def retry_delay(attempts: int) -> timedelta:
    """Returns the pause before a record is tried again: 2, 4, 8 … seconds, ten minutes at most."""
    return min(FIRST_RETRY * (1 << min(max(attempts, 1) - 1, 20)), MAX_RETRY_DELAY)
