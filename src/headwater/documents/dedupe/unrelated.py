"""Pairs that need no comparison: what their publishers repeat cannot change the verdict, so that it is not looked up."""

from datetime import timedelta

import numpy as np

from headwater.documents.dedupe.articles import PairVerdict
from headwater.documents.dedupe.comparison import MIN_BODY, SAME_TITLE, SHORT
from headwater.documents.dedupe.measures import published_apart, title_shared
from headwater.documents.dedupe.minhash import SHINGLE
from headwater.documents.dedupe.page import ArticlePage
from headwater.documents.dedupe.tokens import Hashes

FEWEST_GRAMS = (MIN_BODY - 1) // SHINGLE + 1
"""With fewer runs of three words, two stories share fewer words than any rule asks for."""


def are_unrelated(earlier: ArticlePage, later: ArticlePage) -> bool:
    """Whether two long texts under other headlines share next to nothing, whichever of their sentences are hidden."""
    if min(len(earlier.body), len(later.body)) < SHORT:
        return False
    if title_shared(earlier.title, later.title) >= SAME_TITLE:
        return False
    grams = earlier.sorted_grams, later.sorted_grams
    return _occurrences(*grams) < FEWEST_GRAMS and _occurrences(*reversed(grams)) < FEWEST_GRAMS


def unrelated_verdict(earlier: ArticlePage, later: ArticlePage) -> PairVerdict:
    gap: timedelta | None = published_apart(earlier.article, later.article)
    return PairVerdict(relation="new", rule="different", score=0.0, evidence={"gap": gap})


def _occurrences(haystack: Hashes, needles: Hashes) -> int:
    places = np.minimum(np.searchsorted(haystack, needles), len(haystack) - 1)
    return int(np.count_nonzero(haystack[places] == needles))
