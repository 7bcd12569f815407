"""The hotspot score: golden values, and what holds for all others."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.stories.topics.media_topics import TOPIC_NAMES, UNKNOWN_TOPIC, topic_code
from headwater_recipes.geopolitics.hotspot import (
    TOPIC_WEIGHTS,
    HotspotWeights,
    ScoredStory,
    explain_score,
    score_hotspot,
)

NOW = datetime(2026, 11, 15, 4, tzinfo=UTC)
WAR, POLITICS, WEATHER, SPORT, DISASTER = (
    "conflict, war and peace",
    "politics",
    "weather",
    "sport",
    "disaster, accident and emergency incident",
)
GOLDEN = [
    (1, 1, 0, WAR, 0.5529, 0.1502, 1, 0.2314),
    (10, 5, 0, WAR, 0.7554, 0.5196, 1, 0.5981),
    (10, 5, 12, POLITICS, 0.5704, 0.5196, 0.5001, 0.5981),
    (100, 19, 0, WAR, 1.0, 1, 1, 1),
    (3, 2, 24, WEATHER, 0.3043, 0.3004, 0.2501, 0.3667),
    (0, 0, None, WEATHER, 0.06, 0, 0, 0),
    (50, 15, 48, SPORT, 0.5226, 0.8519, 0.0625, 0.9255),
    (250, 40, 6, DISASTER, 0.9068, 1, 0.7072, 1),
]


def moment(age: float | None) -> datetime | None:
    return None if age is None else NOW - timedelta(hours=age)


@pytest.mark.parametrize("golden", GOLDEN)
def test_g16_g21_scores_have_their_golden_values(golden: tuple):
    articles, domains, age, topic, score, volume, recency, diversity = golden
    hotspot = score_hotspot(articles, domains, moment(age), topic, now=NOW)
    assert hotspot.score == score
    assert (hotspot.volume, hotspot.recency, hotspot.diversity) == pytest.approx(
        (volume, recency, diversity), abs=6e-5
    )


@given(
    st.integers(-5, 10**6),
    st.integers(-5, 10**4),
    st.none() | st.floats(-1000, 10**5),
    st.sampled_from([*TOPIC_NAMES, "?"]),
)
def test_every_part_and_the_score_stay_between_0_and_1(articles, domains, age, topic):
    hotspot = score_hotspot(articles, domains, moment(age), topic, now=NOW)
    assert all(
        0 <= part <= 1
        for part in (hotspot.score, hotspot.volume, hotspot.recency, hotspot.diversity, hotspot.topic)
    )


@given(st.integers(0, 300), st.integers(0, 60), st.floats(0, 500), st.floats(0, 500))
def test_more_articles_more_domains_and_fresher_news_never_cool_a_story(
    articles, domains, first_story, other
):
    fresh, stale = sorted((first_story, other))
    least = score_hotspot(articles, domains, moment(stale), WAR, now=NOW).score
    assert score_hotspot(articles + 1, domains, moment(stale), WAR, now=NOW).score >= least
    assert score_hotspot(articles, domains + 1, moment(stale), WAR, now=NOW).score >= least
    assert score_hotspot(articles, domains, moment(fresh), WAR, now=NOW).score >= least


def test_a_date_in_the_future_counts_as_now():
    assert score_hotspot(1, 1, NOW + timedelta(days=3), WAR, now=NOW) == score_hotspot(
        1, 1, NOW, WAR, now=NOW
    )


@pytest.mark.parametrize(
    ("label", "weight"),
    [
        ("environmental issue", 0.5),
        ("environment", 0.5),
        ("06000000", 0.5),
        ("medtop:16000000", 1.0),
        ("Politics", 0.7),
        ("politics and government", 0.7),
    ],
)
def test_a_topic_is_recognised_by_its_code_its_name_and_its_older_names(label: str, weight: float):
    assert score_hotspot(1, 1, None, label, now=NOW).topic == weight


@pytest.mark.parametrize(
    ("articles", "domains", "age"), [(1, 1, None), (3, 2, 24), (50, 15, 48), (250, 40, 6)]
)
def test_an_unknown_topic_neither_raises_nor_lowers_the_score(articles: int, domains: int, age: float | None):
    unknown = score_hotspot(articles, domains, moment(age), "unclassified", now=NOW)
    weights = HotspotWeights()
    of_others = (
        weights.volume * unknown.volume
        + weights.recency * unknown.recency
        + weights.diversity * unknown.diversity
    ) / (1 - weights.topic)
    assert unknown.score == pytest.approx(of_others, abs=1e-4)


def test_every_top_level_has_a_weight_and_a_name_that_leads_back_to_it():
    assert set(TOPIC_WEIGHTS) == set(TOPIC_NAMES)
    assert len(TOPIC_NAMES) == 17
    assert all(topic_code(name) == code for code, name in TOPIC_NAMES.items())
    assert topic_code("") == UNKNOWN_TOPIC


def test_the_scale_can_be_set():
    hourly = HotspotWeights(half_life=timedelta(hours=1), most_articles=1, topics={"15000000": 0.9})
    hotspot = score_hotspot(1, 0, moment(1), SPORT, now=NOW, scale=hourly)
    assert (hotspot.volume, hotspot.topic) == (1.0, 0.9)
    assert hotspot.recency == pytest.approx(0.5, abs=1e-3)


def test_g16_each_part_of_the_score_is_explained_in_words():
    hotspot = score_hotspot(10, 5, moment(12), WAR, now=NOW)
    story = ScoredStory(reports=10, reports_in_all=48, publishers=5, newest=moment(12), topic=WAR)
    assert explain_score(hotspot, story, now=NOW) == (
        "Volume adds 0.16 of 0.30: 10 reports in the last three days (48 in all); 100 give the most",
        "Recency adds 0.13 of 0.25: the newest report is 12 hours old; it halves every 12 hours",
        "Diversity adds 0.15 of 0.25: 5 publishers in the last three days; 19 give the most",
        "Topic adds 0.20 of 0.20: conflict, war and peace weighs 1.0 of 1.0",
    )
    unknown = score_hotspot(1, 1, moment(200), "?", now=NOW)
    old = ScoredStory(reports=1, reports_in_all=1, publishers=1, newest=moment(200), topic="?")
    reasons = explain_score(unknown, old, now=NOW)
    assert "1 report in the last three days; 100" in reasons[0]
    assert "8 days" in reasons[1]
    assert "1 publisher in" in reasons[2]
    assert "unknown" in reasons[3]
    assert "no report counts" in explain_score(unknown, replace(old, newest=None), now=NOW)[1]
