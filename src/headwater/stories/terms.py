"""Texts as terms: folded words without stopwords and without the plural s."""

import re
import unicodedata
from collections import Counter
from itertools import chain, islice

from headwater.documents.language.lexicon import STOPWORDS
from headwater.text.folding import fold_accents
from headwater.text.known_words import KnownWords, share_word
from headwater.text.scripts import HANGUL, UNSPACED, character_class
from headwater.text.typography import space_marks

MAX_CHARACTERS = 20_000
"""Only this many characters are read, so that a page of a million characters stays cheap."""

MOST_WORDS = 50_000
"""So many words are remembered."""

WORD = re.compile(r"\w+")
ASCII_GAPS = "".join(chr(code) if WORD.match(chr(code)) else " " for code in range(128))
"""What is no word becomes a space: for ASCII faster than the pattern."""
SPELT_WORD = re.compile(r"\w(?:[\w'’.-]*\w)?")
POSSESSIVE = re.compile(r"'s\b")
DENSE_WORD = re.compile(f"[{character_class((*UNSPACED, *HANGUL))}]{{2,}}")
NEWS_WORDS = (
    "said says say told tell after over up out than into what who why how he she him them we i me my so just now one two"
    " first us mr mrs ms get gets report reports news update updates video watch live could should being did s t u"
    " dit hij zegt sagte sagt laut nach selon après dijo según tras disse segundo após ha detto secondo dopo сказал после"
)
# Stopwords of one language that carry meaning in another.
CONTENT_WORDS = (
    "war sea drug die son sin care sense side word pro solo hat hay pot pie polo dove mint volt van era dig"
)
STOP_TERMS = frozenset().union(*STOPWORDS.values()) - frozenset(CONTENT_WORDS.split()) | frozenset(
    NEWS_WORDS.split()
)


def list_terms(text: str) -> list[str]:
    """The terms in order. Scripts without spaces are split into pairs of adjacent characters."""
    folded = _fold(text[:MAX_CHARACTERS])
    words = folded.translate(ASCII_GAPS).split() if folded.isascii() else WORD.findall(folded)
    return list(chain.from_iterable(map(_terms_of_words.__getitem__, words)))


def count_terms(text: str) -> Counter[str]:
    """Each term with its count."""
    return Counter(list_terms(text))


def outline(text: str, limit: int) -> str:
    """The text, if it has at most `limit` words; otherwise its first words as written, without stopwords."""
    words = SPELT_WORD.findall(text)
    if len(words) <= limit:
        return text
    return " ".join(
        islice((word for word in words if len(word) > 1 and word.casefold() not in STOP_TERMS), limit)
    )


def _fold(text: str) -> str:
    lower = (text if text.isascii() else space_marks(text, "'")).casefold()
    if not lower.isascii():
        lower = unicodedata.normalize("NFC", fold_accents(lower))
    return POSSESSIVE.sub("", lower) if "'" in lower else lower


def _terms_of(word: str) -> tuple[str, ...]:
    """The terms of a folded word."""
    if len(word) < 2 or word in STOP_TERMS:
        return ()
    if DENSE_WORD.fullmatch(word):
        return tuple(word[i : i + 2] for i in range(len(word) - 1))
    plural = len(word) > 4 and word.endswith("s") and not word.endswith("ss")
    return (share_word(word[:-1] if plural else word),)


_terms_of_words = KnownWords(_terms_of, MOST_WORDS)
