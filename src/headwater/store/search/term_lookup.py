"""Looks words up in the terms of the index: those that continue a prefix, and those that a misspelt word may mean."""

from collections.abc import Iterable, Sequence

from rapidfuzz import process
from rapidfuzz.distance import OSA
from sqlalchemy import Connection, func, select

from headwater.search.analysis import fold_word, query_word_terms
from headwater.search.entry_terms import term_hash, title_hash
from headwater.search.near_spellings import correctable_words, near_spellings
from headwater.search.query import TITLE, Clause, SearchQuery
from headwater.store.in_list import in_list
from headwater.store.schema.search import IS_WAITING, search_entries, search_terms
from headwater.store.search.index_reader import IndexReader

MAX_EXPANSIONS = 1_000
"""The shortest words with a beginning; with one letter there are many, and those are longer than what was meant."""
PREFIX_PAGES = 400
"""Pages of the index that are read for the prefixes of a query. They hold all words of most beginnings in an index of some ten
thousand documents, and about twenty-five in one of a million, where each word is in another page of each segment."""
MAX_CANDIDATES = 20_000
LONG_WORD = 8
MOST_SLIPS = 2
"""In a long word."""
MOST_NEAR = 5
LAST = "\U0010ffff"


def expand_prefixes(index: IndexReader, query: SearchQuery) -> tuple[dict[Clause, list[str]], list[str]]:
    """For each clause with a prefix, the terms that begin with it, shortest first: as many as the search can afford to read. And
    a notice for each clause of which there are more. What an excluded one leaves out, the texts of the results say."""
    clauses = dict.fromkeys(clause for group in query.groups for clause in group if clause.prefix)
    required = frozenset(clauses)
    clauses |= dict.fromkeys(clause for clause in query.excluded if clause.prefix)
    if not clauses:
        return {}, []
    waiting = _waiting_terms(index.connection)
    expansions: dict[Clause, list[str]] = {}
    notices = []
    for clause in clauses:
        prefix = fold_word(clause.words[-1])
        stored = _stored_terms(index.connection, prefix, MAX_EXPANSIONS)
        terms = {*stored, *(term for term in waiting if term.startswith(prefix))}
        listed = sorted(terms, key=lambda term: (len(term), term))[:MAX_EXPANSIONS]
        hashes = list(map(title_hash if clause.field == TITLE else term_hash, listed))
        count = index.first_affordable(hashes, PREFIX_PAGES // len(clauses))
        expansions[clause] = listed[:count]
        if count < len(listed) or len(listed) == MAX_EXPANSIONS:
            notices.append(
                f"more than {count} words begin with '{prefix}'; the shortest were searched"
                if clause in required
                else f"more than {count} words begin with '{prefix}'; the total also counts documents with the others"
            )
    return expansions, notices


def _stored_terms(connection: Connection, prefix: str, limit: int) -> list[str]:
    query = select(search_terms.c.term).where(
        search_terms.c.term >= prefix, search_terms.c.term < prefix + LAST
    )
    shortest_first = query.order_by(func.length(search_terms.c.term), search_terms.c.term)
    return list(connection.scalars(shortest_first.limit(limit)))


def _waiting_terms(connection: Connection) -> set[str]:
    query = select(search_entries.c.terms).where(IS_WAITING)
    return {term for terms in connection.scalars(query) for term in (terms or "").split("\n") if term}


def correct_words(index: IndexReader, words: Iterable[str]) -> dict[str, str]:
    """The term of the index that was probably meant by each of the correctable words: that of a word with one slip, or, for a
    long word, a stem with two. Of several, the most frequent one. They share their first letter, as nearly all misspelt ones do."""
    waiting = _waiting_terms(index.connection)
    corrections = {}
    for word in correctable_words(words):
        terms = _terms_with_slip(index, word, waiting)
        if not terms and len(word) >= LONG_WORD:
            terms = _near_stems(index, word, waiting)
        if terms:
            frequencies = index.frequencies(terms)
            corrections[word] = min(terms, key=lambda term: (-frequencies[term], term))
    return corrections


def _terms_with_slip(index: IndexReader, word: str, waiting: set[str]) -> set[str]:
    """The terms of words that differ from this one by one slip. Words are compared, not stems: a slip in an ending changes the stem."""
    spellings = dict.fromkeys(near_spellings(fold_word(word)))
    terms = {term for spelling in spellings for term in query_word_terms(spelling, index.languages)}
    query = select(search_terms.c.term).where(in_list(search_terms.c.term, sorted(terms)))
    return {*index.connection.scalars(query), *terms.intersection(waiting)}


def _near_stems(index: IndexReader, word: str, waiting: set[str]) -> set[str]:
    """The terms nearest to a stem of the word, at most two slips away."""
    distances: dict[str, float] = {}
    for stem in query_word_terms(word, index.languages):
        candidates = {*_similar_terms(index.connection, stem, MOST_SLIPS)}
        candidates |= {term for term in waiting if term[:1] == stem[:1]}
        near = process.extract(
            stem, sorted(candidates), scorer=OSA.distance, score_cutoff=MOST_SLIPS, limit=MOST_NEAR
        )
        distances |= {term: distance for term, distance, _ in near if distance}
    least = min(distances.values(), default=0)
    return {term for term, distance in distances.items() if distance == least}


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
