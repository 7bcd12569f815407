"""Which term each sentence of a paragraph states. Sentences are read together, because a paragraph follows the procedure: first the
time to apply, then that of the decision, what silence means, and the time to appeal."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater_recipes.procedures.sections.statements import TERM_KEYS, term_shares

STAYS, GOES_ON, GOES_BACK = 0.2, 0.8, 0.05
"""How likely the next sentence is about the same term, a later one, an earlier one: 56 of 66 such paragraphs of labelled pages have a
term in each sentence."""
STEPS = np.array(
    [
        [
            STAYS if later == earlier else GOES_ON if later > earlier else GOES_BACK
            for later in range(len(TERM_KEYS))
        ]
        for earlier in range(len(TERM_KEYS))
    ]
)
OF_SECTION, OF_ANOTHER = 0.7, 0.3
"""How likely the first sentence is about the term that the heading names."""
LEAST_SHARE, HINT, CONSEQUENCE = 0.01, 0.5, 0.5
"""Words about applying only hint at the term: "seis meses desde la entrada de la solicitud". What silence means and how to appeal
are rarer than the terms, and mostly have their own words."""


def terms_in_order(texts: Sequence[str], stated: Sequence[str], of_section: str = "") -> list[str]:
    """The key of each sentence. `stated`: the key that the words of a sentence decide, or nothing. `of_section`: the key of the
    heading, or nothing."""
    if not texts:
        return []
    shares = _shares(texts, stated)
    best = shares[0].copy()
    if of_section in TERM_KEYS:
        best *= [OF_SECTION if key == of_section else OF_ANOTHER for key in TERM_KEYS]
    paths = [[place] for place in range(len(TERM_KEYS))]
    for row in shares[1:]:
        through = best[:, None] * STEPS * row[None, :]
        before = through.argmax(0)
        paths = [[*paths[int(before[place])], place] for place in range(len(TERM_KEYS))]
        best = through.max(0)
        best /= best.sum()  # a long paragraph would end in zeros
    return [TERM_KEYS[place] for place in paths[int(best.argmax())]]


def _shares(texts: Sequence[str], stated: Sequence[str]) -> Any:
    """How likely each sentence is about each term. Words that decide leave no doubt, except words about applying."""
    shares = np.maximum(term_shares(texts), LEAST_SHARE)
    shares[:, 2:] *= CONSEQUENCE
    for place, key in enumerate(stated):
        if key == TERM_KEYS[0]:
            shares[place, 0] = max(shares[place, 0], HINT)
        elif key in TERM_KEYS:
            shares[place] = LEAST_SHARE**2
            shares[place, TERM_KEYS.index(key)] = 1.0
    return shares
