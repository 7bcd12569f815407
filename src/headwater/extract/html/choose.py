"""Which blocks are the page's own text, given how likely each is: the choice with the best expected F1."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]

_LOWEST_CUT = 0.15
_HIGHEST_CUT = 0.75
_WORTH_COMPARING = 40


@dataclass(frozen=True, slots=True)
class Choice:
    """Blocks in document order; `confidence` is the expected F1 of choosing them."""

    blocks: tuple[int, ...]
    confidence: float
    cut: float


def choose(likely: Array, words: Array, texts: Sequence[str]) -> Choice:
    if not len(likely):
        return Choice((), 0.0, _HIGHEST_CUT)
    order = np.argsort(-likely, kind="stable")
    hits = np.cumsum((likely * words)[order], dtype=np.float64)
    expected = 2 * hits / (np.cumsum(words[order], dtype=np.float64) + hits[-1] + 1e-9)
    best = int(np.argmax(expected))
    cut = float(np.clip(likely[order[best]], _LOWEST_CUT, _HIGHEST_CUT))
    blocks = np.flatnonzero(likely >= cut).tolist()
    return Choice(_without_repeats(blocks, texts), float(expected[best]), cut)


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
