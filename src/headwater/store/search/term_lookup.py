"""Looks words up in the terms of the index: those that continue a prefix, and those that a misspelt word may mean."""

from collections.abc import Iterable, Sequence

from rapidfuzz import process
from rapidfuzz.distance import OSA
from sqlalchemy import Connection, func, select

from headwater.search.analysis import fold_word, query_word_terms
from headwater.search.query import Clause, SearchQuery
from headwater.store.schema.search import IS_WAITING, search_entries, search_terms

MAX_EXPANSIONS = 1_000
"""The shortest words with a beginning; with one letter there are many, and those are longer than what was meant."""
MAX_CANDIDATES = 20_000
MIN_LETTERS = 4
"""Shorter words have too many neighbours."""
LONG_WORD = 8
LAST = "\U0010ffff"


def expand_prefixes(connection: Connection, query: SearchQuery) -> dict[Clause, list[str]]:
    """For each clause with a prefix, the terms that begin with it, shortest first."""
    clauses = [clause for group in query.groups for clause in group if clause.prefix]
    clauses += [clause for clause in query.excluded if clause.prefix]
    if not clauses:
        return {}
    waiting = _waiting_terms(connection)
    expansions = {}
    for clause in clauses:
        prefix = fold_word(clause.words[-1])
        stored = _stored_terms(connection, prefix, MAX_EXPANSIONS)
        terms = {*stored, *(term for term in waiting if term.startswith(prefix))}
        expansions[clause] = sorted(terms, key=lambda term: (len(term), term))[:MAX_EXPANSIONS]
    return expansions


def _stored_terms(connection: Connection, prefix: str, limit: int) -> list[str]:
    query = select(search_terms.c.term).where(
        search_terms.c.term >= prefix, search_terms.c.term < prefix + LAST
    )
    shortest_first = query.order_by(func.length(search_terms.c.term), search_terms.c.term)
    return list(connection.scalars(shortest_first.limit(limit)))


def _waiting_terms(connection: Connection) -> set[str]:
    query = select(search_entries.c.terms).where(IS_WAITING)
    return {term for terms in connection.scalars(query) for term in (terms or "").split("\n") if term}


def correct_words(connection: Connection, words: Iterable[str], languages: Sequence[str]) -> dict[str, str]:
    """The nearest term of the index for each word of four letters or more: one letter wrong, two in a long word. Stems are
    compared, because the index has no words. They share their first letter, as nearly all misspelt ones do."""
    waiting = _waiting_terms(connection)
    corrections = {}
    for word in words:
        distance = 1 if len(word) < LONG_WORD else 2
        best: tuple[float, str] | None = None
        for stem in query_word_terms(word, languages) if len(word) >= MIN_LETTERS else ():
            candidates = {*_similar_terms(connection, stem, distance)}
            candidates |= {term for term in waiting if term[:1] == stem[:1]}
            match = process.extractOne(stem, sorted(candidates), scorer=OSA.distance, score_cutoff=distance)
            if match is not None and match[1] and (best is None or match[1] < best[0]):
                best = (match[1], str(match[0]))
        if best is not None:
            corrections[word] = best[1]
    return corrections


def _similar_terms(connection: Connection, stem: str, distance: int) -> list[str]:
    query = select(search_terms.c.term).where(
        search_terms.c.term >= stem[0],
        search_terms.c.term < stem[0] + LAST,
        func.length(search_terms.c.term).between(len(stem) - distance, len(stem) + distance),
    )
    return list(connection.scalars(query.limit(MAX_CANDIDATES)))


def plain_words(query: SearchQuery) -> Sequence[str]:
    """The plain words of a query, which may be misspelt; a phrase or a field is meant as it is written."""
    return [clause.words[0] for group in query.groups for clause in group if clause.is_word]
