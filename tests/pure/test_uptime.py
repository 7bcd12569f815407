"""Uptime: the share of a time span that periods of heartbeats cover."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from headwater.model.uptime import DAY, LONGEST_GAP, MONTH, UptimePeriod, measure_uptime

NOW = datetime(2026, 11, 13, 9, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


def period(first: float, last: float) -> UptimePeriod:
    """From so many hours ago until so many hours ago."""
    return UptimePeriod(NOW - first * HOUR, NOW - last * HOUR)


def test_a_gap_of_an_hour_in_a_day():
    uptime = measure_uptime([period(48, 13), period(12, 0)], DAY, NOW)
    assert (uptime.share, uptime.since) == (23 / 24, NOW - DAY)


def test_a_young_installation_is_measured_from_its_first_heartbeat():
    uptime = measure_uptime([period(4, 2), period(1, 0)], MONTH, NOW)
    assert (uptime.share, uptime.since) == (3 / 4, NOW - 4 * HOUR)


def test_without_a_heartbeat_there_is_no_figure():
    assert measure_uptime([], DAY, NOW).share is None


def test_the_current_period_lasts_until_now_and_a_silent_one_does_not():
    live = UptimePeriod(NOW - HOUR, NOW - LONGEST_GAP)
    silent = UptimePeriod(NOW - HOUR, NOW - 2 * LONGEST_GAP)
    assert measure_uptime([live], DAY, NOW).share == 1.0
    assert measure_uptime([silent], DAY, NOW).share == (HOUR - 2 * LONGEST_GAP) / HOUR


@given(st.lists(st.tuples(st.integers(0, 2_000), st.integers(0, 2_000)), min_size=1), st.integers(1, 2_000))
def test_the_share_is_that_of_the_minutes_that_some_period_covers(pairs: list[tuple[int, int]], span: int):
    minute = timedelta(minutes=1)
    periods = [UptimePeriod(NOW - max(pair) * minute, NOW - min(pair) * minute) for pair in pairs]
    uptime = measure_uptime(periods, span * minute, NOW)
    length = min(span, max(max(pair) for pair in pairs))
    covered = {n for pair in pairs for n in range(min(pair), max(pair)) if n < length}
    assert uptime.share is not None
    assert abs(uptime.share - (len(covered) / length if length else 1.0)) < 1e-9
