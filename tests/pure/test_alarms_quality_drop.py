"""A fall in quality is distinguished from daily variation."""

import random

from hypothesis import given
from hypothesis import strategies as st

from headwater.ops.alarms.quality_drop import MIN_DROP, MIN_EARLIER, RECENT, detect_quality_drop

scores = st.floats(0, 1, allow_nan=False)


def noisy(middle: float, count: int, seed: int) -> list[float]:
    draw = random.Random(seed)
    return [min(1.0, max(0.0, draw.gauss(middle, 0.1))) for _ in range(count)]


def test_c37_a_page_that_can_no_longer_be_read_is_reported():
    drop = detect_quality_drop([*noisy(0.8, 60, 1), *([0.0] * RECENT)])
    assert drop is not None
    assert drop.now == 0
    assert 0.7 < drop.before < 0.9


def test_c37_a_worse_reading_is_reported():
    assert detect_quality_drop([*noisy(0.8, 60, 2), *noisy(0.45, RECENT, 3)]) is not None


def test_a_steady_source_is_not_reported():
    reported = sum(detect_quality_drop(noisy(0.6, 100, seed)) is not None for seed in range(500))
    assert reported == 0


def test_a_source_that_always_was_poor_is_not_reported():
    assert detect_quality_drop([0.1] * 200) is None


def test_one_bad_document_is_not_a_drop():
    assert detect_quality_drop([*noisy(0.8, 60, 4), 0.0]) is None


@given(st.lists(scores, max_size=MIN_EARLIER + RECENT - 1))
def test_too_few_scores_are_never_reported(scores: list[float]):
    assert detect_quality_drop(scores) is None


@given(st.lists(scores, min_size=MIN_EARLIER + RECENT, max_size=120))
def test_only_falling_scores_are_reported(scores: list[float]):
    drop = detect_quality_drop(scores)
    if drop is not None:
        assert drop.before - drop.now >= MIN_DROP
        assert drop.z_score >= 3
    assert detect_quality_drop(sorted(scores)) is None


@given(
    st.lists(scores, min_size=MIN_EARLIER, max_size=80), st.lists(scores, min_size=RECENT, max_size=RECENT)
)
def test_the_order_within_each_part_changes_nothing(earlier: list[float], recent: list[float]):
    mixed = detect_quality_drop([*reversed(earlier), *reversed(recent)])
    drop = detect_quality_drop([*earlier, *recent])
    assert (mixed is None) == (drop is None)


@given(
    st.lists(scores, min_size=MIN_EARLIER, max_size=80), st.lists(scores, min_size=RECENT, max_size=RECENT)
)
def test_a_score_below_a_reported_one_is_reported_too(earlier: list[float], recent: list[float]):
    if detect_quality_drop([*earlier, *recent]) is not None:
        assert detect_quality_drop([*earlier, *([0.0] * RECENT)]) is not None
