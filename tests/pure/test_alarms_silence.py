"""A source is silent when it is quiet for longer than its own rhythm explains, and not before."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from headwater.ops.alarms.silence import detect_silence, expected_quiet

START = datetime(2026, 11, 2, tzinfo=UTC)  # a Monday
HOUR = timedelta(hours=1)
gaps = st.lists(st.integers(min_value=60, max_value=14 * 24 * 60), min_size=5, max_size=60).map(
    lambda minutes: [timedelta(minutes=m) for m in minutes]
)


def moments(steps: list[timedelta]) -> list[datetime]:
    times = [START]
    for step in steps:
        times.append(times[-1] + step)
    return times


def is_silent(arrivals: list[datetime], after: timedelta, interval: timedelta = HOUR) -> bool:
    return detect_silence(arrivals, arrivals[-1], arrivals[-1] + after, interval) is not None


@given(gaps)
def test_c37_a_gap_as_long_as_an_earlier_one_is_not_a_silence(steps: list[timedelta]):
    assert not is_silent(moments(steps), max(steps))


@given(gaps, st.integers(1, 1000), st.integers(1, 1000))
def test_c37_a_silent_source_stays_silent_until_an_entry_arrives(
    steps: list[timedelta], first: int, more: int
):
    arrivals = moments(steps)
    if is_silent(arrivals, first * HOUR):
        assert is_silent(arrivals, (first + more) * HOUR)
    assert not is_silent([*arrivals, arrivals[-1] + first * HOUR], timedelta(0))


@given(gaps)
def test_c37_every_source_with_a_rhythm_is_silent_in_the_end(steps: list[timedelta]):
    assert is_silent(moments(steps), timedelta(days=3650))


@given(gaps, st.randoms(use_true_random=False))
def test_the_order_of_arrivals_changes_nothing(steps: list[timedelta], random):
    arrivals = moments(steps)
    mixed = arrivals[:]
    random.shuffle(mixed)
    assert expected_quiet(mixed, HOUR) == expected_quiet(arrivals, HOUR)


@given(gaps)
def test_a_longer_gap_never_shortens_the_expected_silence(steps: list[timedelta]):
    longer = [*steps[:-1], max(steps) * 2]
    assert expected_quiet(moments(longer), HOUR) >= expected_quiet(moments(steps), HOUR)


@given(gaps, st.integers(2, 10))
def test_a_source_that_is_n_times_slower_has_n_times_as_long(steps: list[timedelta], times: int):
    slower = [step * times for step in steps]
    quick, slow = expected_quiet(moments(steps), HOUR), expected_quiet(moments(slower), HOUR * times)
    assert quick is not None
    assert slow is not None
    assert abs(slow - quick * times) <= timedelta(milliseconds=1) or quick == 2 * HOUR


def test_c37_a_regular_source_is_reported_soon():
    arrivals = moments([2 * HOUR] * 60)
    assert not is_silent(arrivals, 4 * HOUR)
    assert is_silent(arrivals, 5 * HOUR)


def test_c37_a_weekend_is_explained_by_earlier_weekends():
    workday = [HOUR] * 8 + [16 * HOUR]
    weeks = (workday * 4 + [HOUR] * 8 + [64 * HOUR]) * 3 + workday * 4 + [HOUR] * 8
    assert not is_silent(moments(weeks), 64 * HOUR)
    assert is_silent(moments(weeks), 24 * 5 * HOUR)


def test_a_burst_of_entries_counts_once():
    burst = [timedelta(0)] * 40
    daily = ([*burst, 24 * HOUR]) * 6 + burst
    assert not is_silent(moments(daily), 30 * HOUR)
    assert is_silent(moments(daily), 24 * 4 * HOUR)


def test_c37_a_source_that_publishes_more_often_than_it_is_polled_has_a_rhythm_too():
    arrivals = moments([HOUR / 4] * 200)
    assert not is_silent(arrivals, 8 * HOUR, interval=4 * HOUR)
    assert is_silent(arrivals, 24 * HOUR, interval=4 * HOUR)


def test_too_few_arrivals_do_not_make_a_rhythm():
    for count in range(4):
        assert expected_quiet(moments([HOUR] * count), HOUR) is None
        assert not is_silent(moments([HOUR] * count), timedelta(days=365))


def test_time_without_polls_is_not_silence():
    arrivals = moments([HOUR] * 20)
    assert detect_silence(arrivals, arrivals[-1], polled_at=arrivals[-1], interval=HOUR) is None
