"""Finds a text in the bytes of a page, although tags, entities and spaces may stand between its words."""

import re
from html import escape

# Enough to be the only place, and short enough that a tag inside does not matter much.
FIRST_WORDS = 12
BETWEEN = rb"(?:\s|&nbsp;|&#160;|\xc2\xa0|<[^<>]{0,300}>){1,20}"


def find_passage(body: bytes, text: str) -> tuple[int, int] | None:
    """The start and end of the text in the bytes: the whole text where it stands as it is, else its first words."""
    for data in dict.fromkeys((text.encode(), escape(text).encode(), escape(text, quote=False).encode())):
        if data and (start := body.find(data)) >= 0:
            return start, start + len(data)
    words = text.split()[:FIRST_WORDS]
    if not words:
        return None
    pattern = BETWEEN.join(_word_pattern(word) for word in words)
    match = re.search(pattern, body)
    return None if match is None else match.span()


def _word_pattern(word: str) -> bytes:
    """A word as it is, or with its special characters as entities."""
    plain, escaped = (re.escape(form.encode()) for form in (word, escape(word)))
    return plain if plain == escaped else b"(?:" + plain + b"|" + escaped + b")"
