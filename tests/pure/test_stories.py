"""Properties that hold for all stories."""

from dataclasses import replace
from datetime import timedelta
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.pure.newsroom import EVENTS, START, report, reports

from headwater.model.errors import Refused
from headwater.stories.clustering.build_stories import build_stories
from headwater.stories.clustering.cluster_items import cluster_items, single_linkage
from headwater.stories.clustering.similarity import StoryItem, normalise_rows

words = st.lists(
    st.sampled_from([word for event_words in EVENTS.values() for word in event_words]), max_size=12
).map(" ".join)
moments = st.none() | st.integers(0, 60 * 24).map(lambda hours: START + timedelta(hours=hours))


@st.composite
def corpora(draw: st.DrawFn) -> list[StoryItem]:
    """Articles of up to three groups; some empty, some identical."""
    articles = draw(st.lists(st.tuples(words, words, moments, st.sampled_from("abc")), max_size=14))
    return [
        StoryItem(id=f"{number}", title=title, text=text, published_at=moment, group=group)
        for number, (title, text, moment, group) in enumerate(articles)
    ]


def encode(items: list[StoryItem]) -> np.ndarray:
    """Vectors as of an encoder: they depend on the content only."""
    rows = [np.random.default_rng(crc32(item.title.encode())).normal(size=24) for item in items]
    return normalise_rows(np.array(rows, dtype=np.float32).reshape(len(items), 24))


def stories_of(items: list[StoryItem], **how: object) -> set[tuple[str, frozenset[str]]]:
    return {(story.id, frozenset(m.document for m in story.members)) for story in build_stories(items, **how)}


@settings(max_examples=60)
@given(corpora(), st.booleans())
def test_g11_g12_every_entry_is_in_exactly_one_story_and_no_story_spans_two_groups(
    items: list[StoryItem], encoded: bool
):
    stories = build_stories(items, encode(items) if encoded else None)
    placed = sorted(member.document for story in stories for member in story.members)
    assert placed == sorted(item.id for item in items)
    groups = {item.id: item.group for item in items}
    for story in stories:
        assert {groups[member.document] for member in story.members} == {story.group}
        assert all(0 <= member.similarity <= 1 for member in story.members)


@settings(max_examples=40)
@given(corpora(), st.randoms(use_true_random=False), st.booleans())
def test_the_order_of_the_input_changes_nothing(items: list[StoryItem], generator: object, encoded: bool):
    mixed = list(items)
    generator.shuffle(mixed)
    assert stories_of(items, embeddings=encode(items) if encoded else None) == stories_of(
        mixed, embeddings=encode(mixed) if encoded else None
    )


def test_events_are_separated_by_their_words():
    clusters = cluster_items(reports(per_event=8))
    assert len(clusters) == len(EVENTS)
    items = reports(per_event=8)
    for cluster in clusters:
        assert len({items[position].id.split("-")[0] for position, _ in cluster.members}) == 1


def test_articles_that_share_nothing_stay_alone():
    alone = [report(event, 0) for event in EVENTS]
    assert all(len(cluster.members) == 1 for cluster in cluster_items(alone))


def test_two_copies_alone_in_the_world_are_one_story():
    article = report("mill", 1)
    assert [len(c.members) for c in cluster_items([article, replace(article, id="other")])] == [2]


def test_lone_surrogates_and_empty_titles_are_accepted():
    items = [
        StoryItem(id="a", title="port \ud800 \x00"),
        StoryItem(id="b"),
        StoryItem(id="c", text="\u0301\u200d"),
    ]
    assert sum(len(cluster.members) for cluster in cluster_items(items)) == 3


def test_an_empty_corpus_and_a_single_article_are_clustered():
    assert cluster_items([]) == []
    assert [cluster.members for cluster in cluster_items([report("vote", 1)])] == [((0, 1.0),)]


def test_g12_the_largest_story_comes_first_then_the_most_recent():
    items = [*reports("mill", per_event=5), *reports("vote", per_event=3), *reports("quake", per_event=3)]
    items = [
        replace(i, published_at=i.published_at + timedelta(days=1)) if "quake" in i.id else i for i in items
    ]
    stories = build_stories(items)
    assert [story.members[0].document.split("-")[0] for story in stories] == ["mill", "quake", "vote"]
    assert [len(story.members) for story in stories] == [5, 3, 3]


def test_a_new_days_entries_join_yesterdays_story_and_it_keeps_its_id():
    yesterday = reports("mill", "quake", per_event=5)
    first = {story.id: story for story in build_stories(yesterday)}
    today = [
        *yesterday,
        *(report("mill", number) for number in range(5, 12)),
        *reports("rocket", per_event=4),
    ]
    second = {story.id: story for story in build_stories(today, earlier=list(first.values()))}
    assert set(first) < set(second)
    for name, story in first.items():
        assert {m.document for m in story.members} <= {m.document for m in second[name].members}


def test_a_story_is_called_by_the_headline_nearest_its_centre():
    story = build_stories(reports("rocket", per_event=6))[0]
    nearest = story.members[0]
    assert story.title == next(i.title for i in reports("rocket", per_event=6) if i.id == nearest.document)
    assert nearest.similarity == max(member.similarity for member in story.members)


def test_g12_g20_the_reference_chains_neighbours_from_065_on():
    angles = np.array([0.0, 0.8, 1.6, 3.5])
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    assert single_linkage(circle).tolist() == [0, 0, 0, 3]
    assert single_linkage(circle, cosine=0.75).tolist() == [0, 1, 2, 3]


def test_g20_documents_are_chained_only_through_their_neighbours():
    close = normalise_rows(np.array([[1, 0.001 * n] for n in range(14)], dtype=np.float32))
    assert set(single_linkage(close).tolist()) == {0}
    assert set(single_linkage(close, neighbours=0).tolist()) == set(range(14))


def test_the_reference_profile_is_refused_without_vectors():
    with pytest.raises(Refused, match="headwater\\[nlp\\]"):
        cluster_items(reports("mill"), profile="reference")


def test_meaning_joins_what_words_do_not():
    items = [
        StoryItem(id=f"{n}", title=title)
        for n, title in enumerate(("ship aground", "vessel stranded", "poll"))
    ]
    vectors = normalise_rows(np.array([[1, 0.1, 0], [1, 0, 0.1], [0, 0, 1]], dtype=np.float32))
    assert [len(cluster.members) for cluster in cluster_items(items, np.hstack([vectors, vectors]))] == [2, 1]
    assert [len(cluster.members) for cluster in cluster_items(items)] == [1, 1, 1]
