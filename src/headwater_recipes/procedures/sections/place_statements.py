"""Finds the fields of single sentences, after the sections: on a page of plain prose, where a paragraph below the title says who may
apply, what it costs and until when, and for fields that no section has."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np

from headwater_recipes.procedures.detection import CORE, REQUIRED
from headwater_recipes.procedures.labels.vocabulary import Label
from headwater_recipes.procedures.sections.classifier import CLASSES, label_of_class
from headwater_recipes.procedures.sections.parts import PagePart, SectionLine
from headwater_recipes.procedures.sections.statements import statement_shares, statements_in

PROSE, FEWEST_PROSE, FEWEST_FIELDS = 0.5, 4, 3
TITLE_LEVEL = 2
Placed = tuple[SectionLine, Label | None]


def place_statements(parts: Sequence[PagePart], text: str) -> list[PagePart]:
    """The sections; those of a page of prose divided by what their sentences say."""
    fields = {part.field for part in parts if part.lines} & CORE
    if len(fields) >= FEWEST_FIELDS or (len(fields) > 1 and fields & REQUIRED):
        return list(parts)
    return [piece for part in parts for piece in _divided(part, text)]


def _divided(part: PagePart, text: str) -> list[PagePart]:
    if part.label is not None or part.level > TITLE_LEVEL:
        return [part]
    statements = [statement for line in part.lines for statement in statements_in(line, text)]
    if sum(line.kind == "text" for line in statements) < FEWEST_PROSE:
        return [part]
    placed = list(zip(statements, _labels(statement_shares("", statements)), strict=True))
    fields = {label.field for _, label in placed if label is not None}
    if len(fields & CORE) < FEWEST_FIELDS or not fields & REQUIRED:
        return [part]
    return list(_pieces(part, placed))


def _labels(shares: Any) -> Iterator[Label | None]:
    for row in shares:
        best = int(np.argmax(row))
        yield label_of_class(CLASSES[best]) if row[best] >= PROSE else None


def _pieces(part: PagePart, placed: Sequence[Placed]) -> Iterator[PagePart]:
    """The beginning, which describes, keeps the heading; each run of sentences about the same field is a section without one."""
    first = next(place for place, (_, label) in enumerate(placed) if label and label.field != "descripcion")
    yield replace(part, lines=tuple(line for line, _ in placed[:first]))
    for label, run in groupby(placed[first:], key=lambda pair: pair[1]):
        lines = tuple(line for line, _ in run)
        yield replace(
            part,
            title="",
            above=(*part.above, part.title),
            label=label,
            by_model=label is not None,
            lines=lines,
            start=lines[0].start,
        )
