"""Texts and queries as terms: case and accents folded, words reduced to their stems, pairs of characters where a script
writes no spaces. Documents and queries pass through the same functions, so they meet on equal terms."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import Stemmer

from headwater.documents.language.codes import primary_code
from headwater.text.folding import fold_accents
from headwater.text.known_words import share_word
from headwater.text.scripts import EAST_ASIAN, HANGUL, SOUTHEAST_ASIAN, character_class

MAX_WORD_LENGTH = 64
WITHOUT_CACHE = 0
"""What a stemmer answers is remembered chunk by chunk."""
DEFAULT_LANGUAGE = "en"
"""Of texts whose language is unknown."""

STEMMERS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish",
    "fr": "french", "ga": "irish", "gl": "portuguese", "hi": "hindi", "hu": "hungarian", "hy": "armenian",
    "id": "indonesian", "it": "italian", "lt": "lithuanian", "ms": "indonesian", "ne": "nepali", "nl": "dutch",
    "nn": "norwegian", "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
"""Language to Snowball algorithm. Galician is close enough to Portuguese, Malay to Indonesian."""

# Combining marks are parts of words in many scripts, but not for Python's \w.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0900-\u0963\u0981-\u0d7f\u200c\u200d"
)
_PAIRS = character_class((*EAST_ASIAN, *HANGUL))
_THREES = character_class(SOUTHEAST_ASIAN)
WORD = re.compile(rf"[{_PAIRS}]+|[{_THREES}]+|(?:(?![{_PAIRS}{_THREES}])[^\W_]|[{_MARKS}])+")
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+")
_PAIR_RUN = re.compile(rf"[{_PAIRS}]")
_THREE_RUN = re.compile(rf"[{_THREES}]")


@dataclass(frozen=True, slots=True)
class Token:
    """A term where it stands: `text[start:end]`. `terms` has the term and, for a word with accents, the one that the
    word would have without them."""

    start: int
    end: int
    terms: tuple[str, ...]


def tokens_of(text: str, language: str = "") -> Iterator[Token]:
    """The tokens of a text in order; runs longer than any word are left out."""
    code = stem_language(language)
    for match in word_pattern(text).finditer(text):
        word, start = match[0], match.start()
        size = _piece_size(word)
        if size:
            for offset in range(max(1, len(word) - size + 1)):
                piece = word[offset : offset + size]
                yield Token(start + offset, start + offset + len(piece), (_fold_piece(piece, size),))
        elif len(word) <= MAX_WORD_LENGTH and (terms := word_terms(word, code)):
            yield Token(start, match.end(), terms)


def word_pattern(text: str) -> re.Pattern[str]:
    """For words and runs of a text: a simple pattern for ASCII, which is five times as fast."""
    return _ASCII_WORD if text.isascii() else WORD


def analyse(text: str, language: str = "") -> list[tuple[str, ...]]:
    """The terms of each token in order, without their places: for counting."""
    if not text.isascii():
        return [token.terms for token in tokens_of(text, language)]
    code = stem_language(language)
    words = _ASCII_WORD.findall(text)
    return [word_terms(word, code) for word in words if len(word) <= MAX_WORD_LENGTH]


def stem_language(language: str) -> str:
    """The language by which words are stemmed: English where it is unknown, none where there is no stemmer."""
    code = primary_code(language) if language else ""
    if not code or code == "und":
        return DEFAULT_LANGUAGE
    return code if code in STEMMERS else ""


@lru_cache(maxsize=5_000)  # for queries and snippets; what is indexed is remembered chunk by chunk
def word_terms(word: str, code: str) -> tuple[str, ...]:
    lower = word.lower()
    stem = _stem(lower, code)
    if lower.isascii():
        return (stem,)
    folded = fold_word(lower)
    return tuple(dict.fromkeys(term for term in (fold_word(stem), _stem(folded, code)) if term))


def _stem(word: str, code: str) -> str:
    stemmer = _stemmer(code)
    stem: str = word if stemmer is None or word.isdigit() else stemmer.stemWord(word)
    return share_word(stem or word)


@cache
def _stemmer(code: str) -> Any:
    return Stemmer.Stemmer(STEMMERS[code], WITHOUT_CACHE) if code in STEMMERS else None


def fold_word(word: str) -> str:
    """In lower case and without accents."""
    # Twice: some letters are capitals only after decomposition, and some have marks only in lower case.
    return unicodedata.normalize("NFC", fold_accents(fold_accents(word).casefold()))


def is_unspaced_run(word: str) -> bool:
    """Whether a match of `WORD` is a run of a script that writes no spaces."""
    return _piece_size(word) > 0


def _piece_size(word: str) -> int:
    """In how long pieces a run is cut; 0 for a word."""
    if word.isascii():
        return 0
    if _PAIR_RUN.match(word):
        return 2
    return 3 if _THREE_RUN.match(word) else 0


def _fold_piece(piece: str, size: int) -> str:
    """The marks of Thai and its neighbours are vowels, so they stay."""
    return unicodedata.normalize("NFKC", piece).casefold() if size == 2 else piece


def query_word_terms(word: str, languages: Sequence[str]) -> tuple[str, ...]:
    """The terms that a word of a query may have in texts of these languages."""
    codes = dict.fromkeys(map(stem_language, languages)) or {DEFAULT_LANGUAGE: None}
    return tuple(dict.fromkeys(term for code in codes for term in word_terms(word, code)))
