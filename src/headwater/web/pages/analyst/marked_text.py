"""Texts with marked places, and two texts side by side, as parts that a template writes. Decisions only."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

MOST_SENTENCES = 400
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|\n+")
# Sentences that share less are not versions of one another.
ALIKE = 0.5


def marked_parts(text: str, places: Sequence[Sequence[int]]) -> list[dict[str, Any]]:
    """The text in parts, each with whether it is marked. Places are in order; those that overlap an earlier one are left out."""
    parts: list[dict[str, Any]] = []
    position = 0
    for start, end in places:
        if start < position or end <= start:
            continue
        parts += [_part(text[position:start], False), _part(text[start:end], True)]
        position = end
    parts.append(_part(text[position:], False))
    return [part for part in parts if part["text"]]


def without_beginning(
    text: str, places: Sequence[Sequence[int]], beginning: str
) -> tuple[str, list[tuple[int, int]]]:
    """The text and its places without these words at its start, unless nothing else is there."""
    start = len(text) - len(text.lstrip(" #*"))
    after = start + len(beginning)
    rest = text[after:].lstrip(" *.:–—-")
    is_apart = len(rest) < len(text) - after
    cut = (
        len(text) - len(rest) if beginning and rest and is_apart and text.startswith(beginning, start) else 0
    )
    return text[cut:], [(first - cut, last - cut) for first, last in places if first >= cut]


def _part(text: str, is_marked: bool) -> dict[str, Any]:
    return {"text": text, "is_marked": is_marked}


def aligned_rows(left: str, right: str) -> list[dict[str, Any]]:
    """Both texts sentence by sentence. A row has what stands on each side in parts; `kind` is same, changed, only_left or
    only_right. The words that differ are marked."""
    first, second = split_sentences(left), split_sentences(right)
    rows: list[dict[str, Any]] = []
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    for kind, start, end, other_start, other_end in matcher.get_opcodes():
        if kind == "equal":
            rows += [_row("same", text, text) for text in first[start:end]]
        else:
            rows += _changed_rows(first[start:end], second[other_start:other_end])
    return rows


def split_sentences(text: str) -> list[str]:
    return [part.strip() for part in _SENTENCE_END.split(text) if part.strip()][:MOST_SENTENCES]


def _changed_rows(first: Sequence[str], second: Sequence[str]) -> list[dict[str, Any]]:
    """Each sentence beside the next one of the other side that is like it; the others alone."""
    rows: list[dict[str, Any]] = []
    position = 0
    for text in first:
        partner = next(
            (
                place
                for place in range(position, min(len(second), position + 10))
                if likeness(text, second[place]) >= ALIKE
            ),
            None,
        )
        if partner is None:
            rows.append(_row("only_left", text, ""))
            continue
        rows += [_row("only_right", "", other) for other in second[position:partner]]
        rows.append(_row("changed", text, second[partner]))
        position = partner + 1
    return [*rows, *(_row("only_right", "", other) for other in second[position:])]


def likeness(first: str, second: str) -> float:
    """The share of words that both have."""
    words, others = set(first.casefold().split()), set(second.casefold().split())
    return 2 * len(words & others) / (len(words) + len(others)) if words and others else 0.0


def _row(kind: str, left: str, right: str) -> dict[str, Any]:
    if kind != "changed":
        return {"kind": kind, "left": [_part(left, False)], "right": [_part(right, False)]}
    left_parts, right_parts = _word_parts(left, right)
    return {"kind": kind, "left": left_parts, "right": right_parts}


def _word_parts(left: str, right: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    first, second = left.split(), right.split()
    sides: tuple[list[dict[str, Any]], list[dict[str, Any]]] = ([], [])
    for kind, start, end, other_start, other_end in SequenceMatcher(
        None, first, second, autojunk=False
    ).get_opcodes():
        for side, words in zip(sides, (first[start:end], second[other_start:other_end]), strict=True):
            if words:
                side.append(_part(" ".join(words), kind != "equal"))
    return sides
