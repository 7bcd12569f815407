"""Full-text search over kept documents, with the same words, filters and results on both databases."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    Connection,
    Engine,
    FromClause,
    Integer,
    Select,
    String,
    cast,
    column,
    func,
    literal_column,
    or_,
    select,
    table,
)

from headwater.model.jobs import State
from headwater.search.ranking import SEARCHED_FIELDS, rank_by_words, word_result
from headwater.search.word_query import QueryTerm, WordQuery, content_terms, matches_prefixes, query_terms
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import documents
from headwater.store.schema.search import search_entries
from headwater.store.search.full_text_index import SIMPLE, index_documents

FIELDS = ("id", "recipe", "title", "url", "publisher", "published_at", "language")
SPARE = 20  # read beyond the limit, so that documents with most of the words are among them
search_words = table("search_words", column("rowid"))
# A word in the title counts as ten in the text. SQLite's bm25 is better the smaller it is.
BEST: Any = literal_column("-bm25(search_words, 10.0, 4.0, 1.0)")


def search_text(engine: Engine, query: WordQuery) -> list[dict[str, Any]]:
    """Documents, best first, each with its score, the share of the query's content words it contains, and the matching
    passage. Documents with every word come before those with some of the words or other forms of them."""
    query_words = query_terms(query.query)
    if not query_words:
        return []
    index_documents(engine, query.recipe)
    with read_transaction(engine) as connection:
        results = [
            word_result(row, query_words, every=True)
            for row in _matching_rows(connection, query, query_words, every=True)
        ]
        if len(results) < query.limit:
            result_ids = {row["id"] for row in results}
            partial_matches = _matching_rows(connection, query, content_terms(query_words), every=False)
            results += [
                word_result(row, query_words, every=False)
                for row in partial_matches
                if row["id"] not in result_ids
            ]
    return rank_by_words(results)[: query.limit]


def _matching_rows(
    connection: Connection, search_query: WordQuery, query_words: Sequence[QueryTerm], *, every: bool
) -> list[dict[str, Any]]:
    build = _postgresql_query if connection.dialect.name == "postgresql" else _sqlite_query
    source, matches, score = build(query_words, every=every)
    query = apply_filters(
        select(*(documents.c[name] for name in (*FIELDS, *SEARCHED_FIELDS)), score.label("score"))
        .select_from(source.join(documents, documents.c.id == search_entries.c.document_id))
        .where(matches),
        search_query,
    )
    ordered = query.order_by(literal_column("score").desc(), documents.c.id).limit(search_query.limit + SPARE)
    return [dict(row) for row in connection.execute(ordered).mappings()]


def apply_filters(query: Select[Any], search_query: WordQuery) -> Select[Any]:
    query = query.where(documents.c.recipe == search_query.recipe, documents.c.state == State.KEPT)
    if search_query.language:
        document_language = func.lower(documents.c.language, type_=String)
        wanted_language = search_query.language.lower()
        query = query.where(
            or_(
                document_language == wanted_language,
                document_language.startswith(f"{wanted_language}-", autoescape=True),
            )
        )
    return (
        query if search_query.since is None else query.where(documents.c.published_at >= search_query.since)
    )


def _sqlite_query(query_words: Sequence[QueryTerm], *, every: bool) -> tuple[FromClause, Any, Any]:
    # Terms are letters and digits, and quoted: they contain no operator.
    quoted = [
        f'"{" ".join(term)}"{"*" if not every and matches_prefixes(term) else ""}' for term in query_words
    ]
    source = search_words.join(search_entries, search_entries.c.id == search_words.c.rowid)
    matches = literal_column("search_words").op("MATCH")((" AND " if every else " OR ").join(quoted))
    return source, matches, BEST


def _postgresql_query(query_words: Sequence[QueryTerm], *, every: bool) -> tuple[FromClause, Any, Any]:
    quoted = [
        "("
        + " <-> ".join(f"'{word}'" for word in term)
        + (":*)" if not every and matches_prefixes(term) else ")")
        for term in query_words
    ]
    words = search_entries.c.words
    tsquery = func.to_tsquery(SIMPLE, (" & " if every else " | ").join(quoted))
    score: Any = func.ts_rank(words, tsquery, 1)
    if (
        not every
    ):  # ts_rank, always below 1, ignores how rare a word is: the number of matching terms comes first
        for term in quoted:
            score = score + cast(words.op("@@")(func.to_tsquery(SIMPLE, term)), Integer)
    return search_entries, words.op("@@")(tsquery), score
