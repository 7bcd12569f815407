"""Words of texts with the case they are written in, and what a collection of texts says about it.

A word is likely a name if the texts write it with a capital letter only, in the middle of a sentence at least once. Languages that
write every noun so (German) need a word from another language, or a cue.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

WORD = re.compile(r"[^\W\d_]+(?:['’\-.][^\W\d_]+)*")
SENTENCE_START = re.compile(r"(?:[.!?…:;]|\n)[\s\"'“”„«»()\[\]–—-]*$|^[\s\"'“”„«»(\[¿¡–—-]*$")
OPENING = re.compile(r"[\"“„«‘¿¡]\s?$")
ELISIONS = ("'", "’")
"""After one letter: `l'ONU`, `d'Orsay`."""
LOOK_BACK = 12
MOST_LOWER = 0.2
"""The share of lower-case uses up to which a word still counts as one that is written with a capital letter."""
CAPITAL_NOUN_LANGUAGES = frozenset(("de", "lb"))


class CasedWord(NamedTuple):
    """`key` is the word without its case. A tuple, because there are millions of them."""

    text: str
    start: int
    end: int
    starts_sentence: bool
    key: str
    is_capital: bool


def read_words(text: str) -> list[CasedWord]:
    words = []
    for match in WORD.finditer(text):
        start, end = match.span()
        word = match[0]
        # After a word or a comma and a space no sentence begins. That is nearly always so, and sooner seen than by the patterns.
        is_inside = (
            start > 1 and text[start - 1] == " " and (text[start - 2].isalnum() or text[start - 2] == ",")
        )
        starts = not is_inside and _starts_sentence(text, start)
        if word[1:2] in ELISIONS:
            word, start, starts = word[2:], start + 2, False
        words.append(CasedWord(word, start, end, starts, word.casefold(), word[0].isupper()))
    return words


def _starts_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - LOOK_BACK) : start]
    is_start = start <= LOOK_BACK and not before.strip("\"'“”„«»([¿¡–—- ")
    return is_start or bool(SENTENCE_START.search(before)) or bool(OPENING.search(before))


@dataclass(frozen=True)
class CapitalUse:
    """How often the texts write each word in lower case, and with a capital letter in the middle of a sentence. `elsewhere` counts
    only the languages that do not write every noun with one."""

    lower: Counter[str]
    inner: Counter[str]
    elsewhere: Counter[str]

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(word for word, count in self.inner.items() if self.lower[word] <= MOST_LOWER * count)

    def is_name(self, word: CasedWord, *, capital_nouns: bool) -> bool:
        """Whether a capitalised word is a name rather than a noun or the start of a sentence."""
        if capital_nouns:
            return self.elsewhere[word.key] > 0 and word.key in self.words
        return word.key in self.words


def count_capitals(texts: Iterable[tuple[str, Sequence[CasedWord]]]) -> CapitalUse:
    """`texts`: the language and the words of each."""
    lower: Counter[str] = Counter()
    inner: Counter[str] = Counter()
    elsewhere: Counter[str] = Counter()
    for language, words in texts:
        lower.update([word.key for word in words if not word.is_capital])
        inner_words = [word.key for word in words if word.is_capital and not word.starts_sentence]
        inner.update(inner_words)
        if language not in CAPITAL_NOUN_LANGUAGES:
            elsewhere.update(inner_words)
    return CapitalUse(lower, inner, elsewhere)
