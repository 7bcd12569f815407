"""How likely a page describes a procedure, by everything that it says together: what its sections are, what its title means, how
it is worded. The weights were trained on pages of both kinds (`training/procedure_pages.py`)."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from headwater.text.folding import fold_text
from headwater_recipes.procedures.detection import CORE, signs_of_other_content
from headwater_recipes.procedures.sections.classifier import CLASSES, section_shares
from headwater_recipes.procedures.sections.parts import PagePart
from headwater_recipes.procedures.sections.word_meaning import text_meaning

MODEL = Path(__file__).with_name("likelihood.npz")
MANY_SECTIONS, MANY_WORDS, OPENING_WORDS, MEANING_SCALE = 20, 800, 60, 2.0


def procedure_likelihood(parts: Sequence[PagePart], title: str, url: str) -> float:
    weights, bias = read_weights()
    return float(1 / (1 + np.exp(-(page_features(parts, title, url) @ weights + bias))))


def page_features(parts: Sequence[PagePart], title: str, url: str) -> Any:
    """The shares of the classes of its sections, the fields that they fill, signs of other content, and meanings."""
    filled = [part for part in parts if part.lines]
    text = fold_text("\n".join(f"{part.title}\n{part.text}" for part in parts))
    words = text.split()
    shares = np.array([section_shares(part.title, part.lines) for part in filled] or [np.zeros(len(CLASSES))])
    fields = {part.field for part in filled}
    by_rules = {part.field for part in filled if not part.by_model}
    lines = [line for part in filled for line in part.lines]
    opening = " ".join(words[:OPENING_WORDS])
    return np.concatenate(
        [
            shares.max(0),
            shares.mean(0),
            [float(name in fields) for name in sorted(CORE)],
            [float(name in by_rules) for name in sorted(CORE)],
            [
                len(filled) / MANY_SECTIONS,
                len(fields & CORE) / len(CORE),
                len(by_rules & CORE) / len(CORE),
                min(1.0, len(words) / MANY_WORDS),
                sum(bool(line.links) for line in lines) / max(1, len(lines)),
            ],
            signs_of_other_content(parts, text, url),
            MEANING_SCALE * text_meaning(fold_text(title)),
            MEANING_SCALE * text_meaning(opening),
        ]
    ).astype(np.float32)


@cache
def read_weights() -> tuple[Any, float]:
    with np.load(MODEL) as arrays:
        return arrays["weights"].astype(np.float32), float(arrays["bias"])
