"""Words that differ from a misspelt one by one slip: a letter too many, one missing, another one, or two that changed places."""

from collections.abc import Iterable, Iterator
from itertools import islice, pairwise

MIN_LETTERS = 4
"""Shorter words have too many neighbours."""
MAX_LETTERS = 24
"""Longer ones have thousands of near spellings, and are hardly ever misspelt words."""
MOST_WORDS = 5
"""Of one query; the first ones."""
LATIN = "abcdefghijklmnopqrstuvwxyz"
ALPHABETS = tuple(
    "".join(map(chr, range(first, last + 1)))
    for first, last in ((0x430, 0x44F), (0x3B1, 0x3C9), (0x5D0, 0x5EA), (0x627, 0x64A))
)
"""Cyrillic, Greek, Hebrew and Arabic letters."""


def correctable_words(words: Iterable[str]) -> list[str]:
    """Those that are corrected: words of a usual length, and only a few, because every near spelling is looked up."""
    return list(islice((word for word in words if MIN_LETTERS <= len(word) <= MAX_LETTERS), MOST_WORDS))


def near_spellings(word: str) -> Iterator[str]:
    """All words with one slip after the first letter, which nearly all misspelt words have right. `word` is folded."""
    letters = alphabet_of(word)
    for place in range(1, len(word) + 1):
        before, after = word[:place], word[place:]
        yield from (before + letter + after for letter in letters)
        if after:
            yield before + after[1:]
            yield from (before + letter + after[1:] for letter in letters if letter != after[0])
    for place, (first, second) in enumerate(pairwise(word)):
        if place and first != second:
            yield word[:place] + second + first + word[place + 2 :]


def alphabet_of(word: str) -> str:
    """The letters of the script that the word is written in; for other scripts, those of the word itself."""
    if word.isascii():
        return LATIN
    for alphabet in ALPHABETS:
        if word[0] in alphabet:
            return alphabet
    return "".join(dict.fromkeys(word))
