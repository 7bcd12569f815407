"""Sources and records become due at the right time."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.fetch.responses import fresh_until
from headwater.model.schedule import (
    INTERVAL_OPTION,
    MAX_RETRY_DELAY,
    MIN_INTERVAL,
    effective_trigger,
    freshness_delay,
    next_poll_at,
    retry_delay,
    source_backoff,
)
from headwater.model.source import Trigger
from headwater.runtime.worker_loop import MAX_SLEEP

NOON = datetime(2026, 11, 13, 12, 0, tzinfo=UTC)
DEFAULT = Trigger(every=timedelta(minutes=5))
HOURLY = Trigger(every=timedelta(hours=1))

moments = st.datetimes(min_value=datetime(1990, 1, 1), max_value=datetime(2090, 1, 1), timezones=st.just(UTC))
spans = st.timedeltas(min_value=timedelta(seconds=1), max_value=timedelta(days=30))


def test_r21_due_work_is_noticed_well_within_a_tick_of_15_seconds():
    assert MAX_SLEEP < 15


def test_r23_a_source_without_a_trigger_follows_the_default():
    assert effective_trigger(None, DEFAULT, {}) == DEFAULT


def test_a_trigger_of_its_own_wins_over_the_default():
    assert effective_trigger(HOURLY, DEFAULT, {}) == HOURLY


@pytest.mark.parametrize("interval", [45, 45.0, "45"])
def test_r24_the_interval_in_the_options_comes_first(interval: object):
    assert effective_trigger(HOURLY, DEFAULT, {INTERVAL_OPTION: interval}) == Trigger(
        every=timedelta(seconds=45)
    )
    assert INTERVAL_OPTION == "polling_interval_seconds"


@given(st.one_of(st.floats(-1e6, 1e6), st.integers(-(10**6), 10**6)))
def test_r25_no_interval_is_shorter_than_ten_seconds(seconds: float):
    trigger = effective_trigger(None, DEFAULT, {INTERVAL_OPTION: seconds})
    assert trigger.every == max(timedelta(seconds=10), timedelta(seconds=seconds))


@given(st.timedeltas(max_value=timedelta(days=1)))
def test_r25_the_minimum_interval_holds_for_every_trigger(interval: timedelta):
    for trigger in (
        effective_trigger(Trigger(every=interval), DEFAULT, {}),
        effective_trigger(None, Trigger(every=interval), {}),
    ):
        assert trigger.every is not None
        assert trigger.every >= MIN_INTERVAL == timedelta(seconds=10)


def test_the_minimum_interval_does_not_change_cron():
    assert effective_trigger(Trigger(cron="* * * * *"), DEFAULT, {}) == Trigger(cron="* * * * *")


def test_r27_backoff_grows_from_60_to_3600_seconds():
    pauses = [source_backoff(n).total_seconds() for n in range(1, 10)]
    assert pauses == [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]


@given(st.integers(-5, 10**9))
def test_r27_backoff_never_leaves_its_bounds_and_never_shrinks(failures: int):
    assert timedelta(seconds=60) <= source_backoff(failures) <= timedelta(seconds=3600)
    assert source_backoff(failures) <= source_backoff(failures + 1)


@given(moments, spans)
def test_r30_an_interval_is_due_when_it_has_passed_since_the_last_poll(now: datetime, every: timedelta):
    assert next_poll_at(Trigger(every=every), now) == now + every


@given(moments, spans, spans)
def test_the_minimum_pause_of_a_source_delays_but_never_hastens(
    now: datetime, every: timedelta, pause: timedelta
):
    due = next_poll_at(Trigger(every=every), now, pause)
    assert due == now + max(every, pause)


@pytest.mark.parametrize(
    ("now", "due"),
    [
        (datetime(2026, 11, 13, 0, 0, 0, 1, tzinfo=UTC), datetime(2026, 11, 13, 4, tzinfo=UTC)),
        (datetime(2026, 11, 13, 3, 59, 59, tzinfo=UTC), datetime(2026, 11, 13, 4, tzinfo=UTC)),
        (datetime(2026, 11, 13, 4, 0, tzinfo=UTC), datetime(2026, 11, 13, 8, tzinfo=UTC)),
        (datetime(2026, 11, 13, 23, 30, tzinfo=UTC), datetime(2026, 11, 14, 0, tzinfo=UTC)),
        (
            datetime(2026, 11, 13, 23, 30, tzinfo=timezone(timedelta(hours=-5))),
            datetime(2026, 11, 14, 8, tzinfo=UTC),
        ),
    ],
)
def test_c9_a_cron_poll_is_every_four_hours_on_the_hour_in_utc(now: datetime, due: datetime):
    assert next_poll_at(Trigger(cron="0 */4 * * *"), now) == due


@given(moments)
def test_c9_a_cron_poll_is_at_a_full_fourth_hour_in_the_future(now: datetime):
    due = next_poll_at(Trigger(cron="0 */4 * * *"), now)
    assert now < due <= now + timedelta(hours=4)
    assert (due.hour % 4, due.minute, due.second, due.microsecond, due.utcoffset()) == (
        0,
        0,
        0,
        0,
        timedelta(0),
    )


@given(moments)
def test_g1_a_daily_poll_is_due_at_four_in_the_morning_utc(now: datetime):
    due = next_poll_at(Trigger(cron="0 4 * * *"), now)
    assert now < due <= now + timedelta(days=1)
    assert (due.hour, due.minute) == (4, 0)


def test_p25_sources_may_be_polled_daily_weekly_or_monthly():
    assert next_poll_at(Trigger(cron="0 3 * * 1"), NOON) == datetime(2026, 11, 16, 3, tzinfo=UTC)
    assert next_poll_at(Trigger(every=timedelta(days=7)), NOON) == NOON + timedelta(days=7)
    assert next_poll_at(Trigger(every=timedelta(days=1)), NOON) == NOON + timedelta(days=1)
    assert next_poll_at(Trigger(cron="0 3 1 * *"), NOON) == datetime(2026, 12, 1, 3, tzinfo=UTC)


def test_a_record_is_tried_again_after_2_4_8_seconds_and_ten_minutes_at_most():
    assert [retry_delay(n).total_seconds() for n in (1, 2, 3)] == [2, 4, 8]
    assert retry_delay(10**6) == MAX_RETRY_DELAY == timedelta(minutes=10)


@pytest.mark.parametrize("arguments", [{}, {"every": timedelta(1), "cron": "* * * * *"}])
def test_a_trigger_is_either_an_interval_or_a_cron_expression(arguments: dict):
    with pytest.raises(ValueError, match="either an interval or a cron expression"):
        Trigger(**arguments)


def test_a_poll_that_was_cut_short_resumes_soon_but_not_at_once():
    now = datetime(2026, 11, 13, 9, tzinfo=UTC)
    trigger = Trigger(every=timedelta(days=7))
    assert next_poll_at(trigger, now, again=timedelta(minutes=5)) == now + timedelta(minutes=5)
    assert next_poll_at(trigger, now, again=timedelta(0)) == now + MIN_INTERVAL


@given(st.one_of(st.none(), st.timedeltas()), spans)
def test_caching_headers_delay_a_poll_within_limits(fresh: timedelta | None, every: timedelta):
    pause = freshness_delay(fresh, Trigger(every=every))
    assert timedelta(0) <= pause <= timedelta(days=1)
    assert pause <= max(timedelta(hours=1), 4 * every)
    assert pause <= max(fresh or timedelta(0), timedelta(0))


def test_caching_headers_delay_a_poll_by_an_hour_or_four_intervals_and_a_day_at_most():
    forever = timedelta(days=365)
    assert freshness_delay(forever, Trigger(every=timedelta(minutes=5))) == timedelta(hours=1)
    assert freshness_delay(forever, Trigger(every=timedelta(hours=2))) == timedelta(hours=8)
    assert freshness_delay(forever, Trigger(every=timedelta(days=2))) == timedelta(days=1)
    assert freshness_delay(timedelta(minutes=20), Trigger(every=timedelta(minutes=5))) == timedelta(
        minutes=20
    )


def test_cron_times_do_not_depend_on_headers():
    assert freshness_delay(timedelta(days=365), Trigger(cron="0 */4 * * *")) == timedelta(0)


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"Cache-Control": "max-age=600"}, timedelta(minutes=10)),
        ({"Cache-Control": "max-age=99999999"}, timedelta(days=1)),
        ({"Expires": "Fri, 13 Nov 2026 12:30:00 GMT"}, timedelta(minutes=30)),
        ({"Expires": "0"}, timedelta(0)),
        ({"Cache-Control": "no-cache, max-age=600"}, timedelta(0)),
        ({}, timedelta(0)),
    ],
)
def test_caching_headers_say_how_long_a_response_is_fresh_and_a_day_at_most(
    headers: dict[str, str], wait: timedelta
):
    assert fresh_until(headers, NOON) == NOON + wait
