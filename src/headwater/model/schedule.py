"""When things are due. Everything in UTC; the time is handed in."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from cronsim import CronSim

from headwater.model.source import Trigger

MIN_INTERVAL = timedelta(seconds=10)
FIRST_BACKOFF = timedelta(seconds=60)
MAX_BACKOFF = timedelta(seconds=3600)
FAILURES_UNTIL_STOP = 10
INTERVAL_OPTION = "polling_interval_seconds"

# A header may lie. What it costs then is a few looks, never the source.
MIN_FRESHNESS_LIMIT = timedelta(hours=1)
MAX_FRESHNESS_LIMIT = timedelta(days=1)
_TRUSTED_PAUSES = 4

FIRST_RETRY = timedelta(seconds=2)
MAX_RETRY_DELAY = timedelta(minutes=10)


def effective_trigger(own: Trigger | None, usual: Trigger, options: Mapping[str, Any]) -> Trigger:
    """The override in the options first, then the source's own trigger, then the usual one; never under the floor."""
    override = options.get(INTERVAL_OPTION)
    chosen = Trigger(every=timedelta(seconds=float(override))) if override is not None else own or usual
    if chosen.every is not None and chosen.every < MIN_INTERVAL:
        return Trigger(every=MIN_INTERVAL)
    return chosen


def next_poll_at(
    trigger: Trigger,
    now: datetime,
    after: timedelta | None = None,
    again: timedelta | None = None,
    within: timedelta | None = None,
) -> datetime:
    """When a source that was read just now is due again; `after` is the source's own wish for rest, which comes before
    `within`, by when something would be missed; `again` comes from a look that was cut short and is to go on."""
    if again is not None:
        return now + max(again, MIN_INTERVAL)
    if trigger.every is not None:
        due = now + trigger.every
    else:
        due = next(CronSim(str(trigger.cron), now.astimezone(UTC)))
    if within is not None:
        due = min(due, now + max(within, MIN_INTERVAL))
    return max(due, now + after) if after is not None else due


def polling_interval(trigger: Trigger, now: datetime) -> timedelta:
    """How long it is from one look to the next, about now."""
    if trigger.every is not None:
        return trigger.every
    times = CronSim(str(trigger.cron), now.astimezone(UTC))
    first, second = next(times), next(times)
    return second - first


def freshness_delay(fresh: timedelta | None, usual: Trigger) -> timedelta:
    """How long an answer that calls itself fresh puts off the next look: at most four of the usual pauses, though an
    hour is always granted and more than a day never. Whoever names the hours by cron means them."""
    if fresh is None or usual.every is None:
        return timedelta(0)
    most = max(_TRUSTED_PAUSES * min(usual.every, MAX_FRESHNESS_LIMIT), MIN_FRESHNESS_LIMIT)
    return min(max(fresh, timedelta(0)), most, MAX_FRESHNESS_LIMIT)


def source_backoff(failures: int) -> timedelta:
    """The wait after the n-th failure in a row: 60 s doubled each time, an hour at most."""
    return min(FIRST_BACKOFF * (1 << min(max(failures, 1) - 1, 20)), MAX_BACKOFF)


def retry_delay(attempts: int) -> timedelta:
    """The wait before a record is tried again: 2, 4, 8 … seconds, ten minutes at most."""
    return min(FIRST_RETRY * (1 << min(max(attempts, 1) - 1, 20)), MAX_RETRY_DELAY)
