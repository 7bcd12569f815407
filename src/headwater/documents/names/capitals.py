"""Words of texts with the case they are written in, and what a collection of texts says about it.

A word is likely a name if the texts write it with a capital letter only, in the middle of a sentence at least once. Languages that
write every noun so (German) need a word from another language, or a cue.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from operator import not_

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
class CasedWords:
    """The words of a text, one list per property: there are millions of words, and the garbage collector would follow an object for
    each. `keys` are the words without their case."""

    texts: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    starts_sentence: list[bool] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    is_capital: list[bool] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.keys)

    def add(self, word: str, start: int, end: int, *, starts_sentence: bool) -> None:
        self.texts.append(word)
        self.starts.append(start)
        self.ends.append(end)
        self.starts_sentence.append(starts_sentence)
        self.keys.append(word.casefold())
        self.is_capital.append(word[0].isupper())


def read_words(text: str) -> CasedWords:
    """Between two spaces there is mostly one word of letters alone, which is sooner seen than by the pattern."""
    words = CasedWords()
    start = 0
    is_inside = False
    for part in text.split(" "):
        end = start + len(part)
        if part.isalpha():
            words.add(part, start, end, starts_sentence=not is_inside and _starts_sentence(text, start))
            is_inside = True
        else:
            _add_words_between(words, text, start, end)
            is_inside = bool(part) and (part[-1].isalnum() or part[-1] == ",")
        start = end + 1
    return words


def _add_words_between(words: CasedWords, text: str, first: int, last: int) -> None:
    for match in WORD.finditer(text, first, last):
        start, end = match.span()
        word = match[0]
        # After a word or a comma and a space no sentence begins.
        is_inside = (
            start > 1 and text[start - 1] == " " and (text[start - 2].isalnum() or text[start - 2] == ",")
        )
        if word[1:2] in ELISIONS:
            words.add(word[2:], start + 2, end, starts_sentence=False)
        else:
            words.add(word, start, end, starts_sentence=not is_inside and _starts_sentence(text, start))


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

    def is_name(self, key: str, *, capital_nouns: bool) -> bool:
        """Whether a capitalised word is a name rather than a noun or the start of a sentence."""
        if capital_nouns:
            return self.elsewhere[key] > 0 and key in self.words
        return key in self.words


def count_capitals(texts: Iterable[tuple[str, CasedWords]]) -> CapitalUse:
    """`texts`: the language and the words of each."""
    lower: Counter[str] = Counter()
    inner: Counter[str] = Counter()
    elsewhere: Counter[str] = Counter()
    for language, words in texts:
        lower.update(compress(words.keys, map(not_, words.is_capital)))
        inner_words = [
            key
            for key, is_capital, starts in zip(
                words.keys, words.is_capital, words.starts_sentence, strict=True
            )
            if is_capital and not starts
        ]
        inner.update(inner_words)
        if language not in CAPITAL_NOUN_LANGUAGES:
            elsewhere.update(inner_words)
    return CapitalUse(lower, inner, elsewhere)
