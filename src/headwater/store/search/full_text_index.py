"""Updates the full-text index from the documents that changed since the last update.

The engine does not write to it: a search updates it first. An interrupted update continues where it stopped, and two
updates at once do no harm.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Engine, Row, and_, delete, func, literal_column, or_, select, text
from sqlalchemy.dialects import postgresql, sqlite

from headwater.model.errors import Refused
from headwater.model.jobs import State
from headwater.search.word_query import search_words
from headwater.store.connect import read_transaction, unchecked_transaction
from headwater.store.in_list import in_list
from headwater.store.schema.flow import documents
from headwater.store.schema.search import search_entries

AT_ONCE = 200
# A document is dated before its transaction ends, so recent ones are read again.
LATE = timedelta(minutes=15)
# Characters; PostgreSQL limits a tsvector to one megabyte.
LONGEST = {"title": 10_000, "about": 20_000, "body": 200_000}
FIRST = datetime(1, 1, 2, tzinfo=UTC)
SIMPLE: Any = literal_column("'simple'::regconfig")
WEIGHTS = {"title": "A", "about": "B", "body": "D"}


def index_documents(engine: Engine, recipe: str, *, whole: bool = False) -> int:
    """Returns how many documents were indexed or removed. `whole` compares every document instead of the recent ones."""
    since = FIRST if whole else _last_indexed(engine, recipe)
    count = 0
    while True:
        rows = _changed(engine, recipe, since)
        removed_ids = [row.id for row in rows if row.state != State.KEPT]
        indexed = [(row, _words(row)) for row in rows if row.state == State.KEPT]
        if rows:
            with unchecked_transaction(engine) as connection:
                _remove_entries(connection, removed_ids)
                _write_entries(connection, indexed)
            since = rows[-1].updated_at
        count += len(rows)
        if len(rows) < AT_ONCE:
            return count


def _last_indexed(engine: Engine, recipe: str) -> datetime:
    with read_transaction(engine) as connection:
        if connection.dialect.name == "sqlite" and not _has_words(connection):
            raise Refused("no_full_text", "this Python's SQLite has no full-text search: use one with FTS5")
        last = connection.scalar(
            select(func.max(search_entries.c.updated_at)).where(search_entries.c.recipe == recipe)
        )
    return FIRST if last is None else last - LATE


def _has_words(connection: Connection) -> bool:
    return bool(connection.scalar(text("SELECT 1 FROM sqlite_master WHERE name = 'search_words'")))


def _changed(engine: Engine, recipe: str, since: datetime) -> Sequence[Any]:
    entry = search_entries.c
    columns = select(
        documents.c.id,
        documents.c.recipe,
        documents.c.state,
        documents.c.updated_at,
        documents.c.title,
        documents.c.description,
        documents.c.keywords,
        documents.c.text,
    )
    is_kept = documents.c.state == State.KEPT
    query = (
        columns.outerjoin(search_entries, entry.document_id == documents.c.id)
        .where(documents.c.recipe == recipe, documents.c.updated_at >= since)
        .where(
            or_(
                and_(is_kept, or_(entry.id.is_(None), entry.updated_at != documents.c.updated_at)),
                and_(~is_kept, entry.id.is_not(None)),
            )
        )
        .order_by(documents.c.updated_at, documents.c.id)
        .limit(AT_ONCE)
    )
    with read_transaction(engine) as connection:
        return connection.execute(query).all()


def _words(row: Row[Any]) -> dict[str, str]:
    about = " ".join([row.description, *(str(keyword) for keyword in row.keywords or ())])
    texts = {"title": row.title, "about": about, "body": row.text}
    return {name: " ".join(search_words(value[: LONGEST[name]])) for name, value in texts.items()}


def _remove_entries(connection: Connection, ids: Sequence[str]) -> None:
    if not ids:
        return
    entries_of = in_list(search_entries.c.document_id, ids)
    if connection.dialect.name == "sqlite":
        numbers = list(connection.scalars(select(search_entries.c.id).where(entries_of)))
        connection.execute(text("DELETE FROM search_words WHERE rowid = :id"), [{"id": n} for n in numbers])
    connection.execute(delete(search_entries).where(entries_of))


def _write_entries(connection: Connection, indexed: Sequence[tuple[Row[Any], dict[str, str]]]) -> None:
    for row, words in indexed:
        entry = {"document_id": row.id, "recipe": row.recipe, "updated_at": row.updated_at}
        if connection.dialect.name == "postgresql":
            _upsert(connection, postgresql.insert(search_entries), entry | {"words": _vector(words)})
        else:
            number = _upsert(connection, sqlite.insert(search_entries), entry)
            connection.execute(
                text(
                    "INSERT OR REPLACE INTO search_words (rowid, title, about, body) "
                    "VALUES (:id, :title, :about, :body)"
                ),
                {"id": number, **words},
            )


def _upsert(connection: Connection, inserting: Any, values: dict[str, Any]) -> int:
    changes = {name: value for name, value in values.items() if name != "document_id"}
    statement = inserting.values(values).on_conflict_do_update(index_elements=["document_id"], set_=changes)
    return int(connection.scalar(statement.returning(search_entries.c.id)) or 0)


def _vector(words: dict[str, str]) -> Any:
    parts = [
        func.setweight(func.to_tsvector(SIMPLE, words[name]), literal_column(f"'{WEIGHTS[name]}'::\"char\""))
        for name in WEIGHTS
    ]
    return parts[0].op("||")(parts[1]).op("||")(parts[2])
