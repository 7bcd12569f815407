"""Alerts: a rule is met when it begins to hold, and not again while it holds."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.poll_sessions import NOW

from headwater.ops.alarms.pipeline_rules import silent_subjects
from headwater_recipes.geopolitics.alert_rules import COOLED, AlertRules, StoryState, decide_alert

ALL = AlertRules(
    score=0.7,
    growth=2.0,
    topics=frozenset({"16000000"}),
    subjects=frozenset({"UA"}),
    new_story=3,
    silence=timedelta(hours=24),
)


def news(
    score: float = 0.1, reports: int = 1, topic: str = "", gained: int = 0, *subjects: str
) -> StoryState:
    """A state with recent reports only, which grew by those it gained; it is hot from the limit on."""
    return StoryState(
        score=score,
        reports=reports,
        topic=topic,
        recent=reports,
        of_week=reports,
        growth_from=reports - gained,
        gained=gained,
        subjects=frozenset(subjects),
        is_hot=score >= 0.7,
    )


def rules_met(rules: AlertRules, state: StoryState, before: StoryState | None) -> tuple[str, ...]:
    return decide_alert(rules, state, before).rules


@pytest.mark.parametrize(
    ("now", "before", "expected"),
    [
        (news(0.7), None, ("score",)),
        (news(0.69), None, ()),
        (news(0.9), news(0.7), ()),
        (news(0.9), replace(news(0.6), is_hot=False), ("score",)),
        (news(reports=4), None, ("new_story",)),
        (news(reports=4, gained=1), news(reports=3), ()),
        (news(reports=8, gained=4), news(reports=5), ("growth",)),
        (news(reports=8, gained=3), news(reports=5), ()),
        (news(reports=6, gained=3), news(reports=3), ()),
        (news(topic="16000000"), news(topic="11000000"), ("topic",)),
        (news(topic="16000000"), news(topic="16000000"), ()),
        (news(0.1, 1, "", 0, "UA"), None, ("subject",)),
        (news(0.1, 1, "", 0, "UA", "PL"), news(0.1, 1, "", 0, "UA"), ()),
    ],
)
def test_g17_a_rule_is_met_when_it_begins_to_hold(
    now: StoryState, before: StoryState | None, expected: tuple[str, ...]
):
    assert rules_met(ALL, now, before) == expected


stories = st.builds(
    StoryState,
    score=st.floats(0, 1),
    reports=st.integers(1, 60),
    topic=st.sampled_from(["", "16000000", "11000000"]),
    recent=st.integers(0, 60),
    of_week=st.integers(0, 60),
    growth_from=st.integers(0, 60),
    is_hot=st.booleans(),
    is_quiet=st.booleans(),
    withheld=st.sampled_from([(), ("score",), ("new_story", "topic")]),
    subjects=st.frozensets(st.sampled_from(["UA", "PL"])),
    gained=st.integers(0, 60),
)


@given(stories, st.one_of(st.none(), stories))
def test_g17_one_state_causes_no_second_alert(now: StoryState, before: StoryState | None):
    decision = decide_alert(ALL, now, before)
    state = replace(now, gained=0, is_hot=decision.is_hot, withheld=decision.withheld)
    if decision.rules or before is None:
        assert decide_alert(ALL, state, state).rules == ()


@given(stories, st.one_of(st.none(), stories))
def test_g17_an_alert_has_a_reason_in_words_for_each_rule_and_needs_recent_articles(
    now: StoryState, before: StoryState | None
):
    decision = decide_alert(ALL, now, before)
    assert len(decision.reasons) == len(decision.rules)
    assert all(decision.reasons)
    assert not (decision.rules and not now.recent)
    assert not (decision.withheld and now.recent)


@given(stories, st.one_of(st.none(), stories))
def test_g17_without_rules_there_is_no_alert(now: StoryState, before: StoryState | None):
    assert rules_met(AlertRules(), now, before) == ()


def test_g17_growth_is_that_of_the_reports_of_a_week():
    grown = replace(news(reports=80, gained=10), of_week=10, growth_from=0)
    assert decide_alert(ALL, grown, news(reports=70)).reasons == (
        "after a week without any it has 10 reports",
    )
    steady = replace(news(reports=80, gained=14), of_week=14, growth_from=14)
    assert rules_met(ALL, steady, news(reports=66)) == ()
    rising = replace(steady, of_week=28)
    assert decide_alert(ALL, rising, news(reports=66)).reasons == ("it grew from 14 to 28 reports a week",)


def test_g17_a_backlog_causes_no_alert():
    backlog = replace(news(0.75, 40, "16000000"), recent=0)
    decision = decide_alert(ALL, backlog, None)
    assert decision.rules == ()
    assert decision.withheld == ("new_story", "score", "topic")


def test_g17_what_was_withheld_is_sent_when_recent_articles_come():
    backlog = replace(news(0.75, 40, "16000000"), recent=0, is_hot=False)
    decision = decide_alert(ALL, backlog, None)
    before = replace(backlog, withheld=decision.withheld, is_hot=decision.is_hot)
    fresh = replace(news(0.9, 41, "16000000"), recent=1)
    assert rules_met(ALL, fresh, before) == ("new_story", "score", "topic")


def test_g17_a_score_that_moves_around_the_limit_alerts_once_until_it_cooled_and_grew():
    hot = replace(news(0.69, 5), is_hot=True)
    cooled = replace(news(0.69 - COOLED, 5), is_hot=True)
    few, many = news(0.71, 6, "", 1), news(0.71, 30, "", 5)
    assert rules_met(ALL, many, hot) == ()
    assert rules_met(ALL, few, cooled) == ()
    assert rules_met(ALL, many, cooled) == ("score",)
    assert rules_met(ALL, many, replace(hot, is_quiet=True)) == ("score",)


def test_g17_a_flashpoint_that_had_entries_and_has_none_is_silent():
    last_entries = {"quiet": NOW - timedelta(hours=25), "lively": NOW - timedelta(hours=1)}
    assert silent_subjects(last_entries, timedelta(hours=24), NOW) == ("quiet",)
    assert silent_subjects(last_entries, timedelta(hours=26), NOW) == ()
