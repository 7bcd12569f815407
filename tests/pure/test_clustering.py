"""The parts of clustering: linkage, dendrogram, silhouette, communities, neighbours, terms, time decay."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.pure.newsroom import EVENTS, report, reports

from headwater.stories.clustering import neighbours, windows
from headwater.stories.clustering.build_stories import build_stories
from headwater.stories.clustering.cluster_items import cluster_items
from headwater.stories.clustering.dendrogram import Dendrogram, DocumentRows, build_dendrogram
from headwater.stories.clustering.linkage import Join, linkage_joins
from headwater.stories.clustering.louvain import build_graph, find_communities
from headwater.stories.clustering.neighbours import Neighbours, nearest_neighbours
from headwater.stories.clustering.silhouette import SilhouetteInput, SingletonFit, silhouettes
from headwater.stories.clustering.similarity import (
    ENCODER_WORDS,
    StoryItem,
    normalise_rows,
    time_decay,
    to_days,
    vectorise,
)
from headwater.stories.clustering.sparse_linkage import ClusterSums, distinct_pairs, link_clusters
from headwater.stories.clustering.threshold import (
    HYBRID,
    best_threshold,
    companion_doublings,
    guess_threshold,
)
from headwater.stories.terms import count_terms


def labels_of(joins: list[Join], rows: int) -> np.ndarray:
    """The first row of the cluster of each row."""
    labels = np.arange(rows)
    for target, absorbed in reversed(joins):
        labels[absorbed] = labels[target]
    return labels


def by_hand(similarity: np.ndarray, minimum: float) -> set[frozenset[int]]:
    """The textbook definition: join the two clusters with the highest mean similarity, again and again."""
    clusters = [frozenset([row]) for row in range(len(similarity))]
    while len(clusters) > 1:
        means = {
            (a, b): float(np.mean([similarity[i, j] for i in a for j in b]))
            for n, a in enumerate(clusters)
            for b in clusters[n + 1 :]
        }
        (first, second), best = max(means.items(), key=lambda pair: pair[1])
        if best < minimum:
            break
        clusters = [c for c in clusters if c not in {first, second}] + [first | second]
    return set(clusters)


@settings(max_examples=40)
@given(st.integers(1, 9), st.integers(0, 2**32 - 1), st.floats(-0.5, 0.9))
def test_linkage_is_textbook_average_linkage(size: int, seed: int, minimum: float):
    rows = normalise_rows(np.random.default_rng(seed).normal(size=(size, 3)).astype(np.float32))
    similarity = rows @ rows.T
    labels = labels_of(linkage_joins(similarity.copy(), minimum), size)
    clusters = {frozenset(np.flatnonzero(labels == label).tolist()) for label in labels.tolist()}
    assert clusters == by_hand(similarity, minimum)


def two_clusters(apart: float) -> np.ndarray:
    """Six vectors around one direction and six around another."""
    generator = np.random.default_rng(4)
    centres = np.repeat([[1, 0, 0, 0], [1, apart, 0, 0]], 6, axis=0)
    return normalise_rows((centres + 0.05 * generator.normal(size=(12, 4))).astype(np.float32))


def dendrogram_of(
    vectors: np.ndarray, neighbours: np.ndarray, days: np.ndarray | None = None, unlinked: float = 0.0
) -> Dendrogram:
    all_days = np.full(len(vectors), np.nan) if days is None else days
    joins = linkage_joins(vectors @ vectors.T, -1.0)
    return build_dendrogram(joins, DocumentRows(vectors, all_days.astype(np.float32), neighbours), unlinked)


def test_two_clusters_are_one_story_if_they_are_near_or_linked():
    vectors = two_clusters(apart=1.5)
    nearest = nearest_neighbours(vectors, 4).positions
    linked = nearest.copy()
    linked[:, 0] = (np.arange(12) + 6) % 12
    assert dendrogram_of(vectors, nearest, unlinked=0.3).at(0.5).tolist() == [0] * 6 + [6] * 6
    assert dendrogram_of(vectors, linked, unlinked=0.3).at(0.5).tolist() == [0] * 12
    assert dendrogram_of(two_clusters(apart=0.1), nearest, unlinked=0.3).at(0.5).tolist() == [0] * 12


def test_two_clusters_with_months_between_them_are_two_stories():
    vectors, months = two_clusters(apart=0.5), np.repeat([0, 200], 6)
    around = nearest_neighbours(vectors, 11).positions
    assert dendrogram_of(vectors, around).at(0.6).tolist() == [0] * 12
    assert dendrogram_of(vectors, around, months).at(0.6).tolist() == [0] * 6 + [6] * 6


def test_neighbours_outside_the_window_do_not_link():
    vectors = two_clusters(apart=1.5)
    no_neighbours = np.full((12, 4), -1)
    assert dendrogram_of(vectors, no_neighbours, unlinked=0.3).at(0.5).tolist()[6:] == [6] * 6


@settings(max_examples=40)
@given(st.integers(2, 12), st.integers(0, 2**32 - 1), st.floats(-0.5, 0.9), st.floats(0, 0.5))
def test_clusters_at_a_lower_threshold_are_unions_of_those_at_a_higher_one(
    size: int, seed: int, threshold: float, lower: float
):
    rows = normalise_rows(np.random.default_rng(seed).normal(size=(size, 3)).astype(np.float32))
    dendrogram = dendrogram_of(rows, nearest_neighbours(rows, 3).positions, unlinked=0.2)
    fine, coarse = dendrogram.at(threshold), dendrogram.at(threshold - lower)
    assert all(len(set(coarse[fine == name].tolist())) == 1 for name in fine.tolist())
    assert (coarse <= np.arange(size)).all()


def silhouette_by_hand(vectors: np.ndarray, labels: np.ndarray, alone: float) -> float:
    """The textbook definition: mean similarity to its own cluster against that to the nearest other one."""
    similarity, total = vectors @ vectors.T, 0.0
    for row in range(len(vectors)):
        means = {
            name: float(np.mean([similarity[row, r] for r in np.flatnonzero(labels == name) if r != row]))
            for name in set(labels.tolist())
            if (labels == name).sum() > (name == labels[row])
        }
        own_mean = means.pop(labels[row], alone)
        other_mean = max([*means.values(), 0.0])
        total += (own_mean - other_mean) / (1 - min(own_mean, other_mean))
    return total / len(vectors)


@settings(max_examples=40)
@given(st.integers(2, 9), st.integers(0, 2**32 - 1))
def test_for_long_texts_the_fit_is_the_textbook_silhouette(size: int, seed: int):
    generator = np.random.default_rng(seed)
    rows = normalise_rows(np.abs(generator.normal(size=(size, 5))).astype(np.float32))
    fine = generator.integers(0, 4, size)
    coarse = fine // 2
    documents = SilhouetteInput(rows, np.full(size, np.nan, dtype=np.float32), 1.0, np.arange(size))
    scores = silhouettes(documents, [fine, coarse], SingletonFit(0.4, 0.3))
    assert scores == pytest.approx(
        [silhouette_by_hand(rows, labels, 0.3) for labels in (fine, coarse)], abs=1e-4
    )


def test_months_between_two_clusters_favour_two_stories():
    vectors, joined, separate = two_clusters(apart=0.5), np.zeros(12, dtype=np.int64), np.repeat([0, 6], 6)
    for length in (0.0, 1.0):
        for months, stories in ((0, 1), (200, 2)):
            days = np.repeat([0, months], 6).astype(np.float32)
            separate_score, joined_score = silhouettes(
                SilhouetteInput(vectors, days, length, np.arange(12)), [separate, joined], HYBRID.singleton
            )
            assert (separate_score > joined_score) == (stories == 2)


def test_the_threshold_keeps_clusters_whole_and_apart():
    vectors = two_clusters(apart=1.5)
    dendrogram = dendrogram_of(vectors, nearest_neighbours(vectors, 4).positions, unlinked=0.3)
    for guess in (0.15, 0.45):
        for length in (0.0, 1.0):
            documents = SilhouetteInput(vectors, np.full(12, np.nan, dtype=np.float32), length, np.arange(12))
            labels = dendrogram.at(best_threshold(documents, dendrogram.at, HYBRID, guess))
            assert labels.tolist() == [0] * 6 + [6] * 6


def test_communities_are_the_cliques_of_a_ring():
    cliques, size = 6, 5
    edges = [(c * size + a, c * size + b) for c in range(cliques) for a in range(size) for b in range(a)]
    edges += [(c * size, (c + 1) % cliques * size + 1) for c in range(cliques)]
    positions = np.full((cliques * size, 12), -1)
    for row in range(cliques * size):
        around = [b if a == row else a for a, b in edges if row in (a, b)]
        positions[row, : len(around)] = around
    graph = build_graph(Neighbours(positions, np.where(positions >= 0, 1.0, -np.inf).astype(np.float32)))
    labels = find_communities(graph)
    assert [len(set(labels[c * size : (c + 1) * size].tolist())) for c in range(cliques)] == [1] * cliques
    assert len(set(labels.tolist())) == cliques


def test_a_corpus_beyond_the_window_is_divided_as_within_it():
    items = reports(per_event=12)
    in_one_window = {frozenset(m.document for m in story.members) for story in build_stories(items)}
    in_small_windows = {
        frozenset(m.document for m in story.members) for story in build_stories(items, window=20)
    }
    assert in_small_windows == in_one_window
    assert len(in_one_window) == len(EVENTS)


@pytest.fixture
def small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lowers the limits from thousands of documents to dozens."""
    monkeypatch.setattr(windows, "MAX_PART", 50)
    monkeypatch.setattr(windows, "PLAIN_MODULARITY_ROWS", 100)
    monkeypatch.setattr(neighbours, "EXACT", 100)
    monkeypatch.setattr(neighbours, "PER_CELL", 50)


