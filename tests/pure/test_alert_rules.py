"""Alerts: a rule speaks when it begins to hold, and not again while it does."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conversing import NOW

from headwater.pure.alerts import News, Rules, base_of, noteworthy, silent

ALL = Rules(
    score=0.7,
    growth=2.0,
    topics=frozenset({"16000000"}),
    subjects=frozenset({"UA"}),
    new_story=3,
    silence=timedelta(hours=24),
)


def news(score: float = 0.1, articles: int = 1, topic: str = "", base: int = 0, *subjects: str) -> News:
    return News(score=score, articles=articles, topic=topic, base=base, subjects=frozenset(subjects))


@pytest.mark.parametrize(
    ("now", "before", "found"),
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
def test_g17_a_rule_speaks_when_it_begins_to_hold(now: News, before: News | None, found: tuple[str, ...]):
    assert noteworthy(ALL, now, before) == found


stories = st.builds(
    News,
    score=st.floats(0, 1),
    articles=st.integers(1, 60),
    topic=st.sampled_from(["", "16000000", "11000000"]),
    subjects=st.frozensets(st.sampled_from(["UA", "PL"])),
    base=st.integers(0, 60),
)


@given(stories, st.one_of(st.none(), stories))
def test_g17_nothing_is_told_twice_about_one_state(now: News, before: News | None):
    found = noteworthy(ALL, now, before)
    stands = News(
        score=now.score,
        articles=now.articles,
        topic=now.topic,
        subjects=now.subjects,
        base=base_of(now, before, found),
    )
    if found or before is None:
        assert noteworthy(ALL, stands, stands) == ()


@given(stories, st.one_of(st.none(), stories))
def test_g17_without_rules_nothing_is_told(now: News, before: News | None):
    assert noteworthy(Rules(), now, before) == ()


def test_g17_slow_growth_is_counted_from_the_last_alert():
    base = base_of(news(articles=3), None, ("new_story",))
    for articles in (4, 5):
        earlier = news(articles=articles - 1, base=base)
        assert noteworthy(ALL, news(articles=articles), earlier) == ()
        base = base_of(news(articles=articles), earlier, ())
    assert noteworthy(ALL, news(articles=6), news(articles=5, base=base)) == ("growth",)


def test_g17_a_flashpoint_that_had_entries_and_has_none_is_silent():
    seen = {"quiet": NOW - timedelta(hours=25), "lively": NOW - timedelta(hours=1)}
    assert silent(seen, timedelta(hours=24), NOW) == ("quiet",)
    assert silent(seen, timedelta(hours=26), NOW) == ()
