"""Words of texts with the case they are written in, and what a collection of texts says about it.

A word is likely a name if the texts write it with a capital letter only, in the middle of a sentence at least once. Languages that
write every noun so (German) need a word from another language, or a cue.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

WORD = re.compile(r"[^\W\d_]+(?:['’\-.][^\W\d_]+)*")
SENTENCE_START = re.compile(r"(?:[.!?…:;]|\n)[\s\"'“”„«»()\[\]–—-]*$|^[\s\"'“”„«»(\[¿¡–—-]*$")
OPENING = re.compile(r"[\"“„«‘¿¡]\s?$")
ELISIONS = ("'", "’")
"""After one letter: `l'ONU`, `d'Orsay`."""
LOOK_BACK = 12
MOST_LOWER = 0.2
"""The share of lower-case uses up to which a word still counts as one that is written with a capital letter."""
CAPITAL_NOUN_LANGUAGES = frozenset(("de", "lb"))


@dataclass(frozen=True, slots=True)
class CasedWord:
    text: str
    start: int
    end: int
    starts_sentence: bool

    @property
    def key(self) -> str:
        return self.text.casefold()

    @property
    def is_capital(self) -> bool:
        return self.text[0].isupper()


def read_words(text: str) -> list[CasedWord]:
    words = []
    for match in WORD.finditer(text):
        before = text[max(0, match.start() - LOOK_BACK) : match.start()]
        is_start = match.start() <= LOOK_BACK and not before.strip("\"'“”„«»([¿¡–—- ")
        starts = is_start or bool(SENTENCE_START.search(before)) or bool(OPENING.search(before))
        skip = 2 if match[0][1:2] in ELISIONS else 0
        words.append(CasedWord(match[0][skip:], match.start() + skip, match.end(), starts and not skip))
    return words


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
        for word in words:
            if not word.is_capital:
                lower[word.key] += 1
            elif not word.starts_sentence:
                inner[word.key] += 1
                if language not in CAPITAL_NOUN_LANGUAGES:
                    elsewhere[word.key] += 1
    return CapitalUse(lower, inner, elsewhere)
