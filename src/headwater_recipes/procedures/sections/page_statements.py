"""The statements of a page in their order, sentence by sentence and item by item, and what a network is told of each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np

from headwater.text.folding import fold_text
from headwater_recipes.procedures.labels.questions import label_of_question
from headwater_recipes.procedures.labels.recognise import plain_label
from headwater_recipes.procedures.sections.classifier import (
    CLASSES,
    SHAPE_FEATURES,
    class_of_label,
    text_shape,
)
from headwater_recipes.procedures.sections.parts import PagePart, SectionLine
from headwater_recipes.procedures.sections.statements import MOST_LETTERS, statements_in
from headwater_recipes.procedures.sections.word_meaning import DIMENSIONS, text_meaning

MOST_STATEMENTS = 600
"""Of one page; what follows is judged by rules alone."""
BUCKETS, MOST_WORDS, STEM, FIRST_WORDS, GRAM = 8192, 40, 6, 3, 4
KINDS = ("text", "item", "row")
PLACE_FEATURES = len(KINDS) + 9
DENSE = SHAPE_FEATURES + PLACE_FEATURES + DIMENSIONS
HINTS = ("known", "doubtful", "inherited")
HINT_FEATURES = len(CLASSES) + len(HINTS)
DOUBTFUL = frozenset({"descripcion", "datos_importantes", "organismo", "contacto"})
"""Rules see these fields in many headings."""


@dataclass(frozen=True, slots=True)
class PageStatement:
    """A statement, the section in which it stands, and whether it begins a line and how many statements the line has."""

    part: int
    line: SectionLine
    first: bool
    siblings: int


def page_statements(parts: Sequence[PagePart], text: str) -> list[PageStatement]:
    """The statements of the sections, each with all of its own; a section that is too long has none."""
    statements: list[PageStatement] = []
    for number, part in enumerate(parts):
        own = list(_statements(number, part, text))
        if len(statements) + len(own) <= MOST_STATEMENTS:
            statements += own
    return statements


def _statements(number: int, part: PagePart, text: str) -> Iterator[PageStatement]:
    for line in part.lines:
        pieces = statements_in(line, text)
        for place, piece in enumerate(pieces):
            yield PageStatement(number, piece, place == 0, len(pieces))


def statement_words(folded: str) -> list[int]:
    """Where the words of a statement stand in the table of words."""
    words = folded.split()[:MOST_WORDS]
    names = [f"w {word[:STEM]}" for word in words] + [f"first {word[:STEM]}" for word in words[:FIRST_WORDS]]
    return [_bucket(name) for name in names]


def heading_words(title: str, above: str) -> list[int]:
    """The same for a heading, with groups of letters, and for the heading above it."""
    words = fold_text(title).split()[:MOST_WORDS]
    names = [f"h {word}" for word in words]
    for word in words:
        padded = f"<{word}>"
        names += [f"h {padded[start : start + GRAM]}" for start in range(len(padded) - GRAM + 1)]
    names += [f"above {word[:STEM]}" for word in fold_text(above).split()[:MOST_WORDS]]
    return [_bucket(name) for name in names]


def _bucket(name: str) -> int:
    return crc32(name.encode()) % BUCKETS


def heading_above(part: PagePart) -> str:
    return part.above[-1] if part.above else ""


def dense_features(statements: Sequence[PageStatement], parts: Sequence[PagePart]) -> Any:
    """The shape of each statement, its place on the page, and what it means."""
    rows = np.zeros((len(statements), DENSE), dtype=np.float32)
    sizes = [0] * len(parts)
    for statement in statements:
        sizes[statement.part] += 1
    number = 0
    for place, statement in enumerate(statements):
        line, part = statement.line, parts[statement.part]
        opens = place == 0 or statements[place - 1].part != statement.part
        number = 0 if opens else number + 1
        folded = fold_text(line.text[:MOST_LETTERS])
        rows[place, :SHAPE_FEATURES] = text_shape([line], [folded])
        rows[place, SHAPE_FEATURES : SHAPE_FEATURES + PLACE_FEATURES] = [
            *(float(line.kind == kind) for kind in KINDS),
            float(opens),
            float(statement.first),
            min(statement.siblings, 6) / 6,
            min(sizes[statement.part], 12) / 12,
            min(number, 8) / 8,
            place / len(statements),
            min(part.level, 6) / 6,
            float(bool(part.title)),
            float("?" in part.title),
        ]
        rows[place, SHAPE_FEATURES + PLACE_FEATURES :] = text_meaning(folded)
    return rows


def rule_hint(part: PagePart) -> Any:
    """What a rule takes the section for, and how far that can be relied on."""
    row = np.zeros(HINT_FEATURES, dtype=np.float32)
    if part.label is not None:
        row[CLASSES.index(class_of_label(part.label))] = 1.0
        row[len(CLASSES) + HINTS.index(how_known(part))] = 1.0
    return row


def how_known(part: PagePart) -> str:
    """Whether a rule says plainly what a labelled section is. Questions are understood by two words, which may mean something
    else."""
    if not part.own:
        return "inherited"
    if part.field in DOUBTFUL or label_of_question(plain_label(part.title)) is not None:
        return "doubtful"
    return "known"
