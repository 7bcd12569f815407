"""The statements of a section with their spans, and which term a statement is about. The weights for the latter were trained on
sentences that stand in the fields of labelled pages (`training/statements.py`)."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from headwater.text.folding import fold_text
from headwater_recipes.procedures.sections.classifier import (
    CLASSES,
    MEANING_SCALE,
    SHAPE_FEATURES,
    add_hashed,
    text_shape,
)
from headwater_recipes.procedures.sections.parts import LINK, SectionLine, TextLink
from headwater_recipes.procedures.sections.sentences import sentences
from headwater_recipes.procedures.sections.word_meaning import DIMENSIONS, text_meaning

MODEL = Path(__file__).with_name("statements.npz")
WORD_FEATURES, FIRST_WORDS, STEM = 2048, 3, 6
FEATURES = WORD_FEATURES + SHAPE_FEATURES + 4 * DIMENSIONS + 2
RUN = re.compile(r"\w+")
TARGET = re.compile(r"\]\([^()\s]{1,2000}\)")
CLAUSE = re.compile(r"(?<=;)\s+")
MOST_LETTERS = 600
TERM_KEYS = ("solicitud", "resolucion", "silencio_administrativo", "recurso")
"""In the order in which a procedure reaches them."""


def statements_in(line: SectionLine, page_text: str) -> list[SectionLine]:
    """The sentences of a paragraph and the clauses between semicolons, each with its own span. Other lines are one statement."""
    if line.kind != "text":
        return [line]
    pieces = [clause for sentence in sentences(line.text) for clause in CLAUSE.split(sentence)]
    if len(pieces) < 2:
        return [line]
    return list(with_spans(line, pieces, page_text[line.start : line.end]))


def with_spans(line: SectionLine, pieces: Sequence[str], raw: str) -> Iterator[SectionLine]:
    """The pieces of a line, each where its words stand in the raw line, with the links that stand there; targets of links are no
    words."""
    words = RUN.finditer(TARGET.sub(lambda match: " " * len(match[0]), raw))
    links = list(LINK.finditer(raw))
    link_starts = [link.start() for link in links]
    line_links, links_before = frozenset(line.links), 0
    for number, piece in enumerate(pieces):
        start, end = len(raw), 0
        for word in RUN.findall(piece):
            match = next((candidate for candidate in words if candidate[0] == word), None)
            if match is None:
                break
            start, end = min(start, match.start()), match.end()
        if start >= end:
            start, end = 0, len(raw)
        last = number == len(pieces) - 1
        end = len(raw) if last else _after_mark(raw, end)
        links_until = bisect_left(link_starts, end)
        own_links = [TextLink(link[1].strip(), link[2]) for link in links[links_before:links_until]]
        links_before = max(links_before, links_until)
        yield replace(
            line,
            text=piece.rstrip(";"),
            start=line.start + start,
            end=line.start + end,
            lead="",
            rest="",
            links=tuple(link for link in own_links if link in line_links),
        )


def _after_mark(raw: str, end: int) -> int:
    target = TARGET.match(raw, end)
    end = target.end() if target else end
    while end < len(raw) and raw[end] in ".;:!?)»”*":
        end += 1
    return end


def statement_shares(title: str, lines: Sequence[SectionLine]) -> Any:
    """The probability of each class for each statement of a section, in its order."""
    weights, bias = read_model()
    if not lines:
        return np.zeros((0, len(CLASSES)))
    scores = np.array([row @ weights for row in statement_rows(title, lines)]) + bias
    shares = np.exp(scores - scores.max(1, keepdims=True))
    return shares / shares.sum(1, keepdims=True)


def term_shares(texts: Sequence[str]) -> Any:
    """For each sentence about terms, how likely each of `TERM_KEYS` is; the rest is that it states no term."""
    lines = [SectionLine(kind="text", text=text, start=0, end=len(text)) for text in texts]
    return statement_shares("", lines)[:, [CLASSES.index(f"plazos.{key}") for key in TERM_KEYS]]


def statement_rows(title: str, lines: Sequence[SectionLine]) -> Iterator[Any]:
    """Features of each statement: its words, shape and meaning, and what the heading and the statements around it mean. One after
    another, because all rows of a long page together would need hundreds of megabytes."""
    folded = [fold_text(line.text[:MOST_LETTERS]) for line in lines]
    meanings = [text_meaning(text) for text in folded]
    nothing = np.zeros(DIMENSIONS, dtype=np.float32)
    heading = text_meaning(fold_text(title)) if title else nothing
    for place, line in enumerate(lines):
        row = np.zeros(FEATURES, dtype=np.float32)
        add_hashed(row, _word_parts(folded[place]), 0, WORD_FEATURES)
        row[WORD_FEATURES : WORD_FEATURES + SHAPE_FEATURES] = text_shape([line], [folded[place]])
        before = meanings[place - 1] if place else nothing
        after = meanings[place + 1] if place + 1 < len(lines) else nothing
        row[WORD_FEATURES + SHAPE_FEATURES : -2] = MEANING_SCALE * np.concatenate(
            [meanings[place], heading, before / 2, after / 2]
        )
        row[-2:] = [float(place == 0), float(len(lines) == 1)]
        yield row


def _word_parts(folded: str) -> Iterator[str]:
    words = folded.split()
    yield from (f"w {word[:STEM]}" for word in words)
    yield from (f"first {word[:STEM]}" for word in words[:FIRST_WORDS])


@cache
def read_model() -> tuple[Any, Any]:
    with np.load(MODEL) as arrays:
        return arrays["weights"].astype(np.float32), arrays["bias"].astype(np.float32)
