"""What a source's habits are, and what follows from them."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from headwater.model.source import Trigger
from headwater.pure.rhythm import LONGEST_REST, SHORTEST_WAIT, Rhythm, hurry, learn, rest
from headwater.pure.schedule import next_look

START = datetime(2026, 11, 1, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
moments = st.lists(st.integers(0, 10_000_000).map(lambda s: START + timedelta(seconds=s)), max_size=60)


def regular(step: timedelta, count: int = 20) -> list[datetime]:
    return [START + step * number for number in range(count)]


def test_c7_a_regular_source_has_the_rhythm_of_its_entries():
    found = learn(regular(3 * HOUR))
    assert found == Rhythm(every=3 * HOUR, quiet=3 * HOUR, window=57 * HOUR, entries=20)


def test_c7_a_slow_source_is_left_alone_for_longer_and_a_quick_one_is_not():
    assert rest(learn(regular(DAY))) == 4 * HOUR
    assert rest(learn(regular(30 * DAY))) == LONGEST_REST
    assert rest(learn(regular(HOUR))) is None
    assert rest(None) is None


def test_c7_a_source_whose_entries_scroll_away_is_looked_at_before_they_do():
    busy = learn(regular(timedelta(minutes=4)))
    assert hurry(busy) == timedelta(minutes=38)
    four_hours = Trigger(cron="0 */4 * * *")
    assert next_look(four_hours, START, within=hurry(busy)) == START + timedelta(minutes=38)
    assert next_look(four_hours, START, within=9 * HOUR) == START + 4 * HOUR
    assert next_look(four_hours, START, HOUR, within=timedelta(minutes=38)) == START + HOUR


def test_few_entries_teach_nothing():
    assert learn(regular(HOUR, 2)) is None
    known = learn(regular(HOUR))
    assert learn([START], known) == known
    assert hurry(learn(regular(timedelta(minutes=1), 5))) is None


def test_habits_change_slowly_and_a_long_pause_is_remembered():
    known = learn(regular(4 * HOUR))
    later = learn(regular(2 * HOUR), known)
    assert later is not None
    assert later.every == 3 * HOUR
    assert 2 * HOUR < later.quiet < 4 * HOUR


@given(moments, moments)
def test_a_rhythm_is_bounded_and_survives_being_stored(first: list[datetime], second: list[datetime]):
    found = learn(second, learn(first))
    if found is None:
        assert len(set(first)) < 3
        assert len(set(second)) < 3
        return
    assert timedelta(minutes=1) <= found.every <= found.quiet <= timedelta(days=365)
    assert rest(found) is None or HOUR <= (rest(found) or HOUR) <= LONGEST_REST
    assert hurry(found) is None or (hurry(found) or HOUR) >= SHORTEST_WAIT
    stored = Rhythm.from_record(found.as_record())
    assert stored is not None
    assert abs(stored.every - found.every) <= timedelta(seconds=1)


def test_what_is_no_rhythm_is_none():
    assert [Rhythm.from_record(record) for record in (None, "x", {}, {"every": "x"}, {"every": 1e400})] == [
        None
    ] * 5
