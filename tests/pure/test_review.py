"""Samples are random, reproducible and nested; the precision comes with an interval that holds for small samples."""

from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.model.review import draw_sample, summarize_reviews, wilson_interval

IDS = st.sets(st.text("abcdef0123456789", min_size=4, max_size=8), min_size=1, max_size=300)


@given(IDS, st.floats(0.001, 1), st.text())
def test_a_sample_depends_on_documents_and_seed_and_not_on_their_order(
    ids: set[str], share: float, seed: str
):
    sample = draw_sample(sorted(ids), share, seed)
    assert sample == draw_sample(sorted(ids, reverse=True), share, seed)
    assert len(sample) == max(1, ceil(len(ids) * share))
    assert set(sample) <= ids


@given(IDS, st.floats(0.001, 0.5))
def test_a_larger_share_contains_the_smaller_one(ids: set[str], share: float):
    assert set(draw_sample(ids, share, "s")) <= set(draw_sample(ids, share * 2, "s"))


def test_every_document_is_drawn_about_equally_often():
    ids = [f"document-{number}" for number in range(100)]
    counts = dict.fromkeys(ids, 0)
    for seed in range(400):
        for document in draw_sample(ids, 0.1, str(seed)):
            counts[document] += 1
    assert min(counts.values()) > 15
    assert max(counts.values()) < 75


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(10, 10, 0.7225, 1.0), (95, 100, 0.8882, 0.9785), (0, 5, 0.0, 0.4345), (990, 1000, 0.9817, 0.9946)],
)
def test_the_interval_is_that_of_wilson(successes: int, trials: int, low: float, high: float):
    assert wilson_interval(successes, trials) == pytest.approx((low, high), abs=1e-4)


def test_open_and_unsure_documents_do_not_count_for_the_precision():
    summary = summarize_reviews(["right", "right", "wrong", "unsure", None])
    assert (summary.drawn, summary.right, summary.wrong, summary.unsure, summary.open) == (5, 2, 1, 1, 1)
    assert summary.precision == 2 / 3
    assert summarize_reviews([None, "unsure"]).precision is None
