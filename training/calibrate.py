"""Calibration: the true F1 of pages that the network has not seen, by expected F1."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

KNOTS = 9


def expected_and_true(likely: Array, words: Array, labels: Array) -> tuple[float, float]:
    """The expected F1 of the best choice on a page, and the F1 that it really has."""
    order = np.argsort(-likely, kind="stable")
    hits = np.cumsum((likely * words)[order])
    expected = 2 * hits / (np.cumsum(words[order]) + hits[-1] + 1e-9)
    best = int(np.argmax(expected))
    selected = likely >= likely[order[best]]
    gold_words = float((labels * words).sum())
    true = 2 * float((labels * words)[selected].sum()) / max(float(words[selected].sum()) + gold_words, 1.0)
    return float(expected[best]), true


def knots(pairs: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    """A rising line through the means of equally large groups of pages."""
    ordered = np.array(sorted(pairs))
    groups = np.array_split(ordered, KNOTS)
    expected = [float(group[:, 0].mean()) for group in groups]
    true = _rising([float(group[:, 1].mean()) for group in groups])
    return [round(value, 4) for value in expected], [round(value, 4) for value in true]


def _rising(values: list[float]) -> list[float]:
    """The nearest sequence that never falls: neighbours that do are pooled."""
    pools: list[list[float]] = []
    for value in values:
        pools.append([value])
        while len(pools) > 1 and np.mean(pools[-2]) > np.mean(pools[-1]):
            pools[-2:] = [pools[-2] + pools[-1]]
    return [float(np.mean(pool)) for pool in pools for _ in pool]
