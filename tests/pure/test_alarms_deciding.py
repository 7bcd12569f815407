"""Who is told what, how often."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from headwater.ops.alarms.decision import GROUP_ABOVE, QUIET_PERIOD, Problem, decide_alarms

NOW = datetime(2026, 11, 13, 9, tzinfo=UTC)
keys = st.tuples(st.sampled_from(["silent", "stopped"]), st.sampled_from([str(n) for n in range(9)]))


def concern(kind: str, subject: str) -> Problem:
    return Problem(kind=kind, subject=subject, name=f"Source {subject}", title=f"{subject} is {kind}")


def concerns(kind: str, count: int) -> list[Problem]:
    return [concern(kind, str(n)) for n in range(count)]


def test_c37_what_is_new_begins_and_what_is_gone_ends():
    ruling = decide_alarms([concern("silent", "1")], frozenset({("stopped", "2")}), {}, NOW)
    assert [begun.key for begun in ruling.begins] == [("silent", "1")]
    assert ruling.ends == {("stopped", "2")}


def test_c37_what_goes_on_is_not_told_again():
    ruling = decide_alarms([concern("silent", "1")], frozenset({("silent", "1")}), {}, NOW)
    assert (ruling.begins, ruling.ends) == ((), frozenset())


def test_c37_what_flickers_rests_before_it_is_told_again():
    some, ended = [concern("silent", "1")], {("silent", "1"): NOW}
    assert decide_alarms(some, frozenset(), ended, NOW + QUIET_PERIOD - timedelta(seconds=1)).begins == ()
    assert len(decide_alarms(some, frozenset(), ended, NOW + QUIET_PERIOD).begins) == 1


def test_c37_many_of_a_kind_are_one_alarm_that_names_them():
    ruling = decide_alarms([*concerns("silent", 30), concern("stopped", "x")], frozenset(), {}, NOW)
    assert [begun.key for begun in ruling.begins] == [("silent", ""), ("stopped", "x")]
    assert ruling.begins[0].title == "30 sources: silent"
    assert ruling.begins[0].detail.endswith("and 10 more")
    assert len(decide_alarms(concerns("silent", GROUP_ABOVE), frozenset(), {}, NOW).begins) == GROUP_ABOVE


def test_those_that_stood_before_the_many_stand_until_they_are_over():
    standing = frozenset({("silent", "0"), ("silent", "")})
    assert decide_alarms(concerns("silent", 30), standing, {}, NOW).ends == frozenset()
    assert decide_alarms(concerns("silent", 1), standing, {}, NOW).ends == {("silent", "")}


@given(st.frozensets(keys), st.frozensets(keys))
def test_a_second_look_at_the_same_trouble_says_nothing(now: frozenset, before: frozenset):
    some = [concern(*key) for key in sorted(now)]
    first = decide_alarms(some, before, {}, NOW)
    standing = (before - first.ends) | {begun.key for begun in first.begins}
    second = decide_alarms(some, standing, dict.fromkeys(first.ends, NOW), NOW)
    assert (second.begins, second.ends) == ((), frozenset())


@given(st.frozensets(keys))
def test_nothing_is_told_twice_and_nothing_that_stands_begins(now: frozenset):
    ruling = decide_alarms([concern(*key) for key in sorted(now)], frozenset(), {}, NOW)
    begun = [one.key for one in ruling.begins]
    assert len(set(begun)) == len(begun)
    assert len(begun) <= 2 * GROUP_ABOVE
