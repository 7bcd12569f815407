"""A text as words that compare equal however they were typed."""

import re
import unicodedata
from collections.abc import Sequence

WORD = re.compile(r"[^\W_]+")
# Scripts without spaces: each letter is a word, so that a part of a run is found.
UNSPACED = re.compile(r"([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])")
LONGEST_WORD = 200


def search_words(text: str) -> list[str]:
    """Letters and digits in lower case without accents. Stretches longer than any word are left out."""
    plain = text.lower() if text.isascii() else _plain(text)
    return [word for word in WORD.findall(plain) if len(word) <= LONGEST_WORD]


def _plain(text: str) -> str:
    # Twice: some letters are capitals only once they are taken apart, and some have marks only in small.
    bare = _bare(_bare(text).casefold())
    return UNSPACED.sub(r" \1 ", unicodedata.normalize("NFC", bare))


def _bare(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


MOST_TERMS = 32
CONTENT_LENGTH = 3  # letters; what is shorter is mostly grammar
FUNCTION_WORDS = "amb and con das del der des die dos els eta for las les los per por que the una und une von"
PREFIX_LENGTH = 4
LONG, ENDING = 6, 2

QueryTerm = tuple[str, ...]


def query_terms(query: str) -> tuple[QueryTerm, ...]:
    """Each once, in order; no more than a person would type."""
    found: list[QueryTerm] = []
    for place, part in enumerate(query.replace("“", '"').replace("”", '"').split('"')):
        words = search_words(part)
        found += [tuple(words)] if place % 2 and words else [(word,) for word in words]
    return tuple(dict.fromkeys(term[:MOST_TERMS] for term in found))[:MOST_TERMS]


def content_terms(asked: Sequence[QueryTerm]) -> tuple[QueryTerm, ...]:
    """Those that say what it is about, as beginnings: a long word without its ending finds its other forms."""
    long = [term for term in asked if len(term) > 1 or _is_content_word(term[0])]
    return tuple(dict.fromkeys(_beginning(term) for term in long or asked))


def _is_content_word(word: str) -> bool:
    return len(word) >= CONTENT_LENGTH and f" {word} " not in f" {FUNCTION_WORDS} "


def _beginning(term: QueryTerm) -> QueryTerm:
    last = term[-1]
    return (*term[:-1], last[:-ENDING] if len(last) >= LONG else last)


def matches_prefixes(term: QueryTerm) -> bool:
    """Whether words that go on count as well: not after a short one, with which too many begin."""
    return len(term[-1]) >= PREFIX_LENGTH


def term_coverage(asked: Sequence[QueryTerm], text: str) -> float:
    """The share of telling terms that the text holds."""
    wanted = content_terms(asked)
    held = f" {' '.join(search_words(text))} "
    told = [f" {' '.join(term)}{'' if matches_prefixes(term) else ' '}" for term in wanted]
    return sum(one in held for one in told) / len(wanted) if wanted else 0.0
