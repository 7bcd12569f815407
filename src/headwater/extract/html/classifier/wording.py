"""What the words of each block say: phrases of boilerplate, words of the title, copies of other blocks."""

from collections import Counter
from itertools import compress

import numpy as np

from headwater.extract.html.classifier.arrays import Array
from headwater.extract.html.classifier.keywords import PHRASE_GROUPS, phrases_in
from headwater.extract.html.flatten import FlatPage

WORDING_ROWS = 3 + len(PHRASE_GROUPS)
_SHORT = 25
_MUCH = 0.7


def write_wording(rows: Array, page: FlatPage, title: str) -> None:
    is_short = [words <= _SHORT for words in page.words]
    short = list(compress(range(len(is_short)), is_short))
    texts = list(map(str.lower, compress(page.texts, is_short)))
    rows[:] = 0
    lines, groups = phrases_in(texts)
    places = np.array(short)
    if len(lines):
        rows[groups + 3, places.take(lines)] = 1
    title_words = set(title.lower().split())
    apart = map(title_words.isdisjoint, map(str.split, texts))
    shared = [number for number, is_apart in enumerate(apart) if not is_apart]
    if shared:
        rows[0, places.take(shared)] = [_overlap(texts[number].split(), title_words) for number in shared]
        rows[1] = rows[0] > _MUCH
    copies = Counter(page.texts)
    if len(copies) < len(page.texts):
        np.log(np.fromiter(map(copies.__getitem__, page.texts), np.int64, len(page.texts)), out=rows[2])


def _overlap(split: list[str], title: set[str]) -> float:
    words = set(split)
    return len(words & title) / max(len(words), len(title))
