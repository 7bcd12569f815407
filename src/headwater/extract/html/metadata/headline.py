"""The lines where bylines and dates stand: around the headline of a page and at the edges of its text."""

import re
from collections.abc import Iterable, Sequence

from headwater.extract.html.flatten import TAG_NUMBER, FlatPage
from headwater.extract.html.metadata.date_labels import LONGEST_LABEL, is_label, says_published

_HEADINGS = frozenset(range(TAG_NUMBER["h1"], TAG_NUMBER["h6"] + 1))
_H1 = TAG_NUMBER["h1"]
_WORD = re.compile(r"[^\W_]+")
_YEAR = re.compile(r"\d\d\d\d")  # found faster than \d{4}
_SENTENCE = 200
_AFTER, _BEFORE, _ABOVE_TEXT = 13, 4, 9
_LONG = 25
_SAME_WORDS = 0.5
_LONGEST_HEADING = 300


def lines_near_headline(page: FlatPage, title: str = "", blocks: Sequence[int] = ()) -> list[str]:
    """The lines after the headline, before it, above the text, and those that name a publication date anywhere.

    `title` is the title of the page; `blocks` are those of its text. A line that follows its label includes it.
    """
    heading = _heading(page, title)
    places: list[int] = []
    if heading is not None:
        places += range(heading + 1, heading + 1 + _AFTER)
        places += range(heading - 1, heading - 1 - _BEFORE, -1)
    first = next((block for block, words in enumerate(page.words) if words >= _LONG), 0)
    places += range(first - 1, first - 1 - _ABOVE_TEXT, -1)
    lines = _lines(page, places)
    end = blocks[-1] + _AFTER if blocks else len(page.texts)
    year_in = _YEAR.search
    dated = [block for block, text in enumerate(page.texts[:end]) if len(text) <= _SENTENCE and year_in(text)]
    return lines + [line for line in _lines(page, dated) if says_published(line)]


def _lines(page: FlatPage, places: Iterable[int]) -> list[str]:
    texts = page.texts
    lines = []
    for place in places:
        if 0 <= place < len(texts):
            text = texts[place]
            before = texts[place - 1] if place else ""
            is_labelled = 0 < len(before) <= LONGEST_LABEL and _YEAR.search(text) and is_label(before)
            lines.append(f"{before} {text}" if is_labelled else text)
    return lines


def _heading(page: FlatPage, title: str) -> int | None:
    """The first h1 that shares words with the title, else the first h1, else any heading that shares words with it."""
    words = set(_WORD.findall(title.lower()))
    tags = list(map(page.tags.__getitem__, page.block_elements))
    first = [block for block, tag in enumerate(tags) if tag == _H1]
    candidates = first or [block for block, tag in enumerate(tags) if tag in _HEADINGS]
    repeated = (block for block in candidates if _share(words, page.texts[block]) > _SAME_WORDS)
    return next(repeated, first[0] if first else None)


def _share(words: set[str], text: str) -> float:
    text_words = set(_WORD.findall(text[:_LONGEST_HEADING].lower()))
    return len(text_words & words) / max(len(text_words | words), 1)