def stories_of(*sizes: int) -> tuple[np.ndarray, np.ndarray]:
    """Shuffled vectors around one direction per size, and the direction of each."""
    generator = np.random.default_rng(8)
    story_of = generator.permutation(np.repeat(np.arange(len(sizes)), sizes))
    centres = generator.normal(size=(len(sizes), 64))
    return normalise_rows(
        (centres[story_of] + 0.8 * generator.normal(size=(len(story_of), 64))).astype(np.float32)
    ), story_of


def clusters_of(vectors: np.ndarray, window: int) -> list[list[int]]:
    labels = windows.cluster_vectors(vectors, np.full(len(vectors), np.nan, dtype=np.float32), HYBRID, window)
    return [np.flatnonzero(labels == name).tolist() for name in np.unique(labels)]


@pytest.mark.usefixtures("small_windows")
@pytest.mark.parametrize("sizes", [(400,), (300, *[10] * 20), (150, 150, 100)])
def test_a_story_larger_than_the_window_stays_whole(sizes: tuple[int, ...]):
    vectors, story_of = stories_of(*sizes)
    gold = sorted(np.flatnonzero(story_of == number).tolist() for number in range(len(sizes)))
    assert sorted(clusters_of(vectors, window=100)) == gold


@pytest.mark.usefixtures("small_windows")
def test_a_divided_corpus_gets_the_same_clusters_as_one_window():
    vectors, _ = stories_of(150, 150, 100, 5, 5, 3, 2)
    assert clusters_of(vectors, window=100) == clusters_of(vectors, window=1000)


