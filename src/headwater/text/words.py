"""Words and paragraphs in any script."""

import re

# Scripts without spaces, by how many characters make about one word.
_PAIRS = "\u2e80-\u312f\u3190-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
_FIVES = "\u0e00-\u0e4e\u0e80-\u0ece\u1000-\u1049\u1780-\u17d3"
# Combining marks, in the scripts where they are frequent.
_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u065f\u0670\u06d6-\u06ed\u0900-\u0963\u0966-\u0d7f\u200c\u200d"
_LETTER = rf"(?:(?![{_PAIRS}{_FIVES}])[^\W_]|[{_MARKS}])"
WORD = re.compile(
    rf"{_LETTER}+(?:['’·.,-]{_LETTER}+)*|[{_PAIRS}]{{1,2}}|[{_FIVES}]{{1,5}}",
)
CHEAP_WORD = re.compile(r"[A-Za-z0-9]+(?:['.,-][A-Za-z0-9]+)*")

BLOCK_BREAK = re.compile(r"\n[^\S\n]*\n")


def split_words(text: str) -> list[str]:
    """The words; in scripts without spaces, pieces of about the length of a word."""
    return (CHEAP_WORD if text.isascii() else WORD).findall(text)


def count_words(text: str) -> int:
    return len(split_words(text))


def count_blocks(text: str) -> int:
    """Paragraphs separated by blank lines."""
    return sum(1 for block in BLOCK_BREAK.split(text) if block.strip())
