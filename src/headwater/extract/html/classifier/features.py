"""The features of each block, as one matrix. It is filled row by row, one row per feature, so that hardly anything is copied."""

from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise

import numpy as np
import numpy.typing as npt

from headwater.extract.html.classifier.arrays import (
    Array,
    Groups,
    Numbers,
    distances_from,
    flag_rows,
    group_alike,
    log_counts,
    logs_of,
    number_rows,
)
from headwater.extract.html.classifier.characters import CharacterTable, character_table
from headwater.extract.html.classifier.containers import (
    ANCESTOR_ROWS,
    CONTAINER_ROWS,
    CORE_ROW,
    chain_of,
    sums_of,
    write_ancestors,
    write_containers,
)
from headwater.extract.html.classifier.elements import HIDDEN_BIT, ElementTable, element_table
from headwater.extract.html.classifier.keywords import COMMENT_BIT, NAME_GROUPS
from headwater.extract.html.classifier.wording import WORDING_ROWS, write_wording
from headwater.extract.html.flatten import BLOCK_TAGS, TAG_NUMBER, FlatPage

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
_H1, _H6 = TAG_NUMBER["h1"], TAG_NUMBER["h6"]
_BLOCK_ROWS, _POSITION_ROWS, _ALIKE_ROWS, _PAGE_ROWS = 22, 11, 5, 10
_FLAG_ROWS = len(_TAG_GROUPS) + len(_AROUND) + 2 * len(NAME_GROUPS) + 1
_NAME_BITS = (1 << len(NAME_GROUPS)) - 1
_PARTS = (
    _BLOCK_ROWS, WORDING_ROWS, _POSITION_ROWS, ANCESTOR_ROWS, CONTAINER_ROWS, _ALIKE_ROWS, _ALIKE_ROWS, _PAGE_ROWS,
    _FLAG_ROWS,
)  # fmt: skip
FEATURES = sum(_PARTS)
_SLICES = [slice(start, end) for start, end in pairwise(accumulate(_PARTS, initial=0))]


@dataclass(frozen=True, slots=True)
class BlockTable:
    """The matrix, the ranges and groups over which a model averages, and the densest part as a second opinion."""

    matrix: Array
    first: Numbers
    last: Numbers
    alike: Groups
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
    (block_elements,) = number_rows(page.block_elements)
    chain = chain_of(elements, block_elements)
    prose = _prose_words(letters)
    sums = sums_of(letters, prose)
    own, around = (
        elements.template.take(numbers) for numbers in (block_elements, elements.parent.take(block_elements))
    )
    alike, family = group_alike(own), group_alike(own * (np.maximum.reduce(elements.template) + 1) + around)
    all_names = elements.all_names.take(block_elements)
    matrix = np.empty((FEATURES, len(block_elements)), np.float32)
    blocks, wording, positions, ancestors, containers, of_alike, of_family, of_page, flags = (
        matrix[part] for part in _SLICES
    )
    _write_blocks(blocks, page, letters, prose)
    write_wording(wording, page, context.title)
    _write_positions(positions, prose, elements, block_elements)
    write_ancestors(ancestors, elements, chain, sums)
    write_containers(containers, elements, chain, sums)
    _write_alike(of_alike, alike, letters, prose)
    _write_alike(of_family, family, letters, prose)
    of_page[:] = _page_values(page, letters, prose, context)
    _write_flags(flags, elements, block_elements, all_names)
    # A page that does not say that it is an article is read in both styles, and the mean decides.
    styles = (_ARTICLE_STYLE,) if context.is_article else (_PAGE_STYLE, _ARTICLE_STYLE)
    return BlockTable(
        matrix=matrix.T,
        first=elements.first.take(chain[1:4]),
        last=elements.last.take(chain[1:4]),
        alike=alike,
        words=letters.words,
        styles=styles,
        core=containers[CORE_ROW] > 0,
        comments=(all_names & COMMENT_BIT) > 0,
    )


def _prose_words(letters: CharacterTable) -> Array:
    """How many words read like prose: not linked, in sentences, mostly lower case; 0 in a block of few words."""
    share = np.minimum(1, 1.3 * letters.lower_starts) * np.minimum(1, 0.3 + 8 * letters.marks / letters.words)
    prose: Array = letters.words * (1 - letters.link_density) * share
    prose *= letters.words > 8
    return prose


