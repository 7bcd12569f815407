"""Which problems raise an alarm, how often, and when it is cleared."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from headwater.model.alarm import Problem
from headwater.ops.alarms.decision import GROUP_ABOVE, QUIET_PERIOD, decide_alarms

NOW = datetime(2026, 11, 13, 9, tzinfo=UTC)
keys = st.tuples(st.sampled_from(["silent", "stopped"]), st.sampled_from([str(n) for n in range(9)]))


def problem(kind: str, subject: str) -> Problem:
    return Problem(kind=kind, subject=subject, name=f"Source {subject}", title=f"{subject} is {kind}")


def problems(kind: str, count: int) -> list[Problem]:
    return [problem(kind, str(n)) for n in range(count)]


def test_c37_a_new_problem_raises_an_alarm_and_a_solved_one_clears_it():
    changes = decide_alarms([problem("silent", "1")], frozenset({("stopped", "2")}), {}, NOW)
    assert [raised.key for raised in changes.to_raise] == [("silent", "1")]
    assert changes.to_clear == {("stopped", "2")}


def test_c37_a_persisting_problem_raises_no_second_alarm():
    changes = decide_alarms([problem("silent", "1")], frozenset({("silent", "1")}), {}, NOW)
    assert (changes.to_raise, changes.to_clear) == ((), frozenset())


def test_no_alarm_is_raised_about_a_muted_source_and_an_open_one_stays():
    present = [problem("silent", "1"), problem("stopped", "1"), problem("silent", "2")]
    changes = decide_alarms(present, frozenset({("stopped", "1")}), {}, NOW, muted={"1"})
    assert [raised.key for raised in changes.to_raise] == [("silent", "2")]
    assert changes.to_clear == frozenset()


def test_muted_sources_do_not_count_for_an_alarm_about_many():
    changes = decide_alarms(problems("silent", GROUP_ABOVE + 2), frozenset(), {}, NOW, muted={"0", "1"})
    assert len(changes.to_raise) == GROUP_ABOVE


def test_c37_a_problem_that_comes_and_goes_raises_one_alarm_in_the_quiet_period():
    present, cleared_at = [problem("silent", "1")], {("silent", "1"): NOW}
    assert (
        decide_alarms(present, frozenset(), cleared_at, NOW + QUIET_PERIOD - timedelta(seconds=1)).to_raise
        == ()
    )
    assert len(decide_alarms(present, frozenset(), cleared_at, NOW + QUIET_PERIOD).to_raise) == 1


def test_c37_many_of_a_kind_are_one_alarm_that_names_them():
    changes = decide_alarms([*problems("silent", 30), problem("stopped", "x")], frozenset(), {}, NOW)
    assert [raised.key for raised in changes.to_raise] == [("silent", ""), ("stopped", "x")]
    assert changes.to_raise[0].title == "30 sources: silent"
    assert changes.to_raise[0].detail.endswith("and 10 more")
    assert len(decide_alarms(problems("silent", GROUP_ABOVE), frozenset(), {}, NOW).to_raise) == GROUP_ABOVE


def test_alarms_from_before_the_group_stay_until_they_are_cleared():
    standing = frozenset({("silent", "0"), ("silent", "")})
    assert decide_alarms(problems("silent", 30), standing, {}, NOW).to_clear == frozenset()
    assert decide_alarms(problems("silent", 1), standing, {}, NOW).to_clear == {("silent", "")}


@given(st.frozensets(keys), st.frozensets(keys))
def test_a_second_check_of_the_same_problems_changes_nothing(now: frozenset, before: frozenset):
    present = [problem(*key) for key in sorted(now)]
    first = decide_alarms(present, before, {}, NOW)
    standing = (before - first.to_clear) | {raised.key for raised in first.to_raise}
    second = decide_alarms(present, standing, dict.fromkeys(first.to_clear, NOW), NOW)
    assert (second.to_raise, second.to_clear) == ((), frozenset())


@given(st.frozensets(keys))
def test_no_alarm_is_raised_twice(now: frozenset):
    changes = decide_alarms([problem(*key) for key in sorted(now)], frozenset(), {}, NOW)
    raised = [entry.key for entry in changes.to_raise]
    assert len(set(raised)) == len(raised)
    assert len(raised) <= 2 * GROUP_ABOVE
