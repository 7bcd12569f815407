"""Where the prose of a page is: the elements around each block, and those that hold most of it. Every sum over a subtree is a
difference of two cumulative sums."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from headwater.extract.html.classifier.arrays import Array, Numbers, distances_from, logs_of
from headwater.extract.html.classifier.characters import CharacterTable
from headwater.extract.html.classifier.elements import ElementTable
from headwater.extract.html.flatten import TAG_NUMBER

LEVELS = 5
ANCESTOR_ROWS = 7 * (LEVELS - 1) + 2
_PICKS, _MERITS = 7, 4
CONTAINER_ROWS = 4 * _PICKS + _MERITS
# Whether a block is inside the smallest element with three quarters of the prose.
CORE_ROW = 4
_SHARES = np.array([[0.5], [0.75], [0.9]])
_ARTICLE, _MAIN = TAG_NUMBER["article"], TAG_NUMBER["main"]
_ARTICLE_BODY = 0b10000
_LARGEST = np.iinfo(np.int64).max

Column = npt.NDArray[Any]
Totals = npt.NDArray[np.float64]


def chain_of(elements: ElementTable, block_elements: Numbers) -> Numbers:
    """The element of each block and those around it, without wrappers that add nothing: one row per level."""
    chain = np.empty((LEVELS, len(block_elements)), np.int64)
    elements.top.take(block_elements, out=chain[0], mode="clip")
    around = elements.top.take(elements.parent)
    for level in range(1, LEVELS):
        around.take(chain[level - 1], out=chain[level], mode="clip")
    return chain


@dataclass(frozen=True, slots=True)
class Sums:
    """Cumulative sums over blocks in document order: all words, linked words, words of prose, blocks with prose."""

    total: Totals

    def over(self, first: Numbers, last: Numbers) -> Totals:
        return self.total.take(last, axis=1) - self.total.take(first, axis=1)


def sums_of(letters: CharacterTable, prose: Array) -> Sums:
    amounts = np.array((letters.words, letters.words * letters.link_density, prose, prose > 0), np.float32)
    total = np.zeros((4, len(prose) + 1), np.float64)
    np.add.accumulate(amounts, axis=1, out=total[:, 1:])
    return Sums(total)


def write_ancestors(rows: Array, elements: ElementTable, chain: Numbers, sums: Sums) -> None:
    """All levels at once."""
    page_words, _, page_good, _ = np.maximum(sums.total[:, -1], 1).tolist()
    first, last = elements.first.take(chain[1:]), elements.last.take(chain[1:])
    words, linked, prose, prose_blocks = sums.over(first, last)
    np.maximum(words, 1, out=words)
    size = last - first
    by_feature = rows[:-2].reshape(LEVELS - 1, 7, -1).swapaxes(0, 1)
    np.divide(words, page_words, out=by_feature[0])
    np.divide(linked, words, out=by_feature[1])
    np.divide(prose, page_good, out=by_feature[2])
    np.divide(prose, words, out=by_feature[3])
    np.log1p(words, out=by_feature[4])
    by_feature[5] = logs_of(size)
    np.divide(prose_blocks, np.maximum(size, 1), out=by_feature[6])
    order = np.arange(len(rows[0]))
    rows[-2] = logs_of(order - first[0])
    rows[-1] = logs_of(last[0] - 1 - order)


def write_containers(rows: Array, elements: ElementTable, chain: Numbers, sums: Sums) -> None:
    """The smallest elements with half, three quarters and most of the prose, and others."""
    count = len(rows[0])
    words, linked, prose, _ = sums.over(elements.first, elements.last)
    total = max(prose[0], 1e-6)
    merit = _merit(elements, prose, words, linked)
    rows[:-_MERITS] = 0
    for number, pick in enumerate(_containers(elements, prose, words, merit)):
        if pick < 0:
            continue
        first, last = int(elements.first[pick]), int(elements.last[pick])
        inside, from_start, from_end, share = rows[4 * number : 4 * number + 4]
        inside[first:last] = 1
        from_start[:] = distances_from(first, count)
        np.negative(distances_from(last - 1, count), out=from_end)
        share[:] = prose[pick] / total
    np.divide(merit.take(chain[:_MERITS]), max(np.maximum.reduce(merit), 1e-6), out=rows[-_MERITS:])


def _containers(elements: ElementTable, prose: Column, words: Column, merit: Column) -> list[int]:
    """The elements themselves; -1 for one that the page does not have."""
    is_enough = prose >= _SHARES * max(prose[0], 1e-6)
    picks = np.where(is_enough, elements.last - elements.first, _LARGEST).argmin(axis=1).tolist()
    weight = prose + 1e-3 * words
    named = (elements.tag == _ARTICLE, elements.tag == _MAIN, (elements.names & _ARTICLE_BODY) > 0)
    return [*picks, int(merit.argmax()), *(_largest(weight, allowed) for allowed in named)]


def _merit(elements: ElementTable, prose: Column, words: Column, linked: Column) -> Column:
    """Prose directly below an element, half of that below its children; links count against it."""
    parent, count = elements.parent[1:], len(prose)
    child_good = np.bincount(parent, prose[1:], minlength=count)
    direct = np.bincount(parent, (prose * elements.leaf)[1:], minlength=count)
    grand = np.bincount(parent, direct[1:], minlength=count)
    score = direct + 0.5 * grand + 0.05 * child_good
    merit: Column = score * (1 - linked / np.maximum(words, 1))
    return merit


def _largest(weight: Column, allowed: npt.NDArray[np.bool_]) -> int:
    candidates = allowed.nonzero()[0]
    return int(candidates[weight.take(candidates).argmax()]) if len(candidates) else -1
