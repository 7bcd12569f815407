"""Which blocks are the page's own text, given how likely each is: the choice with the best expected F1."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from headwater.extract.html.flatten import FlatPage

Array = npt.NDArray[np.float32]

_LOWEST_CUT = 0.15
_HIGHEST_CUT = 0.75
_WORTH_COMPARING = 40
# A short text none of whose blocks is likely is a page's furniture.
_LIKELY_AT_ALL = 0.4
_A_TEXT = 100
_APART = 3
_LIKELY_ALONE = 0.8
_SHORT = 25
_MOSTLY = 0.7
# The expected F1 is too sure of itself. What it was worth on pages of unseen sites, as measured in training.
_EXPECTED = (0.6306, 0.8686, 0.927, 0.9577, 0.974, 0.9842, 0.9893, 0.9932, 0.9967)
_TRUE = (0.5365, 0.7495, 0.8254, 0.9147, 0.9428, 0.959, 0.9659, 0.9818, 0.9818)


@dataclass(frozen=True, slots=True)
class BlockChoice:
    """Blocks in document order; `confidence` is the F1 that such a choice has had on unseen sites."""

    blocks: tuple[int, ...]
    confidence: float
    cut: float
    agreement: float = 0.0


def is_prose(choice: BlockChoice, words: Array) -> bool:
    """Whether most of what was chosen stands in long blocks."""
    chosen = words[list(choice.blocks)]
    return float(chosen[chosen >= _SHORT].sum()) >= _MOSTLY * max(float(chosen.sum()), 1.0)


def without_strays(choice: BlockChoice, likely: Array, words: Array) -> BlockChoice:
    """Without short blocks that stand apart from all others, unless they are likely on their own.

    An article is written in one piece; what was chosen far from it is a caption, a teaser or a notice.
    """
    chosen = np.zeros(len(words), bool)
    chosen[list(choice.blocks)] = True
    near = np.zeros(len(words), bool)
    for step in range(1, _APART + 1):
        near[step:] |= chosen[:-step]
        near[:-step] |= chosen[step:]
    kept = chosen & (near | (likely >= _LIKELY_ALONE) | (words > _SHORT))
    return replace(choice, blocks=tuple(np.flatnonzero(kept).tolist())) if kept.any() else choice


def agreement(chosen: Sequence[int], other: npt.NDArray[np.bool_], words: Array) -> float:
    """How much two choices have in common: F1 in words."""
    mine = np.zeros(len(words), bool)
    mine[list(chosen)] = True
    common = float(words[mine & other].sum())
    return 2 * common / max(float(words[mine].sum() + words[other].sum()), 1.0)


def choose_blocks(likely: Array, words: Array, texts: Sequence[str]) -> BlockChoice:
    """At least one block is there to choose from."""
    order = np.argsort(-likely, kind="stable")
    hits = np.cumsum((likely * words)[order], dtype=np.float64)
    expected = 2 * hits / (np.cumsum(words[order], dtype=np.float64) + hits[-1] + 1e-9)
    best = int(np.argmax(expected))
    cut = float(np.clip(likely[order[best]], _LOWEST_CUT, _HIGHEST_CUT))
    blocks = np.flatnonzero(likely >= cut).tolist()
    if float(likely.max()) < _LIKELY_AT_ALL and float(words[blocks].sum()) < _A_TEXT:
        blocks = []
    return BlockChoice(_without_repeats(blocks, texts), _worth(float(expected[best])), cut)


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


WordCounts = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]

_A_TEXT_OF_ITS_OWN = 100
_LONG = 25
# Below an article that is not declared as one, comments are dropped only while the article is the larger part.
_LARGER_PART = 0.5
_SECTION = re.compile(
    r"(?:^|[\s_-])(?:comments?|kommentare?|comentarios?|commentaires?|commenti|reacties|yorumlar|disqus(?:_thread)?|respond)"
    r"(?:[-_]?(?:list|section|area|wrap(?:per)?|container|block|box|thread|body|content|inner|main|s))?(?=\s|$)",
    re.IGNORECASE,
)


def without_comments(choice: BlockChoice, comments: Flags, words: WordCounts) -> BlockChoice:
    """What readers wrote below an article is not the article, as long as there is one above."""
    kept = tuple(block for block in choice.blocks if not comments[block])
    enough = float(words[list(kept)].sum()) >= _A_TEXT_OF_ITS_OWN
    return replace(choice, blocks=kept) if enough else choice


def without_comment_sections(
    choice: BlockChoice, page: FlatPage, comments: Flags, words: WordCounts
) -> BlockChoice:
    """The same for pages that do not say what they are: whole sections only, and only after a text of some length."""
    if not comments[list(choice.blocks)].any():
        return choice
    start = next((block for block in choice.blocks if page.words[block] >= _LONG), 0)
    inside = np.zeros(len(words), bool)
    for first, last in _sections(page):
        inside[first:last] |= first > start
    kept = tuple(block for block in choice.blocks if not inside[block])
    if len(kept) == len(choice.blocks):
        return choice
    above = [block for block in kept if block < int(np.argmax(inside))]
    enough = float(words[above].sum()) >= _A_TEXT_OF_ITS_OWN
    larger = float(words[list(kept)].sum()) >= _LARGER_PART * float(words[list(choice.blocks)].sum())
    return replace(choice, blocks=kept) if enough and larger else choice


def _sections(page: FlatPage) -> Iterator[tuple[int, int]]:
    """First and last block of every element whose class or id is that of a comment section."""
    for attributes, first, last in zip(page.attributes, page.first, page.last, strict=True):
        if first < last and attributes and _SECTION.search(_names(attributes)):
            yield first, last


def _names(attributes: str) -> str:
    parts = attributes.split('"')
    values = dict(zip(parts[::2], parts[1::2], strict=False))
    return f"{values.get(' class=', '')} {values.get(' id=', '')}"
