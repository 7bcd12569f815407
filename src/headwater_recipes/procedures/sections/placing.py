"""Places sections with unknown headings, and sentences of plain prose, by what they say. A section that a rule knows stays as it is,
unless its text plainly says something else."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, takewhile
from typing import Any

import numpy as np

from headwater.text.folding import fold_text
from headwater_recipes.procedures.labels.vocabulary import Label
from headwater_recipes.procedures.sections.classifier import CLASSES, class_of_label, label_of_class
from headwater_recipes.procedures.sections.divide import STICKY
from headwater_recipes.procedures.sections.page_statements import how_known, page_statements
from headwater_recipes.procedures.sections.parts import PagePart, SectionLine
from headwater_recipes.procedures.sections.statement_network import page_shares

WHOLE, SINGLE, OVERRULED = 0.45, 0.55, 0.6
"""How sure the network must be of a section as a whole, of a single statement, and against a rule."""
SUPPORTED = 0.12
"""Below this, a section is not what a heading above it or a doubtful rule says."""
CAUTIOUS_FIELDS, CAUTIOUS = frozenset({"descripcion", "organismo", "datos_importantes"}), 0.65
FEWEST_STATEMENTS, FEWEST_BELOW, MOST_TITLES = 4, 2, 3
RESPONSIBLE = re.compile(r"\b(?:responsa\w+|competen\w+|responsible|ardura\w+|eskudun\w*)")
OTHER = CLASSES.index("other")
TERM_PLACES = [place for place, name in enumerate(CLASSES) if name.startswith("plazos.")]
TERMS = [CLASSES[place].partition(".")[2] for place in TERM_PLACES]
PLAIN_TERM = 0.6
"""How sure the network must be of a time limit within a section about another."""
Placed = tuple[SectionLine, Label | None]


def place_by_meaning(parts: Sequence[PagePart], text: str) -> list[PagePart]:
    """The sections; those that no rule knows are labelled, or divided between the fields that their statements belong to."""
    statements = page_statements(parts, text)
    shares = page_shares(statements, parts)
    rows_of: dict[int, list[tuple[SectionLine, Any]]] = defaultdict(list)
    for statement, row in zip(statements, shares, strict=True):
        rows_of[statement.part].append((statement.line, row))
    titles = {id(part) for part in _titles(parts)}
    placed: list[PagePart] = []
    for place, part in enumerate(parts):
        if not rows_of[place] or part.field == "ignored" or _opens_chapter(parts, place):
            placed.append(part)
        else:
            is_title = id(part) in titles or part.level <= 1 or not part.title
            placed += _placed(part, rows_of[place], is_title=is_title)
    return placed


def _placed(part: PagePart, rows: Sequence[tuple[SectionLine, Any]], *, is_title: bool) -> list[PagePart]:
    lines = [line for line, _ in rows]
    shares = np.array([row for _, row in rows])
    mean = shares.mean(0)
    if part.label is not None and _keeps_label(part, part.label, mean):
        return list(_by_term(part, lines, shares))
    best = int(mean.argmax())
    if is_title:
        return _below_title(part, lines, shares)
    if mean[best] >= _threshold(best, WHOLE):
        label = label_of_class(CLASSES[best])
        if label is None:
            return [part]
        return list(_by_term(replace(part, label=label, by_model=True, own=True), lines, shares))
    if mean[best] >= WHOLE:
        return [part]
    return list(_divided(part, list(zip(lines, _labels(shares), strict=True))))


def _by_term(part: PagePart, lines: Sequence[SectionLine], shares: Any) -> Iterator[PagePart]:
    """A section about time limits, divided where its statements plainly state different ones."""
    if part.field != "plazos":
        yield part
        return
    keys = [
        TERMS[int(row.argmax())] if row.max() >= PLAIN_TERM else part.key for row in shares[:, TERM_PLACES]
    ]
    if len(set(keys)) < 2:
        yield part
        return
    labels = [Label("plazos", key) for key in keys]
    yield from _divided(part, list(zip(lines, labels, strict=True)))


def _keeps_label(part: PagePart, label: Label, mean: Any) -> bool:
    own, best = CLASSES.index(class_of_label(label)), int(mean.argmax())
    if how_known(part) == "known":
        return mean[best] < OVERRULED or best == own or OTHER in {best, own}
    if label.field == "contacto" and CLASSES[best] == "organismo":
        return True
    if part.own and RESPONSIBLE.search(fold_text(part.title)):
        return True
    return (not part.own and label.field in STICKY) or mean[own] >= SUPPORTED


def _below_title(part: PagePart, lines: Sequence[SectionLine], shares: Any) -> list[PagePart]:
    """What stands below the title of the page describes it, up to the first statement about another field."""
    placed = list(zip(lines, _labels(shares), strict=True))
    first = next(
        (
            place
            for place, (_, label) in enumerate(placed)
            if label is not None and label.field != "descripcion"
        ),
        len(placed),
    )
    if first == len(placed) or len(placed) < FEWEST_STATEMENTS:
        return [part]
    rest = replace(part, title="", above=(*part.above, part.title))
    return [replace(part, lines=tuple(lines[:first])), *_divided(rest, placed[first:])]


def _threshold(place: int, usual: float) -> float:
    return max(usual, CAUTIOUS) if CLASSES[place] in CAUTIOUS_FIELDS else usual


def _labels(shares: Any) -> Iterator[Label | None]:
    for row in shares:
        best = int(row.argmax())
        yield label_of_class(CLASSES[best]) if row[best] >= _threshold(best, SINGLE) else None


def _divided(part: PagePart, placed: Sequence[Placed]) -> Iterator[PagePart]:
    """Each run of statements about the same field is a section; the first keeps the heading."""
    if not any(label for _, label in placed):
        yield part
        return
    for number, (label, run) in enumerate(groupby(placed, key=lambda pair: pair[1])):
        lines = tuple(line for line, _ in run)
        by_model = label is not None and (part.by_model or label != part.label)
        piece = replace(part, label=label, by_model=by_model, own=True, lines=lines)
        above = (*part.above, part.title)
        yield piece if number == 0 else replace(piece, title="", above=above, start=lines[0].start)


def _opens_chapter(parts: Sequence[PagePart], place: int) -> bool:
    """Whether sections that rules know stand below the heading: it names a procedure among several, or a group of sections."""
    if parts[place].label is not None:
        return False
    below = takewhile(lambda part: part.level > parts[place].level, parts[place + 1 :])
    return len({part.field for part in below if part.own and part.label is not None}) >= FEWEST_BELOW


def _titles(parts: Sequence[PagePart]) -> list[PagePart]:
    """The headings that name the page: the first, if all others are below it; on a page without such a heading, those before the first
    section that a rule knows, or else the first. None where headings of the highest level do."""
    titled = [part for part in parts if part.title]
    if len(titled) < 2 or any(part.level <= 1 for part in titled):
        return []
    if all(part.level > titled[0].level for part in titled[1:]):
        return titled[:1]
    leading = list(takewhile(lambda part: part.label is None, titled))
    return leading if len(leading) <= MOST_TITLES else leading[:1]
