"""The passage of a text that answers a query best."""

from collections.abc import Sequence

from headwater.search.query import QueryTerm, content_terms, matches_prefixes, search_words

LENGTH = 32  # words
FAR = 20_000  # words; nobody reads that far


def snippet(text: str, asked: Sequence[QueryTerm]) -> str:
    """The words around the place where most different terms come together; else the beginning."""
    said = text.split(maxsplit=FAR)[:FAR]
    beginnings = tuple({word for term in content_terms(asked) for word in term})
    hits = [(place, hit) for place, word in enumerate(said) if (hit := _hit(word, beginnings))]
    start = max(0, _densest(hits) - LENGTH // 4)
    passage = " ".join(said[start : start + LENGTH])
    return f"{'… ' if start else ''}{passage}{' …' if len(said) > start + LENGTH else ''}"


def _hit(word: str, beginnings: tuple[str, ...]) -> str:
    for bare in search_words(word):
        for one in beginnings:
            if bare == one or (matches_prefixes((one,)) and bare.startswith(one)):
                return one
    return ""


def _densest(hits: Sequence[tuple[int, str]]) -> int:
    """Where the window with most different terms begins; the first of equals."""
    best, most, end = 0, 0, 0
    counts: dict[str, int] = {}
    for place, term in hits:
        while end < len(hits) and hits[end][0] < place + LENGTH // 2:
            counts[hits[end][1]] = counts.get(hits[end][1], 0) + 1
            end += 1
        if len(counts) > most:
            best, most = place, len(counts)
        counts[term] -= 1
        if not counts[term]:
            del counts[term]
    return best
