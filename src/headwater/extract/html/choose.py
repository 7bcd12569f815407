"""Which blocks are the page's own text, given how likely each is: the choice with the best expected F1."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]

_LOWEST_CUT = 0.15
_HIGHEST_CUT = 0.75
_WORTH_COMPARING = 40
# The expected F1 is too sure of itself. What it was worth on pages of unseen sites, as measured in training.
_EXPECTED = (0.6506, 0.8728, 0.9245, 0.9555, 0.9717, 0.9812, 0.9875, 0.992, 0.9961)
_TRUE = (0.5264, 0.7648, 0.8303, 0.9138, 0.9488, 0.9533, 0.9619, 0.9814, 0.9821)


@dataclass(frozen=True, slots=True)
class Choice:
    """Blocks in document order; `confidence` is the F1 that such a choice has had on unseen sites."""

    blocks: tuple[int, ...]
    confidence: float
    cut: float
    agreement: float = 0.0


def agreement(chosen: Sequence[int], other: npt.NDArray[np.bool_], words: Array) -> float:
    """How much two choices have in common: F1 in words."""
    mine = np.zeros(len(words), bool)
    mine[list(chosen)] = True
    common = float(words[mine & other].sum())
    return 2 * common / max(float(words[mine].sum() + words[other].sum()), 1.0)


def choose(likely: Array, words: Array, texts: Sequence[str]) -> Choice:
    """At least one block is there to choose from."""
    order = np.argsort(-likely, kind="stable")
    hits = np.cumsum((likely * words)[order], dtype=np.float64)
    expected = 2 * hits / (np.cumsum(words[order], dtype=np.float64) + hits[-1] + 1e-9)
    best = int(np.argmax(expected))
    cut = float(np.clip(likely[order[best]], _LOWEST_CUT, _HIGHEST_CUT))
    blocks = np.flatnonzero(likely >= cut).tolist()
    return Choice(_without_repeats(blocks, texts), _worth(float(expected[best])), cut)


def _worth(expected: float) -> float:
    below = expected * _TRUE[0] / _EXPECTED[0]
    return below if expected < _EXPECTED[0] else float(np.interp(expected, _EXPECTED, _TRUE))


def _without_repeats(blocks: list[int], texts: Sequence[str]) -> tuple[int, ...]:
    """Pages carry copies of their text for other screens; a long block is kept once."""
    seen: set[str] = set()
    kept = []
    for block in blocks:
        text = texts[block]
        if len(text) >= _WORTH_COMPARING:
            if text in seen:
                continue
            seen.add(text)
        kept.append(block)
    return tuple(kept)
