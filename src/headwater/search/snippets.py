"""The passage of a text that matches a query best."""

from collections.abc import Sequence

from headwater.search.word_query import QueryTerm, content_terms, matches_prefixes, search_words

LENGTH = 32  # words
MAX_WORDS = 20_000  # words: later text is ignored


def snippet(text: str, terms: Sequence[QueryTerm]) -> str:
    """The words around the densest occurrence of different terms; otherwise the start of the text."""
    words = text.split(maxsplit=MAX_WORDS)[:MAX_WORDS]
    prefixes = tuple({word for term in content_terms(terms) for word in term})
    hits = [
        (index, prefix) for index, word in enumerate(words) if (prefix := _matched_prefix(word, prefixes))
    ]
    start = max(0, _densest(hits) - LENGTH // 4)
    passage = " ".join(words[start : start + LENGTH])
    return f"{'… ' if start else ''}{passage}{' …' if len(words) > start + LENGTH else ''}"


def _matched_prefix(word: str, prefixes: tuple[str, ...]) -> str:
    for folded in search_words(word):
        for prefix in prefixes:
            if folded == prefix or (matches_prefixes((prefix,)) and folded.startswith(prefix)):
                return prefix
    return ""


def _densest(hits: Sequence[tuple[int, str]]) -> int:
    """The start of the first window with the most different terms."""
    best, most_terms, end = 0, 0, 0
    counts: dict[str, int] = {}
    for index, term in hits:
        while end < len(hits) and hits[end][0] < index + LENGTH // 2:
            counts[hits[end][1]] = counts.get(hits[end][1], 0) + 1
            end += 1
        if len(counts) > most_terms:
            best, most_terms = index, len(counts)
        counts[term] -= 1
        if not counts[term]:
            del counts[term]
    return best
