"""When things are due."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.fetch.responses import fresh_until
from headwater.model.schedule import (
    FAILURES_UNTIL_STOP,
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
USUAL = Trigger(every=timedelta(minutes=5))
HOURLY = Trigger(every=timedelta(hours=1))

moments = st.datetimes(min_value=datetime(1990, 1, 1), max_value=datetime(2090, 1, 1), timezones=st.just(UTC))
spans = st.timedeltas(min_value=timedelta(seconds=1), max_value=timedelta(days=30))


def test_r21_due_work_is_noticed_well_within_a_tick_of_15_seconds():
    assert MAX_SLEEP < 15


def test_r23_a_source_without_wishes_follows_the_usual_cadence():
    assert effective_trigger(None, USUAL, {}) == USUAL


def test_a_trigger_of_its_own_comes_before_the_usual_one():
    assert effective_trigger(HOURLY, USUAL, {}) == HOURLY


@pytest.mark.parametrize("given_as", [45, 45.0, "45"])
def test_r24_the_override_in_the_options_comes_first(given_as: object):
    assert effective_trigger(HOURLY, USUAL, {INTERVAL_OPTION: given_as}) == Trigger(
        every=timedelta(seconds=45)
    )
    assert INTERVAL_OPTION == "polling_interval_seconds"


@given(st.one_of(st.floats(-1e6, 1e6), st.integers(-(10**6), 10**6)))
def test_r25_no_interval_is_shorter_than_ten_seconds(seconds: float):
    chosen = effective_trigger(None, USUAL, {INTERVAL_OPTION: seconds})
    assert chosen.every == max(timedelta(seconds=10), timedelta(seconds=seconds))


@given(st.timedeltas(max_value=timedelta(days=1)))
def test_r25_the_floor_holds_for_every_kind_of_trigger(interval: timedelta):
    for chosen in (
        effective_trigger(Trigger(every=interval), USUAL, {}),
        effective_trigger(None, Trigger(every=interval), {}),
    ):
        assert chosen.every is not None
        assert chosen.every >= MIN_INTERVAL == timedelta(seconds=10)


def test_the_floor_leaves_cron_alone():
    assert effective_trigger(Trigger(cron="* * * * *"), USUAL, {}) == Trigger(cron="* * * * *")


def test_r27_backoff_60_to_3600():
    waits = [source_backoff(n).total_seconds() for n in range(1, 10)]
    assert waits == [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]


@given(st.integers(-5, 10**9))
def test_r27_backoff_never_leaves_its_bounds_and_never_shrinks(failures: int):
    assert timedelta(seconds=60) <= source_backoff(failures) <= timedelta(seconds=3600)
    assert source_backoff(failures) <= source_backoff(failures + 1)


def test_r28_a_source_stops_after_ten_failures_in_a_row():
    assert FAILURES_UNTIL_STOP == 10


@given(moments, spans)
def test_r30_an_interval_is_due_when_it_has_passed_since_the_last_look(now: datetime, every: timedelta):
    assert next_poll_at(Trigger(every=every), now) == now + every


@given(moments, spans, spans)
def test_a_sources_wish_for_rest_delays_but_never_hastens(now: datetime, every: timedelta, rest: timedelta):
    due = next_poll_at(Trigger(every=every), now, rest)
    assert due == now + max(every, rest)


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
def test_c9_every_four_hours_on_the_hour_in_utc(now: datetime, due: datetime):
    assert next_poll_at(Trigger(cron="0 */4 * * *"), now) == due


@given(moments)
def test_c9_a_cron_look_is_at_a_full_fourth_hour_in_the_future(now: datetime):
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
def test_g1_a_daily_look_at_four_in_the_morning_utc(now: datetime):
    due = next_poll_at(Trigger(cron="0 4 * * *"), now)
    assert now < due <= now + timedelta(days=1)
    assert (due.hour, due.minute) == (4, 0)


def test_p25_weekly_daily_and_monthly_cadences():
    assert next_poll_at(Trigger(cron="0 3 * * 1"), NOON) == datetime(2026, 11, 16, 3, tzinfo=UTC)
    assert next_poll_at(Trigger(every=timedelta(days=7)), NOON) == NOON + timedelta(days=7)
    assert next_poll_at(Trigger(every=timedelta(days=1)), NOON) == NOON + timedelta(days=1)
    assert next_poll_at(Trigger(cron="0 3 1 * *"), NOON) == datetime(2026, 12, 1, 3, tzinfo=UTC)


def test_a_record_is_tried_again_after_2_4_8_seconds_and_ten_minutes_at_most():
    assert [retry_delay(n).total_seconds() for n in (1, 2, 3)] == [2, 4, 8]
    assert retry_delay(10**6) == MAX_RETRY_DELAY == timedelta(minutes=10)


@pytest.mark.parametrize("told", [{}, {"every": timedelta(1), "cron": "* * * * *"}])
def test_a_trigger_is_either_an_interval_or_a_cron_expression(told: dict):
    with pytest.raises(ValueError, match="either an interval or a cron expression"):
        Trigger(**told)


def test_a_look_that_was_cut_short_goes_on_soon_but_not_at_once():
    now = datetime(2026, 11, 13, 9, tzinfo=UTC)
    trigger = Trigger(every=timedelta(days=7))
    assert next_poll_at(trigger, now, again=timedelta(minutes=5)) == now + timedelta(minutes=5)
    assert next_poll_at(trigger, now, again=timedelta(0)) == now + MIN_INTERVAL


@given(st.one_of(st.none(), st.timedeltas()), spans)
def test_what_a_header_calls_fresh_is_trusted_within_bounds(fresh: timedelta | None, every: timedelta):
    rest = freshness_delay(fresh, Trigger(every=every))
    assert timedelta(0) <= rest <= timedelta(days=1)
    assert rest <= max(timedelta(hours=1), 4 * every)
    assert rest <= max(fresh or timedelta(0), timedelta(0))


def test_a_header_that_lies_costs_four_looks_and_never_the_source():
    forever = timedelta(days=365)
    assert freshness_delay(forever, Trigger(every=timedelta(minutes=5))) == timedelta(hours=1)
    assert freshness_delay(forever, Trigger(every=timedelta(hours=2))) == timedelta(hours=8)
    assert freshness_delay(forever, Trigger(every=timedelta(days=2))) == timedelta(days=1)
    assert freshness_delay(timedelta(minutes=20), Trigger(every=timedelta(minutes=5))) == timedelta(
        minutes=20
    )


def test_named_hours_are_kept_whatever_a_header_says():
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
def test_an_answer_is_taken_at_its_word_for_a_day_at_most(headers: dict[str, str], wait: timedelta):
    assert fresh_until(headers, NOON) == NOON + wait
