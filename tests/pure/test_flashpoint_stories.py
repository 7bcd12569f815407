"""Stories within one flashpoint: every report is about the same war, and only some words say which event of it."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import log, log1p, sqrt
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.stories.clustering.cluster_items import cluster_items
from headwater.stories.clustering.roundups import is_roundup
from headwater.stories.clustering.similarity import StoryItem, normalise_rows, vectorise
from headwater.stories.clustering.word_vectors import BACKGROUND_DOCUMENTS, MAX_VALUES, word_vectors

EPISODES = ("bridge", "convoy", "hospital", "ceasefire", "airfield")
START = datetime(2026, 3, 2, 9, tzinfo=UTC)


def war_report(episode: str, number: int, *, day: int = 0) -> StoryItem:
    """An article of about 150 words, most of them those of every article about the war."""
    chance = Random(f"{episode} {number}")
    words = [f"front{word}" for word in chance.sample(range(400), 110)]
    words += [f"{episode}{letter}" for letter in chance.sample("abcdefghijklmnopqrstuvwxyz", 16)]
    chance.shuffle(words)
    return StoryItem(
        id=f"{episode}-{number}",
        title=f"Kelmar war: {episode} {words[0]}",
        text=" ".join(words),
        published_at=START + timedelta(days=day),
        language="en",
    )


def war_embeddings(count: int) -> np.ndarray:
    """What an encoder returns for such reports: nearly the same for each."""
    noise = np.random.default_rng(5).normal(0, 0.1, (count, 64))
    vectors = np.eye(1, 64) + noise
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def clusters_of(items: list[StoryItem], embeddings: np.ndarray | None = None) -> set[frozenset[str]]:
    return {
        frozenset(items[position].id for position, _ in cluster.members)
        for cluster in cluster_items(items, embeddings)
    }


@pytest.mark.parametrize("encoded", [True, False])
def test_the_events_of_one_war_are_separate_stories(encoded: bool):
    items = [war_report(episode, number) for episode in EPISODES for number in range(6)]
    stories = clusters_of(items, war_embeddings(len(items)) if encoded else None)
    assert stories == {frozenset(f"{episode}-{number}" for number in range(6)) for episode in EPISODES}


def test_a_story_that_is_all_of_its_group_stays_whole():
    for count in (20, 100):
        items = [war_report("bridge", number) for number in range(count)]
        assert len(clusters_of(items)) == 1


def test_words_decide_alone_only_among_articles_about_one_subject():
    items = [war_report(episode, number) for episode in EPISODES for number in range(6)]
    unrelated = normalise_rows(np.random.default_rng(2).normal(size=(len(items), 64)))
    assert vectorise(items, war_embeddings(len(items))).by_words
    assert not vectorise(items, unrelated.astype(np.float32)).by_words


def test_copies_of_reports_do_not_divide_a_story_into_its_wordings():
    """In two languages, so that the threshold is chosen by the silhouette."""
    chance = np.random.default_rng(3)
    reports = [war_report(episode, number) for episode in EPISODES[:3] for number in range(8)]
    directions = np.repeat(np.eye(3, 64), 8, axis=0) + np.eye(1, 64, 4) + chance.normal(0, 0.12, (24, 64))
    items, vectors = [], []
    for position, report in enumerate(reports):
        language = "en" if position % 2 else "ru"
        for copy in range(4):
            items.append(replace(report, id=f"{report.id}-{copy}", language=language))
            vectors.append(directions[position] + chance.normal(0, 0.01, 64))
    stories = clusters_of(items, normalise_rows(np.array(vectors)))
    assert {frozenset(name.split("-")[0] for name in story) for story in stories} == {
        frozenset({episode}) for episode in EPISODES[:3]
    }
    assert len(stories) == 3


def test_the_same_event_months_later_is_another_story():
    items = [war_report("bridge", number, day=180 * (number // 5)) for number in range(10)]
    assert clusters_of(items) == {
        frozenset(f"bridge-{number}" for number in numbers) for numbers in (range(5), range(5, 10))
    }


def test_a_round_up_belongs_to_no_story():
    items = [war_report(episode, number) for episode in EPISODES[:3] for number in range(4)]
    text = " ".join(item.text for item in items[::4])
    items.append(StoryItem(id="week", title="Kelmar war: the week in review", text=text, language="en"))
    assert frozenset({"week"}) in clusters_of(items)


def test_an_article_without_a_word_joins_no_story():
    items = [StoryItem(id="empty"), StoryItem(id="signs", title="…", text="\n--\n")]
    assert clusters_of(items) == {frozenset({"empty"}), frozenset({"signs"})}


@pytest.mark.parametrize(
    "title",
    [
        "On the Kelmar front, September 2031",
        "War round-up: grain, bridges and talks",
        "Morning briefing: ships leave Dunmore",
        "Обзор недели: мост и порт",
        "Головне за тиждень: порт відкрито",
        "Die Woche im Überblick",
        "Resumen de la semana en Kelmar",
        "The week: Kelmar Strait",
        "La semaine : élection en Valdora",
        "Неделя: Келмарский пролив",
        "ملخص الأسبوع: الميناء والجسر",
        "一周要闻:港口重新开放",
    ],
)
def test_headlines_of_round_ups(title: str):
    assert is_roundup(title)


@pytest.mark.parametrize(
    "title",
    [
        "Unemployment fell in September 2031",
        "Police round up suspects after the bombing",
        "Roundup draws a crowd to Arden",
        "Talks on 3 September 2031",
        "Weeks of waiting: the fishermen of Dunmore",
        "Week of talks: no agreement on the port",
        "",
    ],
)
def test_headlines_of_other_reports(title: str):
    assert not is_roundup(title)


TERMS = st.lists(
    st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 5), max_size=6), min_size=1, max_size=8
)


def cosine_by_hand(bags: list[dict[str, float]], first: int, second: int) -> float:
    lengths = [sqrt(sum(weight**2 for weight in bags[row].values())) for row in (first, second)]
    product = sum(weight * bags[second].get(term, 0) for term, weight in bags[first].items())
    return product / (lengths[0] * lengths[1]) if all(lengths) else 0.0


@given(TERMS)
def test_in_a_small_corpus_the_similarity_of_words_is_exact(counts: list[dict[str, int]]):
    frequency = Counter(term for row in counts for term in row)
    bags = [
        {
            term: (1 + log(count)) * log1p((len(counts) + BACKGROUND_DOCUMENTS) / (frequency[term] + 0.5))
            for term, count in row.items()
        }
        for row in counts
    ]
    vectors = word_vectors([Counter(row) for row in counts], 1)
    for first in range(len(counts)):
        for second in range(len(counts)):
            assert vectors[first] @ vectors[second] == pytest.approx(
                cosine_by_hand(bags, first, second), abs=1e-5
            )


def test_many_terms_are_projected_to_a_bounded_width(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("headwater.stories.clustering.word_vectors.MAX_VALUES", 640)
    counts = [Counter({f"term{(row * 7 + n) % 90}": 1 for n in range(20)}) for row in range(10)]
    vectors = word_vectors(counts, 16)
    assert vectors.shape == (10, 64)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(10), abs=1e-5)
    assert MAX_VALUES == 2**23


ODD_TEXT = st.text(max_size=60) | st.sampled_from(
    ["", "\x00\x07\ud800", "a" * 5000, "мост bridge 桥 جسر", "\u202e\u200b", "१२३ 45"]
)
# Control characters, mixed scripts, unknown languages and vectors that are none.
ODD_VALUE = st.sampled_from([0.0, 1.0, -1.0, float("nan"), float("inf"), 1e30])


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(
            ODD_TEXT,
            ODD_TEXT,
            st.sampled_from(["", "en", "xx", "qaa", "zh"]),
            st.lists(ODD_VALUE, min_size=4, max_size=4),
        ),
        max_size=8,
    )
)
def test_bad_input_never_keeps_a_group_from_its_stories(rows: list[tuple[str, str, str, list[float]]]):
    items = [
        StoryItem(id=f"{number}", title=title, text=text, language=language)
        for number, (title, text, language, _) in enumerate(rows)
    ]
    embeddings = np.array([values for *_, values in rows], dtype=np.float32).reshape(len(rows), 4)
    for vectors in (None, embeddings):
        clusters = cluster_items(items, vectors)
        assert sorted(position for cluster in clusters for position, _ in cluster.members) == list(
            range(len(items))
        )
        assert all(0 <= value <= 1 for cluster in clusters for _, value in cluster.members)


def test_a_sentence_of_200_kb_is_one_item_like_any_other():
    items = [war_report("bridge", number) for number in range(3)]
    items.append(StoryItem(id="long", title="", text="front1 bridgea " * 14_000, language="en"))
    assert len(vectorise(items, None).vectors) == 4
    assert sum(len(story) for story in clusters_of(items)) == 4
