"""The features of each block, as one matrix. Every sum over a subtree is a difference of two cumulative sums."""

from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from headwater.extract.html.classifier.characters import CharacterTable, character_table
from headwater.extract.html.classifier.elements import ElementTable, compact, element_table
from headwater.extract.html.classifier.keywords import COMMENT_BIT, NAME_GROUPS, PHRASE_GROUPS, phrase_masks
from headwater.extract.html.flatten import BLOCK_TAGS, TAG_NUMBER, FlatPage

Array = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]
Column = npt.NDArray[Any]

LEVELS = 5
_SHORT = 25
# Among the columns of containers: whether a block is inside the smallest element with three quarters of the prose.
_CORE_COLUMN = 4
# The pages that the network learned from are labelled in two styles: what belongs to the page, the article alone.
_PAGE_STYLE, _ARTICLE_STYLE = -1.0, 1.0
_TAG_GROUPS = (
    ("p",), ("div",), ("li",), ("td",), ("th",), ("h1",), ("h2",), ("h3",), ("h4", "h5", "h6"), ("blockquote",),
    ("pre", "xmp", "listing"), ("figcaption", "caption"), ("button", "label", "legend", "option"), ("dt", "dd"),
    ("section", "article", "main", "body"), ("header", "footer", "nav", "aside"), ("summary",),
)  # fmt: skip
_AROUND = (
    "article", "main", "section", "nav", "header", "footer", "aside", "form", "table", "ul", "ol", "dl", "figure",
    "blockquote", "details", "li", "button", "label", "dialog", "noscript",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class BlockTable:
    """The matrix, the ranges and groups over which a model averages, and the densest part as a second opinion."""

    matrix: Array
    first: Numbers
    last: Numbers
    template: Numbers
    words: Array
    styles: tuple[float, ...]
    core: npt.NDArray[np.bool_]
    comments: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class PageContext:
    """What the head of the page declares."""

    title: str = ""
    is_article: bool = False


def block_table(page: FlatPage, context: PageContext) -> BlockTable:
    """One row per block of the page; the page has at least one."""
    letters = character_table(page)
    elements = element_table(page)
    block_elements = np.array(page.block_elements, np.int64)
    chain = _chain(elements, block_elements)
    prose = _prose_words(letters)
    sums = _Sums(letters, prose)
    columns: list[Column] = []
    columns += _block_columns(page, letters, prose)
    columns += _wording_columns(page, context)
    columns += _position_columns(prose, elements, block_elements)
    columns += _ancestor_columns(elements, chain, sums)
    containers = _container_columns(elements, chain, sums)
    columns += containers
    own, around = (
        elements.template.take(numbers) for numbers in (block_elements, elements.parent.take(block_elements))
    )
    template, family = compact(own), compact(own * (elements.template.max() + 1) + around)
    columns += _template_columns(template, letters, prose)
    columns += _template_columns(family, letters, prose)
    columns += _page_columns(page, letters, prose, context)
    flags = _flags(elements, block_elements)
    matrix = np.empty((len(columns) + sum(map(len, flags)), len(block_elements)), np.float32)
    row = len(columns)
    np.concatenate(columns, out=matrix[:row].reshape(-1))
    for rows in flags:
        matrix[row : row + len(rows)] = rows
        row += len(rows)
    first, last = elements.first.take(chain[1:4]), elements.last.take(chain[1:4])
    # A page that does not say that it is an article is read in both styles, and the mean decides.
    styles = (_ARTICLE_STYLE,) if context.is_article else (_PAGE_STYLE, _ARTICLE_STYLE)
    comments = (elements.all_names.take(block_elements) & COMMENT_BIT) > 0
    return BlockTable(
        matrix.T, first, last, template, letters.words, styles, containers[_CORE_COLUMN], comments
    )


def _log(values: Column) -> Column:
    result: Column = np.log1p(values)
    return result


def _chain(elements: ElementTable, block_elements: Numbers) -> Numbers:
    """The element of each block and those around it, without wrappers that add nothing: one row per level."""
    chain = np.empty((LEVELS, len(block_elements)), np.int64)
    chain[0] = elements.top.take(block_elements)
    for level in range(1, LEVELS):
        chain[level] = elements.top.take(elements.parent.take(chain[level - 1]))
    return chain


def _prose_words(letters: CharacterTable) -> Array:
    """How many words read like prose: not linked, in sentences, mostly lower case; 0 in a block of few words."""
    share = np.minimum(1, 1.3 * letters.lower_starts) * np.minimum(1, 0.3 + 8 * letters.marks / letters.words)
    prose = letters.words * (1 - letters.link_density) * share
    return np.where(letters.words > 8, prose, 0).astype(np.float32)


class _Sums:
    """Cumulative sums over blocks in document order, by name."""

    def __init__(self, letters: CharacterTable, prose: Array) -> None:
        linked = letters.words * letters.link_density
        table = np.stack([letters.words, linked, prose, (prose > 0).astype(np.float32)], axis=1)
        self.total = np.zeros((len(table) + 1, 4), np.float64)
        np.cumsum(table, axis=0, out=self.total[1:])

    def over(self, first: Numbers, last: Numbers) -> npt.NDArray[np.float64]:
        return self.total.take(last, axis=0) - self.total.take(first, axis=0)


def _block_columns(page: FlatPage, letters: CharacterTable, prose: Array) -> list[Column]:
    length = letters.length
    return [
        _log(letters.words), _log(length), letters.link_density, _log(np.array(page.link_counts)),
        np.minimum(np.array(page.image_counts), 4), np.array(page.bold_characters) / length,
        _log(np.array(page.breaks)), letters.digits, letters.uppers, letters.lower_starts, letters.short_words,
        letters.marks / letters.words, letters.ends_sentence, letters.starts_lower, letters.starts_digit,
        letters.dense_script, length / letters.words, letters.symbols, prose / letters.words, _log(prose),
        letters.words <= 3, letters.currency,
    ]  # fmt: skip


def _wording_columns(page: FlatPage, context: PageContext) -> list[Column]:
    count = len(page.texts)
    short = [number for number, words in enumerate(page.words) if words <= _SHORT]
    texts = [page.texts[number].lower() for number in short]
    masks = np.zeros(count, np.int64)
    masks[short] = phrase_masks([text[:200] for text in texts])
    overlap = np.zeros(count, np.float32)
    title = set(context.title.lower().split())
    if title:
        overlap[short] = [
            0.0 if title.isdisjoint(words := text.split()) else _overlap(words, title) for text in texts
        ]
    copies = Counter(page.texts)
    repeated = np.log([copies[text] for text in page.texts]) if len(copies) < count else np.zeros(count)
    columns: list[Column] = [overlap, overlap > 0.7, repeated]
    columns += list((masks >> np.arange(len(PHRASE_GROUPS))[:, None]) & 1)
    return columns


def _overlap(split: list[str], title: set[str]) -> float:
    words = set(split)
    return len(words & title) / max(len(words), len(title))


def _position_columns(prose: Array, elements: ElementTable, block_elements: Numbers) -> list[Column]:
    count = len(prose)
    order = np.arange(count)
    spoken = np.cumsum(prose)
    tags = elements.tag.take(block_elements)
    heading = (tags >= TAG_NUMBER["h1"]) & (tags <= TAG_NUMBER["h6"])
    from_heading = order - np.maximum.accumulate(np.where(heading, order, -1))
    h1 = np.flatnonzero(tags == TAG_NUMBER["h1"])
    start = h1[0] if len(h1) else -1
    from_h1 = order - start if len(h1) else np.zeros(count)
    first_good, last_good = _prose_span(prose)
    return [
        order / count, _log(order), _log(count - 1 - order), spoken / max(spoken[-1], 1), heading,
        _log(from_heading), np.sign(from_h1) * _log(np.abs(from_h1)), np.full(count, len(h1) > 0),
        _signed_log(order - first_good), _signed_log(order - last_good),
        elements.depth.take(block_elements) / 20,
    ]  # fmt: skip


def _prose_span(prose: Array) -> tuple[int, int]:
    """The first and last block of real prose, by what is long on this page."""
    if not prose.any():
        return 0, len(prose) - 1
    strong = np.flatnonzero(prose >= np.minimum(prose.max() / 2, 25))
    return int(strong[0]), int(strong[-1])


def _signed_log(values: Column) -> Column:
    result: Column = np.sign(values) * np.log1p(np.abs(values))
    return result


def _ancestor_columns(elements: ElementTable, chain: Numbers, sums: _Sums) -> list[Column]:
    """All levels at once: for so few blocks each call of NumPy costs more than what it computes."""
    page_words, _, page_good, _ = np.maximum(sums.total[-1], 1)
    first, last = elements.first.take(chain[1:]), elements.last.take(chain[1:])
    words, linked, prose, prose_blocks = np.moveaxis(sums.over(first, last), -1, 0)
    words, size = np.maximum(words, 1), last - first
    by_feature = (
        words / page_words, linked / words, prose / page_good, prose / words,
        _log(words), _log(size.astype(np.float64)), prose_blocks / np.maximum(size, 1),
    )  # fmt: skip
    columns: list[Column] = [values[level] for level in range(len(first)) for values in by_feature]
    order = np.arange(first.shape[1])
    columns += [_log(order - first[0]), _log(last[0] - 1 - order)]
    return columns


def _container_columns(elements: ElementTable, chain: Numbers, sums: _Sums) -> list[Column]:
    """Where the prose of the page is: the smallest elements with half, three quarters and most of it, and others."""
    words, linked, prose, _ = sums.over(elements.first, elements.last).T
    total = max(prose[0], 1e-6)
    merit = _merit(elements, prose, words, linked)
    picks = _containers(elements, prose, words, merit)
    exists = picks >= 0
    first, last = (np.where(exists, ends[picks], 0)[:, None] for ends in (elements.first, elements.last))
    order = np.arange(chain.shape[1])
    after, before = order - first, last - 1 - order
    inside = (after >= 0) & (before >= 0)
    is_known = exists[:, None]
    from_start, from_end = _signed_log(after) * is_known, _signed_log(before) * is_known
    shares = np.broadcast_to(np.where(exists, prose[picks] / total, 0)[:, None], inside.shape)
    by_feature = (inside, from_start, from_end, shares)
    columns: list[Column] = [values[number] for number in range(len(picks)) for values in by_feature]
    columns += list(merit.take(chain[:4]) / max(merit.max(), 1e-6))
    return columns


def _containers(elements: ElementTable, prose: Column, words: Column, merit: Column) -> Numbers:
    """The elements themselves; -1 for one that the page does not have."""
    size = elements.last - elements.first
    weight = prose + 1e-3 * words
    picks = [_smallest(size, prose >= share * max(prose[0], 1e-6)) for share in (0.5, 0.75, 0.9)]
    picks.append(int(np.argmax(merit)))
    picks += [_largest(weight, elements.tag == TAG_NUMBER[name]) for name in ("article", "main")]
    picks.append(_largest(weight, (elements.names & 0b10000) > 0))
    return np.array(picks)


def _merit(elements: ElementTable, prose: Array, words: Array, linked: Array) -> Column:
    """Prose directly below an element, half of that below its children; links count against it."""
    child_good = np.bincount(elements.parent[1:], prose[1:], minlength=len(prose))
    direct = np.bincount(elements.parent[1:], (prose * elements.leaf)[1:], minlength=len(prose))
    grand = np.bincount(elements.parent[1:], direct[1:], minlength=len(prose))
    score = direct + 0.5 * grand + 0.05 * child_good
    merit: Column = score * (1 - linked / np.maximum(words, 1))
    return merit


def _smallest(size: Numbers, allowed: npt.NDArray[np.bool_]) -> int:
    return int(np.argmin(np.where(allowed, size, np.iinfo(np.int64).max)))


def _largest(weight: Column, allowed: npt.NDArray[np.bool_]) -> int:
    return int(np.argmax(np.where(allowed, weight, -1))) if allowed.any() else -1


def _template_columns(template: Numbers, letters: CharacterTable, prose: Array) -> list[Column]:
    """Totals over the blocks that look alike on this page."""
    counts = np.bincount(template)
    words = np.bincount(template, letters.words)
    prose_blocks = np.bincount(template, prose)
    linked = np.bincount(template, letters.link_density)
    total = max(float(prose.sum()), 1)
    table = np.stack([
        _log(counts), np.log1p(words / np.maximum(counts, 1)), prose_blocks / total, linked / np.maximum(counts, 1),
        words / max(float(letters.words.sum()), 1),
    ])  # fmt: skip
    return list(table.take(template, axis=1))


def _page_columns(
    page: FlatPage, letters: CharacterTable, prose: Array, context: PageContext
) -> list[Column]:
    words = float(letters.words.sum())
    strong = np.sort(prose[prose > 0])
    values = (
        np.log1p(len(prose)), np.log1p(words), np.log1p(prose.sum()), prose.sum() / max(words, 1),
        float((letters.words * letters.link_density).sum()) / max(words, 1),
        np.log1p(len(strong)), np.log1p(_middle(strong)) if len(strong) else 0.0,
        np.log1p(sum(page.image_counts)), float(context.is_article), float(letters.dense_script.mean()),
    )  # fmt: skip
    return list(np.broadcast_to(np.array(values)[:, None], (len(values), len(prose))))


def _middle(ordered: Array) -> np.float32:
    """The median, without the many checks that NumPy's own makes."""
    half = len(ordered) // 2
    return np.float32(ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2)


@cache
def _tag_table() -> npt.NDArray[np.float32]:
    table = np.zeros((len(BLOCK_TAGS), len(_TAG_GROUPS)), np.float32)
    for column, group in enumerate(_TAG_GROUPS):
        for name in group:
            table[TAG_NUMBER[name], column] = 1
    return table


@cache
def _around_bits() -> Numbers:
    """The bits of an inherited tag mask that are features."""
    return np.array([TAG_NUMBER[name] for name in _AROUND])


def _flags(elements: ElementTable, element: Numbers) -> tuple[Column, ...]:
    """Rows of flags, one column per block."""
    parent = elements.parent.take(element)
    names = elements.names
    near = names.take(element) | names.take(parent) | names.take(elements.parent.take(parent))
    bits = np.arange(len(NAME_GROUPS))[:, None]
    return (
        _tag_table().take(elements.tag.take(element), axis=0).T,
        (elements.all_tags.take(element) >> _around_bits()[:, None]) & 1,
        (near >> bits) & 1,
        (elements.all_names.take(element) >> bits) & 1,
        elements.hidden.take(element)[None, :],
    )
