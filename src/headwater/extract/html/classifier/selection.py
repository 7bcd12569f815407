"""Which blocks are the page's own text, given their probabilities: the choice with the best expected F1."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from headwater.extract.html.flatten import FlatPage

Array = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]

# As precise as the probabilities are.
_LOWEST_CUT = np.float32(0.15)
_HIGHEST_CUT = np.float32(0.75)
_WORTH_COMPARING = 40
# A short text without a single likely block is boilerplate.
_LEAST_BEST = 0.4
_A_TEXT = 100
_NEIGHBOURS = 3
_SURE_ALONE = 0.8
_SHORT = 25
_MOSTLY = 0.7
# The expected F1 is too optimistic. This is what it was worth on pages of unseen sites, as measured in training.
_EXPECTED_F1 = (0.6306, 0.8686, 0.927, 0.9577, 0.974, 0.9842, 0.9893, 0.9932, 0.9967)
_MEASURED_F1 = (0.5365, 0.7495, 0.8254, 0.9147, 0.9428, 0.959, 0.9659, 0.9818, 0.9818)
# Below an article that is not declared as one, comments are dropped only while the article is the larger part.
_LARGER_PART = 0.5
_COMMENT_SECTION = re.compile(
    r"(?:^|[\s_-])(?:comments?|kommentare?|comentarios?|commentaires?|commenti|reacties|yorumlar|disqus(?:_thread)?|respond)"
    r"(?:[-_]?(?:list|section|area|wrap(?:per)?|container|block|box|thread|body|content|inner|main|s))?(?=\s|$)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class BlockChoice:
    """Blocks in document order; `confidence` is the F1 that such a choice has had on unseen sites."""

    blocks: tuple[int, ...]
    confidence: float
    cut: float
    agreement: float = 0.0


def is_prose(choice: BlockChoice, words: Array) -> bool:
    """Whether most of what was chosen stands in long blocks."""
    word_counts = words[list(choice.blocks)]
    return float(word_counts[word_counts >= _SHORT].sum()) >= _MOSTLY * max(float(word_counts.sum()), 1.0)


def without_strays(choice: BlockChoice, probabilities: Array, words: Array) -> BlockChoice:
    """The choice without short blocks far from all others, unless their probability is high.

    An article is one piece; a block chosen far from it is a caption, a teaser or a notice.
    """
    is_chosen = np.zeros(len(words), bool)
    is_chosen[list(choice.blocks)] = True
    is_near = np.zeros(len(words), bool)
    for step in range(1, _NEIGHBOURS + 1):
        is_near[step:] |= is_chosen[:-step]
        is_near[:-step] |= is_chosen[step:]
    is_kept = is_chosen & (is_near | (probabilities >= _SURE_ALONE) | (words > _SHORT))
    blocks = tuple(is_kept.nonzero()[0].tolist())
    return replace(choice, blocks=blocks) if blocks else choice


def agreement(blocks: Sequence[int], other: npt.NDArray[np.bool_], words: Array) -> float:
    """How much two choices have in common: F1 in words."""
    is_chosen = np.zeros(len(words), bool)
    is_chosen[list(blocks)] = True
    shared_words = float(words[is_chosen & other].sum())
    return 2 * shared_words / max(float(words[is_chosen].sum() + words[other].sum()), 1.0)


def choose_blocks(probabilities: Array, words: Array, texts: Sequence[str]) -> BlockChoice:
    """The best choice; the page has at least one block."""
    order = (-probabilities).argsort(kind="stable")
    hits = np.add.accumulate((probabilities * words).take(order), dtype=np.float64)
    expected = 2 * hits / (np.add.accumulate(words.take(order), dtype=np.float64) + hits[-1] + 1e-9)
    best = int(expected.argmax())
    cut = float(min(max(probabilities[order[best]], _LOWEST_CUT), _HIGHEST_CUT))
    blocks = (probabilities >= cut).nonzero()[0].tolist()
    if float(probabilities[order[0]]) < _LEAST_BEST and float(words[blocks].sum()) < _A_TEXT:
        blocks = []
    return BlockChoice(_without_repeats(blocks, texts), _calibrated(float(expected[best])), cut)


def _calibrated(expected: float) -> float:
    below = expected * _MEASURED_F1[0] / _EXPECTED_F1[0]
    if expected < _EXPECTED_F1[0]:
        return below
    place = bisect_right(_EXPECTED_F1, expected)
    if place == len(_EXPECTED_F1):
        return _MEASURED_F1[-1]
    (start, end), (low, high) = _EXPECTED_F1[place - 1 : place + 1], _MEASURED_F1[place - 1 : place + 1]
    return (high - low) / (end - start) * (expected - start) + low


def _without_repeats(blocks: list[int], texts: Sequence[str]) -> tuple[int, ...]:
    """Each long block once: pages have copies of their text for other screens."""
    long_texts: set[str] = set()
    unique = []
    for block in blocks:
        text = texts[block]
        if len(text) >= _WORTH_COMPARING:
            if text in long_texts:
                continue
            long_texts.add(text)
        unique.append(block)
    return tuple(unique)


def without_comments(choice: BlockChoice, comments: Flags, words: Array) -> BlockChoice:
    """The choice without what readers wrote below an article, as long as there is an article above."""
    blocks = tuple(block for block in choice.blocks if not comments[block])
    is_enough = float(words[list(blocks)].sum()) >= _A_TEXT
    return replace(choice, blocks=blocks) if is_enough else choice


def without_comment_sections(
    choice: BlockChoice, page: FlatPage, comments: Flags, words: Array
) -> BlockChoice:
    """The same for pages that do not declare what they are: only whole sections, and only after a longer text."""
    if not comments[list(choice.blocks)].any():
        return choice
    start = next((block for block in choice.blocks if page.words[block] >= _SHORT), 0)
    is_comment = np.zeros(len(words), bool)
    for first, last in _comment_sections(page):
        is_comment[first:last] |= first > start
    blocks = tuple(block for block in choice.blocks if not is_comment[block])
    if len(blocks) == len(choice.blocks):
        return choice
    above = [block for block in blocks if block < int(np.argmax(is_comment))]
    is_enough = float(words[above].sum()) >= _A_TEXT
    is_larger_part = float(words[list(blocks)].sum()) >= _LARGER_PART * float(
        words[list(choice.blocks)].sum()
    )
    return replace(choice, blocks=blocks) if is_enough and is_larger_part else choice


def _comment_sections(page: FlatPage) -> Iterator[tuple[int, int]]:
    """The first and last block of every element whose class or id is that of a comment section."""
    for attributes, first, last in zip(page.attributes, page.first, page.last, strict=True):
        if first < last and attributes and _COMMENT_SECTION.search(_class_and_id(attributes)):
            yield first, last


def _class_and_id(attributes: str) -> str:
    parts = attributes.split('"')
    values = dict(zip(parts[::2], parts[1::2], strict=False))
    return f"{values.get(' class=', '')} {values.get(' id=', '')}"
