"""Alerts: a rule is met when it begins to hold, and not again while it holds."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.poll_sessions import NOW

from headwater.ops.alarms.pipeline_rules import silent_subjects
from headwater_recipes.geopolitics.alert_rules import AlertRules, StoryState, growth_base, rules_met

ALL = AlertRules(
    score=0.7,
    growth=2.0,
    topics=frozenset({"16000000"}),
    subjects=frozenset({"UA"}),
    new_story=3,
    silence=timedelta(hours=24),
)


def news(score: float = 0.1, articles: int = 1, topic: str = "", base: int = 0, *subjects: str) -> StoryState:
    return StoryState(score=score, articles=articles, topic=topic, base=base, subjects=frozenset(subjects))


@pytest.mark.parametrize(
    ("now", "before", "expected"),
    [
        (news(0.7), None, ("score",)),
        (news(0.69), None, ()),
        (news(0.9), news(0.7), ()),
        (news(0.9), news(0.6), ("score",)),
        (news(articles=4), None, ("new_story",)),
        (news(articles=4), news(articles=3, base=3), ()),
        (news(articles=6), news(articles=5, base=3), ("growth",)),
        (news(articles=2), news(articles=1, base=1), ()),
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
    articles=st.integers(1, 60),
    topic=st.sampled_from(["", "16000000", "11000000"]),
    subjects=st.frozensets(st.sampled_from(["UA", "PL"])),
    base=st.integers(0, 60),
)


@given(stories, st.one_of(st.none(), stories))
def test_g17_one_state_causes_no_second_alert(now: StoryState, before: StoryState | None):
    met = rules_met(ALL, now, before)
    state = StoryState(
        score=now.score,
        articles=now.articles,
        topic=now.topic,
        subjects=now.subjects,
        base=growth_base(now, before, met),
    )
    if met or before is None:
        assert rules_met(ALL, state, state) == ()


@given(stories, st.one_of(st.none(), stories))
def test_g17_without_rules_there_is_no_alert(now: StoryState, before: StoryState | None):
    assert rules_met(AlertRules(), now, before) == ()


def test_g17_slow_growth_is_counted_from_the_last_alert():
    base = growth_base(news(articles=3), None, ("new_story",))
    for articles in (4, 5):
        earlier = news(articles=articles - 1, base=base)
        assert rules_met(ALL, news(articles=articles), earlier) == ()
        base = growth_base(news(articles=articles), earlier, ())
    assert rules_met(ALL, news(articles=6), news(articles=5, base=base)) == ("growth",)


def test_g17_a_flashpoint_that_had_entries_and_has_none_is_silent():
    last_entries = {"quiet": NOW - timedelta(hours=25), "lively": NOW - timedelta(hours=1)}
    assert silent_subjects(last_entries, timedelta(hours=24), NOW) == ("quiet",)
    assert silent_subjects(last_entries, timedelta(hours=26), NOW) == ()
