"""Words that run through a text and stand for other words in another one: a template was filled anew.

Notices for many places, shops or clubs are one text with another name in it. A name that stands only where sentences begin is
not recognised by its capital letter, and one name among many could be noise; but noise does not replace a word everywhere.
"""

from collections.abc import Sequence

import numpy as np

from headwater.documents.dedupe.alignment import Span
from headwater.documents.dedupe.page import TokenView

WordPair = tuple[str, str]
PlacedWords = tuple[TokenView, Span, Sequence[str]]
"""Words of a span of a text."""

RUNS_THROUGH = 3
"""A word that occurs this often is what the text is about."""


def template_pairs(earlier: PlacedWords, later: PlacedWords) -> list[WordPair]:
    """Words of one gap that occur throughout their own text and nowhere in the other one."""
    return list(
        zip(_own_words(earlier, later[0]), _own_words(later, earlier[0]), strict=False),
    )


def _own_words(placed: PlacedWords, other: TokenView) -> list[str]:
    view, span, words = placed
    hashes = {
        word: int(view.hashes[place])
        for place, word in zip(range(*span), view.words(*span), strict=True)
        if view.is_capital[place] or _has_no_case(word)
    }
    return [
        word
        for word in words
        if word in hashes and _count(view, hashes[word]) >= RUNS_THROUGH and not _occurs(other, hashes[word])
    ]


def _has_no_case(word: str) -> bool:
    return word.isalpha() and word.upper() == word.lower()


def _count(view: TokenView, word: int) -> int:
    return int(np.count_nonzero(view.hashes == word))


def _occurs(view: TokenView, word: int) -> bool:
    page = view.page
    return bool((page.body.hashes == word).any() or (page.title.hashes == word).any())


def is_in_both_titles(pair: WordPair, earlier: TokenView, later: TokenView) -> bool:
    """Whether each title has its own word; never for a word and its beginning."""
    if pair[0].startswith(pair[1]) or pair[1].startswith(pair[0]):
        return False
    return all(
        word.lower() in view.page.article.title.lower()
        for word, view in zip(pair, (earlier, later), strict=True)
    )
