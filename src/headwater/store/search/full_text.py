"""Full-text search over kept documents, with the same words, filters and results on both databases."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
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
from headwater.search.query import QueryTerm, content_terms, matches_prefixes, query_terms, term_coverage
from headwater.search.snippets import snippet
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import documents
from headwater.store.schema.search import search_entries
from headwater.store.search.full_text_index import SIMPLE, index_documents

FIELDS = ("id", "recipe", "title", "url", "publisher", "published_at", "language")
READ = ("text", "description", "keywords")
SPARE = 20  # read beyond the limit, so that documents with most of the words are among them
search_words = table("search_words", column("rowid"))
# A word in the title counts as ten in the text. SQLite's bm25 is better the smaller it is.
BEST: Any = literal_column("-bm25(search_words, 10.0, 4.0, 1.0)")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """A language includes all its regions; `since` is the publication date."""

    query: str
    recipe: str
    language: str = ""
    since: datetime | None = None
    limit: int = 10


def search_text(engine: Engine, query: SearchQuery) -> list[dict[str, Any]]:
    """Documents, best first, each with its score, the share of the query's content words it contains, and the matching
    passage. Documents with every word come before those with some of the words or other forms of them."""
    query_words = query_terms(query.query)
    if not query_words:
        return []
    index_documents(engine, query.recipe)
    with read_transaction(engine) as connection:
        results = [
            _result(row, query_words, every=True)
            for row in _matching_rows(connection, query, query_words, every=True)
        ]
        if len(results) < query.limit:
            result_ids = {row["id"] for row in results}
            partial_matches = _matching_rows(connection, query, content_terms(query_words), every=False)
            results += [
                _result(row, query_words, every=False)
                for row in partial_matches
                if row["id"] not in result_ids
            ]
    return sorted(results, key=rank_key)[: query.limit]


def rank_key(row: dict[str, Any]) -> tuple[bool, float, float, str]:
    """Sort key: smaller is better."""
    return not row["every_word"], -row["coverage"], -row["score"], row["id"]


def _matching_rows(
    connection: Connection, search_query: SearchQuery, query_words: Sequence[QueryTerm], *, every: bool
) -> list[dict[str, Any]]:
    build = _postgresql_query if connection.dialect.name == "postgresql" else _sqlite_query
    source, matches, score = build(query_words, every=every)
    query = apply_filters(
        select(*(documents.c[name] for name in (*FIELDS, *READ)), score.label("score"))
        .select_from(source.join(documents, documents.c.id == search_entries.c.document_id))
        .where(matches),
        search_query,
    )
    ordered = query.order_by(literal_column("score").desc(), documents.c.id).limit(search_query.limit + SPARE)
    return [dict(row) for row in connection.execute(ordered).mappings()]


def apply_filters(query: Select[Any], search_query: SearchQuery) -> Select[Any]:
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


def _result(row: dict[str, Any], query_words: Sequence[QueryTerm], *, every: bool) -> dict[str, Any]:
    text, description, keywords = (row.pop(name) for name in READ)
    share = term_coverage(query_words, " ".join([row["title"], text, description, *map(str, keywords or ())]))
    return row | {
        "score": round(float(row["score"]), 6),
        "every_word": every,
        "coverage": round(share, 3),
        "snippet": snippet(text, query_words),
    }
