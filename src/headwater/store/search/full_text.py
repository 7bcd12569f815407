"""Full text over the kept documents: the same words, filters and answers on both databases."""

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
SPARE = 20  # looked at beyond the limit, so that those with most of the words are among them
search_words = table("search_words", column("rowid"))
# A word in the title counts as ten in the text. SQLite's own figure is better the smaller it is.
BEST: Any = literal_column("-bm25(search_words, 10.0, 4.0, 1.0)")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """What is searched for; a language is meant with all its regions, `since` is the moment of publication."""

    query: str
    recipe: str
    language: str = ""
    since: datetime | None = None
    limit: int = 10


def search_text(engine: Engine, wish: SearchQuery) -> list[dict[str, Any]]:
    """Documents best first, each with its score, the share of the query's telling words that it holds, and the
    passage that fits. Those that hold every word go before those that hold some word, or another form of it."""
    asked = query_terms(wish.query)
    if not asked:
        return []
    index_documents(engine, wish.recipe)
    with read_transaction(engine) as connection:
        found = [_shown(row, asked, every=True) for row in _rows(connection, wish, asked, every=True)]
        if len(found) < wish.limit:
            known = {row["id"] for row in found}
            more = _rows(connection, wish, content_terms(asked), every=False)
            found += [_shown(row, asked, every=False) for row in more if row["id"] not in known]
    return sorted(found, key=rank_key)[: wish.limit]


def rank_key(row: dict[str, Any]) -> tuple[bool, float, float, str]:
    """The better, the smaller."""
    return not row["every_word"], -row["coverage"], -row["score"], row["id"]


def _rows(
    connection: Connection, wish: SearchQuery, asked: Sequence[QueryTerm], *, every: bool
) -> list[dict[str, Any]]:
    build = _in_postgresql if connection.dialect.name == "postgresql" else _in_sqlite
    source, fits, score = build(asked, every=every)
    query = apply_filters(
        select(*(documents.c[name] for name in (*FIELDS, *READ)), score.label("score"))
        .select_from(source.join(documents, documents.c.id == search_entries.c.document_id))
        .where(fits),
        wish,
    )
    ordered = query.order_by(literal_column("score").desc(), documents.c.id).limit(wish.limit + SPARE)
    return [dict(row) for row in connection.execute(ordered).mappings()]


def apply_filters(query: Select[Any], wish: SearchQuery) -> Select[Any]:
    query = query.where(documents.c.recipe == wish.recipe, documents.c.state == State.KEPT)
    if wish.language:
        own = func.lower(documents.c.language, type_=String)
        chosen = wish.language.lower()
        query = query.where(or_(own == chosen, own.startswith(f"{chosen}-", autoescape=True)))
    return query if wish.since is None else query.where(documents.c.published_at >= wish.since)


def _in_sqlite(asked: Sequence[QueryTerm], *, every: bool) -> tuple[FromClause, Any, Any]:
    # Terms are letters and digits only, and quoted: nothing in them is an operator.
    told = [f'"{" ".join(term)}"{"*" if not every and matches_prefixes(term) else ""}' for term in asked]
    source = search_words.join(search_entries, search_entries.c.id == search_words.c.rowid)
    match = literal_column("search_words").op("MATCH")((" AND " if every else " OR ").join(told))
    return source, match, BEST


def _in_postgresql(asked: Sequence[QueryTerm], *, every: bool) -> tuple[FromClause, Any, Any]:
    told = [
        "("
        + " <-> ".join(f"'{word}'" for word in term)
        + (":*)" if not every and matches_prefixes(term) else ")")
        for term in asked
    ]
    words = search_entries.c.words
    wanted = func.to_tsquery(SIMPLE, (" & " if every else " | ").join(told))
    score: Any = func.ts_rank(words, wanted, 1)
    if (
        not every
    ):  # its rank, always below 1, knows nothing of rare words: how many are there at all goes first
        for one in told:
            score = score + cast(words.op("@@")(func.to_tsquery(SIMPLE, one)), Integer)
    return search_entries, words.op("@@")(wanted), score


def _shown(row: dict[str, Any], asked: Sequence[QueryTerm], *, every: bool) -> dict[str, Any]:
    text, description, keywords = (row.pop(name) for name in READ)
    held = term_coverage(asked, " ".join([row["title"], text, description, *map(str, keywords or ())]))
    return row | {
        "score": round(float(row["score"]), 6),
        "every_word": every,
        "coverage": round(held, 3),
        "snippet": snippet(text, asked),
    }