@pytest.mark.usefixtures("small_windows")
def test_copies_of_one_text_are_one_story_however_many():
    first, second = np.eye(2, 64, dtype=np.float32)
    copies = np.concatenate([np.tile(first, (300, 1)), np.tile(second, (150, 1))])
    assert clusters_of(copies, window=100) == [list(range(300)), list(range(300, 450))]


@pytest.mark.usefixtures("small_windows")
def test_beyond_the_window_the_order_of_the_input_changes_nothing():
    items, vectors = reports(per_event=40), stories_of(40, 40, 40, 40, 40)[0]
    order = np.random.default_rng(2).permutation(len(items)).tolist()
    stories = build_stories(items, vectors, window=100)
    assert build_stories([items[place] for place in order], vectors[order], window=100) == stories
    assert len(stories) < len(items)


@settings(max_examples=40)
@given(st.integers(1, 12), st.integers(0, 2**32 - 1), st.floats(0.05, 0.9))
def test_clusters_are_linked_until_none_are_near_enough(size: int, seed: int, least: float):
    rows = normalise_rows(np.random.default_rng(seed).normal(size=(size, 3)).astype(np.float32))
    clusters = ClusterSums.of(rows.copy(), np.full(size, np.nan, dtype=np.float32))
    link_clusters(clusters, distinct_pairs(*np.triu_indices(size)), least)
    assert clusters.cluster_of.tolist() == labels_of(clusters.joins, size).tolist()
    remaining = [rows[clusters.cluster_of == name] for name in clusters.names().tolist()]
    means = [
        float((cluster @ other.T).mean())
        for n, cluster in enumerate(remaining)
        for other in remaining[n + 1 :]
    ]
    assert max(means, default=-1.0) < least + 1e-4


def test_only_the_listed_pairs_are_linked():
    clusters = ClusterSums.of(np.ones((4, 1), dtype=np.float32), np.full(4, np.nan, dtype=np.float32))
    link_clusters(clusters, distinct_pairs(np.array([1, 3, 3]), np.array([3, 1, 3])), 0.5)
    assert clusters.joins == [Join(1, 3)]


def test_months_between_two_clusters_keep_them_apart_beyond_the_window_too():
    for months, joined in ((0, 1), (200, 0)):
        days = np.array([0, months], dtype=np.float32)
        clusters = ClusterSums.of(np.full((2, 1), 0.9, dtype=np.float32), days)
        link_clusters(clusters, distinct_pairs(np.array([0]), np.array([1])), 0.5)
        assert len(clusters.joins) == joined


