"""Queries: their filters, and their terms as folded words, as texts are compared with them. There are no operators."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from headwater.text.folding import fold_accents
from headwater.text.scripts import EAST_ASIAN, character_class

WORD = re.compile(r"[^\W_]+")
# Each character is a word, so that any part of a run can be found.
EAST_ASIAN_LETTER = re.compile(f"([{character_class(EAST_ASIAN)}])")
MAX_WORD_LENGTH = 200


def search_words(text: str) -> list[str]:
    """Words in lower case without accents; runs longer than any word are left out."""
    plain = text.lower() if text.isascii() else _fold(text)
    return [word for word in WORD.findall(plain) if len(word) <= MAX_WORD_LENGTH]


def _fold(text: str) -> str:
    # Twice: some letters are capitals only after decomposition, and some have marks only in lower case.
    stripped = fold_accents(fold_accents(text).casefold())
    return EAST_ASIAN_LETTER.sub(r" \1 ", unicodedata.normalize("NFC", stripped))


MAX_TERMS = 32
CONTENT_LENGTH = 3  # letters; shorter words are mostly grammar
FUNCTION_WORDS = "amb and con das del der des die dos els eta for las les los per por que the una und une von"
PREFIX_LENGTH = 4
STEMMED_LENGTH, ENDING = 6, 2

QueryTerm = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WordQuery:
    """A language includes all its regions; `since` is the publication date."""

    query: str
    recipe: str
    language: str = ""
    since: datetime | None = None
    limit: int = 10


def query_terms(query: str) -> tuple[QueryTerm, ...]:
    """The distinct terms in order: single words, and phrases between quotation marks."""
    terms: list[QueryTerm] = []
    for index, part in enumerate(query.replace("“", '"').replace("”", '"').split('"')):
        words = search_words(part)
        terms += [tuple(words)] if index % 2 and words else [(word,) for word in words]
    return tuple(dict.fromkeys(term[:MAX_TERMS] for term in terms))[:MAX_TERMS]


def content_terms(terms: Sequence[QueryTerm]) -> tuple[QueryTerm, ...]:
    """The terms that carry content, as prefixes: a long word without its ending finds its other forms."""
    content = [term for term in terms if len(term) > 1 or _is_content_word(term[0])]
    return tuple(dict.fromkeys(_prefix(term) for term in content or terms))


def _is_content_word(word: str) -> bool:
    return len(word) >= CONTENT_LENGTH and f" {word} " not in f" {FUNCTION_WORDS} "


def _prefix(term: QueryTerm) -> QueryTerm:
    last = term[-1]
    return (*term[:-1], last[:-ENDING] if len(last) >= STEMMED_LENGTH else last)


def matches_prefixes(term: QueryTerm) -> bool:
    """Whether longer words with this prefix match as well: not for a short prefix, which too many words share."""
    return len(term[-1]) >= PREFIX_LENGTH


def term_coverage(terms: Sequence[QueryTerm], text: str) -> float:
    """The share of content terms that the text contains."""
    content = content_terms(terms)
    padded_text = f" {' '.join(search_words(text))} "
    patterns = [f" {' '.join(term)}{'' if matches_prefixes(term) else ' '}" for term in content]
    return sum(pattern in padded_text for pattern in patterns) / len(content) if content else 0.0
