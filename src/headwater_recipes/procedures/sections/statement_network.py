"""Says what each statement of a page is about, by all of them together: its words, its heading, its neighbours, its section and the
whole page. The weights were trained with `training/statement_network.py`; NumPy evaluates them."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from headwater.text.folding import fold_text
from headwater_recipes.procedures.sections.classifier import CLASSES
from headwater_recipes.procedures.sections.page_statements import (
    PageStatement,
    dense_features,
    heading_above,
    heading_words,
    rule_hint,
    statement_words,
)
from headwater_recipes.procedures.sections.parts import PagePart
from headwater_recipes.procedures.sections.statements import MOST_LETTERS
from headwater_recipes.procedures.sections.word_meaning import text_meaning

MODEL = Path(__file__).with_name("statement_network.npz")
Weights = Mapping[str, Any]


def page_shares(statements: Sequence[PageStatement], parts: Sequence[PagePart]) -> Any:
    """The probability of each class (columns) for each statement (rows)."""
    if not statements:
        return np.zeros((0, len(CLASSES)), dtype=np.float32)
    members = read_networks()
    inputs = network_inputs(statements, parts)
    shares = [_softmax(_scores(weights, *inputs)) for weights in members]
    return sum(shares) / len(shares)


def network_inputs(statements: Sequence[PageStatement], parts: Sequence[PagePart]) -> tuple[Any, ...]:
    """The words of each statement, the words of each section's heading, the section of each statement, and its other features."""
    sections = np.array([statement.part for statement in statements])
    words = [statement_words(fold_text(statement.line.text[:MOST_LETTERS])) for statement in statements]
    headings = [heading_words(part.title, heading_above(part)) for part in parts]
    meanings = np.array([text_meaning(fold_text(part.title)) for part in parts])[sections]
    hints = np.array([rule_hint(part) for part in parts])[sections]
    return words, headings, sections, np.hstack([dense_features(statements, parts), meanings, hints])


def _scores(
    weights: Weights,
    words: Sequence[Sequence[int]],
    headings: Sequence[Sequence[int]],
    sections: Any,
    dense: Any,
) -> Any:
    table = weights["words"]
    text_words, title_words = _word_means(table, words), _word_means(table, headings)[sections]
    entered = np.maximum(
        np.hstack([text_words, title_words, dense]) @ weights["enter"] + weights["enter_bias"], 0
    )
    forward = _recurrent(weights, "forward", entered)
    backward = _recurrent(weights, "backward", entered[::-1])[::-1]
    around = np.hstack([entered, forward, backward])
    counts = np.bincount(sections, minlength=len(headings))[:, None]
    sums = np.zeros((len(headings), around.shape[1]), dtype=np.float32)
    np.add.at(sums, sections, around)
    section = (sums / np.maximum(counts, 1))[sections]
    page = np.broadcast_to(entered.mean(0), entered.shape)
    mixed = np.hstack([around, section, page])
    hidden = np.maximum(mixed @ weights["mix"] + weights["mix_bias"], 0)
    return hidden @ weights["leave"] + weights["leave_bias"]


def _word_means(table: Any, bags: Sequence[Sequence[int]]) -> Any:
    means = np.zeros((len(bags), table.shape[1]), dtype=np.float32)
    for place, bag in enumerate(bags):
        if bag:
            means[place] = table[bag].mean(0)
    return means


def _recurrent(weights: Weights, name: str, rows: Any) -> Any:
    """A layer of gated recurrent units, from the first row to the last."""
    inputs = rows @ weights[f"{name}_in"] + weights[f"{name}_in_bias"]
    recurrent, bias = weights[f"{name}_state"], weights[f"{name}_state_bias"]
    width = len(bias) // 3
    state = np.zeros(width, dtype=np.float32)
    states = np.empty((len(rows), width), dtype=np.float32)
    for place, row in enumerate(inputs):
        state_sums = state @ recurrent + bias
        gates = 1 / (1 + np.exp(-(row[: 2 * width] + state_sums[: 2 * width])))
        proposal = np.tanh(row[2 * width :] + gates[:width] * state_sums[2 * width :])
        state = proposal + gates[width:] * (state - proposal)
        states[place] = state
    return states


def _softmax(scores: Any) -> Any:
    shares = np.exp(scores - scores.max(1, keepdims=True))
    return shares / shares.sum(1, keepdims=True)


@cache
def read_networks() -> tuple[Weights, ...]:
    """The networks of the file; their answers are averaged."""
    with np.load(MODEL) as arrays:
        members: dict[str, dict[str, Any]] = {}
        for name in arrays.files:
            member, _, layer = name.partition(".")
            members.setdefault(member, {})[layer] = arrays[name].astype(np.float32)
    return tuple({**member, "words": member["words"] * member["words_scale"]} for member in members.values())