def _write_blocks(rows: Array, page: FlatPage, letters: CharacterTable, prose: Array) -> None:
    length, words = letters.length, letters.words
    links, images, bold, breaks = number_rows(
        page.link_counts, page.image_counts, page.bold_characters, page.breaks
    )
    np.log1p(words, out=rows[0])
    np.log1p(length, out=rows[1])
    rows[2] = letters.link_density
    np.log1p(links, out=rows[3])
    np.minimum(images, 4, out=rows[4])
    np.divide(bold, length, out=rows[5])
    np.log1p(breaks, out=rows[6])
    rows[7] = letters.digits
    rows[8] = letters.uppers
    rows[9] = letters.lower_starts
    rows[10] = letters.short_words
    np.divide(letters.marks, words, out=rows[11])
    rows[12] = letters.ends_sentence
    rows[13] = letters.starts_lower()
    rows[14] = letters.starts_digit()
    rows[15] = letters.dense_script
    np.divide(length, words, out=rows[16])
    rows[17] = letters.symbols
    np.divide(prose, words, out=rows[18])
    np.log1p(prose, out=rows[19])
    rows[20] = words <= 3
    rows[21] = letters.currency


def _write_positions(rows: Array, prose: Array, elements: ElementTable, block_elements: Numbers) -> None:
    count = len(prose)
    order = np.arange(count)
    spoken = np.add.accumulate(prose)
    tags = elements.tag.take(block_elements)
    heading = (tags >= _H1) & (tags <= _H6)
    (h1,) = (tags == _H1).nonzero()
    first_good, last_good = _prose_span(prose)
    np.divide(order, count, out=rows[0])
    rows[1] = log_counts(count)
    rows[2] = log_counts(count)[::-1]
    np.divide(spoken, max(spoken[-1], 1), out=rows[3])
    rows[4] = heading
    rows[5] = logs_of(order - np.maximum.accumulate(np.where(heading, order, -1)))
    rows[6] = distances_from(int(h1[0]), count) if len(h1) else 0
    rows[7] = len(h1) > 0
    rows[8] = distances_from(first_good, count)
    rows[9] = distances_from(last_good, count)
    np.divide(elements.depth.take(block_elements), 20, out=rows[10])


def _prose_span(prose: Array) -> tuple[int, int]:
    """The first and last block of real prose, by what is long on this page."""
    most = np.maximum.reduce(prose)
    if not most:
        return 0, len(prose) - 1
    (strong,) = (prose >= min(most / 2, np.float32(25))).nonzero()
    return int(strong[0]), int(strong[-1])


def _write_alike(rows: Array, alike: Groups, letters: CharacterTable, prose: Array) -> None:
    """Totals over the blocks that look alike on this page."""
    counts = alike.sizes()
    words = alike.sums(letters.words)
    table = np.empty((_ALIKE_ROWS, len(counts)), np.float32)
    np.log1p(counts, out=table[0])
    np.log1p(words / counts, out=table[1])
    np.divide(alike.sums(prose), max(float(np.add.reduce(prose)), 1), out=table[2])
    np.divide(alike.sums(letters.link_density), counts, out=table[3])
    np.divide(words, max(float(np.add.reduce(letters.words)), 1), out=table[4])
    table.take(alike.number, axis=1, out=rows, mode="clip")


def _page_values(
    page: FlatPage, letters: CharacterTable, prose: Array, context: PageContext
) -> npt.NDArray[np.float64]:
    """One column of values, the same for all blocks."""
    words, spoken = float(np.add.reduce(letters.words)), np.add.reduce(prose)
    linked = float(np.add.reduce(letters.words * letters.link_density))
    strong = prose[prose > 0]
    strong.sort()
    values = (
        np.log1p(len(prose)), np.log1p(words), np.log1p(spoken), spoken / max(words, 1), linked / max(words, 1),
        np.log1p(len(strong)), np.log1p(_middle(strong)) if len(strong) else 0.0, np.log1p(sum(page.image_counts)),
        context.is_article, np.add.reduce(letters.dense_script) / np.float32(len(prose)),
    )  # fmt: skip
    return np.array(values, np.float64)[:, None]


def _middle(ordered: Array) -> np.float32:
    """The median, without the many checks that NumPy's own makes."""
    half = len(ordered) // 2
    return np.float32(ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2)


@cache
def _tag_table() -> Array:
    table = np.zeros((len(_TAG_GROUPS), len(BLOCK_TAGS)), np.float32)
    for row, group in enumerate(_TAG_GROUPS):
        for name in group:
            table[row, TAG_NUMBER[name]] = 1
    return table


@cache
def _around_bits() -> Numbers:
    """The bits of an inherited tag mask that are features, as masks of one bit."""
    return np.array([[1 << TAG_NUMBER[name]] for name in _AROUND])


def _write_flags(rows: Array, elements: ElementTable, element: Numbers, all_names: Numbers) -> None:
    parent = elements.parent.take(element)
    names = elements.names
    near = names.take(element) | names.take(parent) | names.take(elements.parent.take(parent))
    around = len(_TAG_GROUPS)
    named = around + len(_AROUND)
    rows[:around] = _tag_table().take(elements.tag.take(element), axis=1)
    rows[around:named] = (elements.all_tags.take(element) & _around_bits()) != 0
    rows[named:-1] = flag_rows((near & _NAME_BITS) | (all_names << len(NAME_GROUPS)))
    rows[-1] = (all_names & HIDDEN_BIT) > 0
