"""Words and paragraphs in any script."""

import re

from headwater.text.scripts import EAST_ASIAN, SOUTHEAST_ASIAN, character_class
from headwater.text.typography import space_marks

_PAIRS = character_class(EAST_ASIAN)
_FIVES = character_class(SOUTHEAST_ASIAN)
# Combining marks, in the scripts where they are frequent.
_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u065f\u0670\u06d6-\u06ed\u0900-\u0963\u0966-\u0d7f\u200c\u200d"
# ASCII first, run by run: most letters of most texts are, whatever quotation marks stand between them.
_LETTER = rf"(?:[A-Za-z0-9]++|(?![{_PAIRS}{_FIVES}])[^\W_]|[{_MARKS}])"
# Possessive: no part of a word is given back, so a word of a megabyte needs no memory of where each part began.
WORD = re.compile(
    rf"{_LETTER}++(?:['’·.,-]{_LETTER}++)*+|[{_PAIRS}]{{1,2}}|[{_FIVES}]{{1,5}}",
)
CHEAP_WORD = re.compile(r"[A-Za-z0-9]++(?:['.,-][A-Za-z0-9]++)*+")
PLAIN_WORD = re.compile(r"[A-Za-z0-9]++(?:['’.,-][A-Za-z0-9]++)*+")
"""For a text that is ASCII but for the marks of printed text."""

# Their small letters are two characters, or depend on what stands beside them.
CASE_OF_NEIGHBOURS = re.compile("[\u0130\u03a3]")

BLOCK_BREAK = re.compile(r"\n[^\S\n]*\n")


def split_words(text: str) -> list[str]:
    """The words; in scripts without spaces, pieces of about the length of a word."""
    return _word_pattern(text).findall(text)


def _word_pattern(text: str) -> re.Pattern[str]:
    if text.isascii():
        return CHEAP_WORD
    return PLAIN_WORD if space_marks(text).isascii() else WORD


def split_lower_words(text: str) -> list[str]:
    """The same words in lower case."""
    if not text.isascii() and CASE_OF_NEIGHBOURS.search(text):
        return [word.lower() for word in split_words(text)]
    return split_words(text.lower())


def count_words(text: str) -> int:
    return len(split_words(text))


def count_blocks(text: str) -> int:
    """Paragraphs separated by blank lines."""
    return sum(1 for block in BLOCK_BREAK.split(text) if block.strip())
