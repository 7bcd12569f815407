"""How much of a query a text contains."""

from collections.abc import Iterable, Sequence

from headwater.search.analysis import analyse, fold_word, tokens_of
from headwater.search.query import query_words

CONTENT_LENGTH = 3  # letters; shorter words are mostly grammar
FUNCTION_WORDS = frozenset(
    {
        "amb", "and", "con", "das", "del", "der", "des", "die", "dos", "els", "eta", "for", "las", "les", "los", "per",
        "por", "que", "the", "una", "und", "une", "von",
    }
)  # fmt: skip


def content_words(words: Iterable[str]) -> tuple[str, ...]:
    """The words that carry content; all of them if none does."""
    listed = tuple(dict.fromkeys(words))
    content = tuple(
        word
        for word in listed
        if (len(word) >= CONTENT_LENGTH or not word.isascii()) and fold_word(word) not in FUNCTION_WORDS
    )
    return content or listed


def word_coverage(words: Sequence[str], terms: frozenset[str], language: str) -> float:
    """The share of the content words of which a text with these terms contains a form."""
    content = content_words(words)
    having = sum(
        any(term in terms for token in tokens_of(word, language) for term in token.terms) for word in content
    )
    return having / len(content) if content else 0.0


def text_coverage(query: str, text: str, language: str = "") -> float:
    """The share of the content words of a query that a text contains."""
    terms = frozenset(term for token in analyse(text, language) for term in token)
    return word_coverage(query_words(query), terms, language)