@pytest.mark.parametrize("broken", [np.nan, np.inf, -np.inf, 3e38])
def test_only_words_count_where_an_encoder_returns_no_vector(broken: float):
    items = reports("mill", "quake", per_event=6)
    meanings = np.repeat(np.eye(2, 8, dtype=np.float32), 6, axis=0)
    meanings[[0, 1, 6]] = broken
    clusters = {
        frozenset(place for place, _ in cluster.members) for cluster in cluster_items(items, meanings)
    }
    assert clusters == {frozenset(range(6)), frozenset(range(6, 12))}


def test_documents_without_a_vector_are_not_similar_because_of_that():
    items = [report(event, 1) for event in EVENTS]
    meanings = np.full((len(items), 8), np.nan, dtype=np.float32)
    meanings[0] = np.eye(1, 8)
    assert len(cluster_items(items, meanings)) == len(items)


def test_cells_find_nearly_all_neighbours_of_an_exact_search(monkeypatch: pytest.MonkeyPatch):
    generator = np.random.default_rng(3)
    centres = generator.normal(size=(40, 24))
    rows = normalise_rows(
        (centres[generator.integers(0, 40, 3000)] + 0.7 * generator.normal(size=(3000, 24))).astype(
            np.float32
        )
    )
    exact = nearest_neighbours(rows, 10)
    monkeypatch.setattr(neighbours, "EXACT", 100)
    approximate = nearest_neighbours(rows, 10)
    shared = [
        len(set(a) & set(b))
        for a, b in zip(exact.positions.tolist(), approximate.positions.tolist(), strict=True)
    ]
    assert np.mean(shared) / 10 > 0.95
    assert (approximate.positions != np.arange(3000)[:, None]).all()


def test_neighbours_come_nearest_first_and_never_themselves():
    vectors = vectorise(reports(per_event=4), None).vectors
    nearest = nearest_neighbours(vectors, 5)
    assert (np.diff(nearest.similarities, axis=1) <= 1e-6).all()
    assert all(row not in around for row, around in enumerate(nearest.positions.tolist()))


def test_the_guess_falls_with_companions_and_stays_within_bounds():
    alone = Neighbours(np.zeros((4, 20), dtype=np.int64), np.zeros((4, 20), dtype=np.float32))
    crowd = Neighbours(alone.positions, np.ones((4, 20), dtype=np.float32))
    assert companion_doublings(alone, 0.25) == 0
    assert guess_threshold(alone, HYBRID) == HYBRID.without_companions
    assert (
        guess_threshold(crowd, HYBRID)
        < guess_threshold(alone, HYBRID)
        < guess_threshold(alone, HYBRID, length=1)
        <= HYBRID.highest
    )
    assert guess_threshold(crowd, replace(HYBRID, per_doubling=9)) == HYBRID.lowest
    assert guess_threshold(alone, replace(HYBRID, without_companions=9)) == HYBRID.highest


def test_terms_are_folded_and_stopwords_are_left_out():
    counts = count_terms(
        "The minister's ports and the Ports of São Tomé; el presidente dijo que no. 東京都知事"
    )
    assert counts["port"] == 2
    assert {"minister", "sao", "tome", "presidente", "東京", "京都"} <= set(counts)
    assert not {"the", "and", "of", "el", "que", "dijo"} & set(counts)


def test_only_the_start_of_a_very_long_text_is_counted():
    assert sum(count_terms("harbour " * 100_000).values()) == 2500


@given(st.floats(0, 4000), st.floats(0, 4000))
def test_time_decay_only_lowers_a_similarity(first_day: float, second_day: float):
    near, far = sorted((first_day, second_day))
    start = np.array([0.0], dtype=np.float32)
    closer, farther = (float(time_decay(start, np.array([day], dtype=np.float32))[0]) for day in (near, far))
    assert 0 < farther <= closer <= 1


def test_an_unknown_date_does_not_lower_a_similarity():
    days = to_days([None, None])
    assert time_decay(days[:1], days[1:]).tolist() == [1.0]


def test_an_encoder_reads_the_title_whole_and_the_first_words_that_say_something():
    item = StoryItem(
        id="a", title="It is over", text="The war at sea is over, said the U.N. on Monday. " * 40
    )
    assert item.encoder_text.startswith("It is over. war sea U.N Monday war sea")
    assert len(item.encoder_text.split()) == 3 + ENCODER_WORDS
    assert StoryItem(id="b", title="It is over", text="At sea.").encoder_text == "It is over. At sea."
    assert StoryItem(id="c", title="It is over").encoder_text == "It is over"
