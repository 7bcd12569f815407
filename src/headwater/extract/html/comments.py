"""Readers' comments: sections that say so and follow the text they are about."""

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from headwater.extract.html.choose import Choice
from headwater.extract.html.flatten import Page

Array = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]

_A_TEXT_OF_ITS_OWN = 100
_LONG = 25
# Below an article that is not declared as one, comments are dropped only while the article is the larger part.
_LARGER_PART = 0.5
_SECTION = re.compile(
    r"(?:^|[\s_-])(?:comments?|kommentare?|comentarios?|commentaires?|commenti|reacties|yorumlar|disqus(?:_thread)?|respond)"
    r"(?:[-_]?(?:list|section|area|wrap(?:per)?|container|block|box|thread|body|content|inner|main|s))?(?=\s|$)",
    re.IGNORECASE,
)


def without_comments(choice: Choice, comments: Flags, words: Array) -> Choice:
    """What readers wrote below an article is not the article, as long as there is one above."""
    kept = tuple(block for block in choice.blocks if not comments[block])
    enough = float(words[list(kept)].sum()) >= _A_TEXT_OF_ITS_OWN
    return replace(choice, blocks=kept) if enough else choice


def without_comment_sections(choice: Choice, page: Page, comments: Flags, words: Array) -> Choice:
    """The same for pages that do not say what they are: whole sections only, and only after a text of some length."""
    if not comments[list(choice.blocks)].any():
        return choice
    start = next((block for block in choice.blocks if page.words[block] >= _LONG), 0)
    inside = np.zeros(len(words), bool)
    for first, last in _sections(page):
        inside[first:last] |= first > start
    kept = tuple(block for block in choice.blocks if not inside[block])
    if len(kept) == len(choice.blocks):
        return choice
    above = [block for block in kept if block < int(np.argmax(inside))]
    enough = float(words[above].sum()) >= _A_TEXT_OF_ITS_OWN
    larger = float(words[list(kept)].sum()) >= _LARGER_PART * float(words[list(choice.blocks)].sum())
    return replace(choice, blocks=kept) if enough and larger else choice


def _sections(page: Page) -> Iterator[tuple[int, int]]:
    """First and last block of every element whose class or id is that of a comment section."""
    for attributes, first, last in zip(page.attributes, page.first, page.last, strict=True):
        if first < last and attributes and _SECTION.search(_names(attributes)):
            yield first, last


def _names(attributes: str) -> str:
    parts = attributes.split('"')
    values = dict(zip(parts[::2], parts[1::2], strict=False))
    return f"{values.get(' class=', '')} {values.get(' id=', '')}"
