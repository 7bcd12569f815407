"""How often a source publishes, and the poll intervals that follow."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from headwater.model.schedule import next_poll_at
from headwater.model.source import Trigger
from headwater.sources.update_frequency import (
    LONGEST_MIN_INTERVAL,
    SHORTEST_MAX_INTERVAL,
    UpdateFrequency,
    learn_frequency,
    max_poll_interval,
    min_poll_interval,
)

START = datetime(2026, 11, 1, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
moments = st.lists(st.integers(0, 10_000_000).map(lambda s: START + timedelta(seconds=s)), max_size=60)


def regular(step: timedelta, count: int = 20) -> list[datetime]:
    return [START + step * number for number in range(count)]


def test_c7_a_regular_source_has_the_frequency_of_its_entries():
    frequency = learn_frequency(regular(3 * HOUR))
    assert frequency == UpdateFrequency(every=3 * HOUR, quiet=3 * HOUR, window=57 * HOUR, entries=20)


def test_c7_a_slow_source_has_a_longer_interval_and_a_quick_one_does_not():
    assert min_poll_interval(learn_frequency(regular(DAY))) == 4 * HOUR
    assert min_poll_interval(learn_frequency(regular(30 * DAY))) == LONGEST_MIN_INTERVAL
    assert min_poll_interval(learn_frequency(regular(HOUR))) is None
    assert min_poll_interval(None) is None


def test_c7_a_source_is_polled_before_its_entries_drop_out():
    busy = learn_frequency(regular(timedelta(minutes=4)))
    assert max_poll_interval(busy) == timedelta(minutes=38)
    four_hours = Trigger(cron="0 */4 * * *")
    assert next_poll_at(four_hours, START, within=max_poll_interval(busy)) == START + timedelta(minutes=38)
    assert next_poll_at(four_hours, START, within=9 * HOUR) == START + 4 * HOUR
    assert next_poll_at(four_hours, START, HOUR, within=timedelta(minutes=38)) == START + HOUR


def test_few_entries_do_not_change_the_frequency():
    assert learn_frequency(regular(HOUR, 2)) is None
    previous = learn_frequency(regular(HOUR))
    assert learn_frequency([START], previous) == previous
    assert max_poll_interval(learn_frequency(regular(timedelta(minutes=1), 5))) is None


def test_the_frequency_changes_slowly_and_a_long_gap_is_remembered():
    previous = learn_frequency(regular(4 * HOUR))
    later = learn_frequency(regular(2 * HOUR), previous)
    assert later is not None
    assert later.every == 3 * HOUR
    assert 2 * HOUR < later.quiet < 4 * HOUR


@given(moments, moments)
def test_a_frequency_is_bounded_and_survives_being_stored(first: list[datetime], second: list[datetime]):
    frequency = learn_frequency(second, learn_frequency(first))
    if frequency is None:
        assert len(set(first)) < 3
        assert len(set(second)) < 3
        return
    assert timedelta(minutes=1) <= frequency.every <= frequency.quiet <= timedelta(days=365)
    assert (
        min_poll_interval(frequency) is None
        or HOUR <= (min_poll_interval(frequency) or HOUR) <= LONGEST_MIN_INTERVAL
    )
    assert (
        max_poll_interval(frequency) is None
        or (max_poll_interval(frequency) or HOUR) >= SHORTEST_MAX_INTERVAL
    )
    stored = UpdateFrequency.from_record(frequency.as_record())
    assert stored is not None
    assert abs(stored.every - frequency.every) <= timedelta(seconds=1)


def test_an_invalid_record_has_no_frequency():
    assert [
        UpdateFrequency.from_record(record) for record in (None, "x", {}, {"every": "x"}, {"every": 1e400})
    ] == [None] * 5
