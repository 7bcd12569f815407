"""Who is told what, how often."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from headwater.ops.alarms.decision import GROUP_ABOVE, QUIET_PERIOD, Problem, decide_alarms

NOW = datetime(2026, 11, 13, 9, tzinfo=UTC)
keys = st.tuples(st.sampled_from(["silent", "stopped"]), st.sampled_from([str(n) for n in range(9)]))


def problem(kind: str, subject: str) -> Problem:
    return Problem(kind=kind, subject=subject, name=f"Source {subject}", title=f"{subject} is {kind}")


def problems(kind: str, count: int) -> list[Problem]:
    return [problem(kind, str(n)) for n in range(count)]


def test_c37_what_is_new_begins_and_what_is_gone_ends():
    changes = decide_alarms([problem("silent", "1")], frozenset({("stopped", "2")}), {}, NOW)
    assert [begun.key for begun in changes.to_raise] == [("silent", "1")]
    assert changes.to_clear == {("stopped", "2")}


def test_c37_what_goes_on_is_not_told_again():
    changes = decide_alarms([problem("silent", "1")], frozenset({("silent", "1")}), {}, NOW)
    assert (changes.to_raise, changes.to_clear) == ((), frozenset())


def test_c37_what_flickers_rests_before_it_is_told_again():
    some, ended = [problem("silent", "1")], {("silent", "1"): NOW}
    assert decide_alarms(some, frozenset(), ended, NOW + QUIET_PERIOD - timedelta(seconds=1)).to_raise == ()
    assert len(decide_alarms(some, frozenset(), ended, NOW + QUIET_PERIOD).to_raise) == 1


def test_c37_many_of_a_kind_are_one_alarm_that_names_them():
    changes = decide_alarms([*problems("silent", 30), problem("stopped", "x")], frozenset(), {}, NOW)
    assert [begun.key for begun in changes.to_raise] == [("silent", ""), ("stopped", "x")]
    assert changes.to_raise[0].title == "30 sources: silent"
    assert changes.to_raise[0].detail.endswith("and 10 more")
    assert len(decide_alarms(problems("silent", GROUP_ABOVE), frozenset(), {}, NOW).to_raise) == GROUP_ABOVE


def test_those_that_stood_before_the_many_stand_until_they_are_over():
    standing = frozenset({("silent", "0"), ("silent", "")})
    assert decide_alarms(problems("silent", 30), standing, {}, NOW).to_clear == frozenset()
    assert decide_alarms(problems("silent", 1), standing, {}, NOW).to_clear == {("silent", "")}


@given(st.frozensets(keys), st.frozensets(keys))
def test_a_second_look_at_the_same_trouble_says_nothing(now: frozenset, before: frozenset):
    some = [problem(*key) for key in sorted(now)]
    first = decide_alarms(some, before, {}, NOW)
    standing = (before - first.to_clear) | {begun.key for begun in first.to_raise}
    second = decide_alarms(some, standing, dict.fromkeys(first.to_clear, NOW), NOW)
    assert (second.to_raise, second.to_clear) == ((), frozenset())


@given(st.frozensets(keys))
def test_nothing_is_told_twice_and_nothing_that_stands_begins(now: frozenset):
    changes = decide_alarms([problem(*key) for key in sorted(now)], frozenset(), {}, NOW)
    begun = [one.key for one in changes.to_raise]
    assert len(set(begun)) == len(begun)
    assert len(begun) <= 2 * GROUP_ABOVE
