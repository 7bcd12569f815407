"""Brings the index for full text up to what the documents say now: only what changed since the last time is read.

The engine writes nothing for it. Whoever searches brings it up to date first; a pass that is cut off goes on where it
was, and two passes at once do no harm.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Engine, Row, and_, delete, func, literal_column, or_, select, text
from sqlalchemy.dialects import postgresql, sqlite

from headwater.model.errors import Refused
from headwater.model.jobs import State
from headwater.search.query import search_words
from headwater.store.connect import read_transaction, unchecked_transaction
from headwater.store.in_list import in_list
from headwater.store.schema.flow import documents
from headwater.store.schema.search import search_entries

AT_ONCE = 200
# A document is dated before its transaction ends: those that ended late are looked for again.
LATE = timedelta(minutes=15)
# Letters; PostgreSQL takes a megabyte of words.
LONGEST = {"title": 10_000, "about": 20_000, "body": 200_000}
FIRST = datetime(1, 1, 2, tzinfo=UTC)
SIMPLE: Any = literal_column("'simple'::regconfig")
WEIGHTS = {"title": "A", "about": "B", "body": "D"}


def index_documents(engine: Engine, recipe: str, *, whole: bool = False) -> int:
    """Gives how many documents were read or taken out. `whole` compares every document instead of the late ones."""
    since = FIRST if whole else _since(engine, recipe)
    count = 0
    while True:
        rows = _changed(engine, recipe, since)
        gone = [row.id for row in rows if row.state != State.KEPT]
        read = [(row, _words(row)) for row in rows if row.state == State.KEPT]
        if rows:
            with unchecked_transaction(engine) as connection:
                _take_out(connection, gone)
                _put_in(connection, read)
            since = rows[-1].updated_at
        count += len(rows)
        if len(rows) < AT_ONCE:
            return count


def _since(engine: Engine, recipe: str) -> datetime:
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
    told = select(
        documents.c.id,
        documents.c.recipe,
        documents.c.state,
        documents.c.updated_at,
        documents.c.title,
        documents.c.description,
        documents.c.keywords,
        documents.c.text,
    )
    kept = documents.c.state == State.KEPT
    query = (
        told.outerjoin(search_entries, entry.document_id == documents.c.id)
        .where(documents.c.recipe == recipe, documents.c.updated_at >= since)
        .where(
            or_(
                and_(kept, or_(entry.id.is_(None), entry.updated_at != documents.c.updated_at)),
                and_(~kept, entry.id.is_not(None)),
            )
        )
        .order_by(documents.c.updated_at, documents.c.id)
        .limit(AT_ONCE)
    )
    with read_transaction(engine) as connection:
        return connection.execute(query).all()


def _words(row: Row[Any]) -> dict[str, str]:
    about = " ".join([row.description, *(str(one) for one in row.keywords or ())])
    told = {"title": row.title, "about": about, "body": row.text}
    return {name: " ".join(search_words(value[: LONGEST[name]])) for name, value in told.items()}


def _take_out(connection: Connection, ids: Sequence[str]) -> None:
    if not ids:
        return
    mine = in_list(search_entries.c.document_id, ids)
    if connection.dialect.name == "sqlite":
        numbers = list(connection.scalars(select(search_entries.c.id).where(mine)))
        connection.execute(text("DELETE FROM search_words WHERE rowid = :id"), [{"id": n} for n in numbers])
    connection.execute(delete(search_entries).where(mine))


def _put_in(connection: Connection, read: Sequence[tuple[Row[Any], dict[str, str]]]) -> None:
    for row, words in read:
        entry = {"document_id": row.id, "recipe": row.recipe, "updated_at": row.updated_at}
        if connection.dialect.name == "postgresql":
            _replace(connection, postgresql.insert(search_entries), entry | {"words": _vector(words)})
        else:
            number = _replace(connection, sqlite.insert(search_entries), entry)
            connection.execute(
                text(
                    "INSERT OR REPLACE INTO search_words (rowid, title, about, body) "
                    "VALUES (:id, :title, :about, :body)"
                ),
                {"id": number, **words},
            )


def _replace(connection: Connection, inserting: Any, values: dict[str, Any]) -> int:
    changed = {name: value for name, value in values.items() if name != "document_id"}
    statement = inserting.values(values).on_conflict_do_update(index_elements=["document_id"], set_=changed)
    return int(connection.scalar(statement.returning(search_entries.c.id)) or 0)


def _vector(words: dict[str, str]) -> Any:
    parts = [
        func.setweight(func.to_tsvector(SIMPLE, words[name]), literal_column(f"'{WEIGHTS[name]}'::\"char\""))
        for name in WEIGHTS
    ]
    return parts[0].op("||")(parts[1]).op("||")(parts[2])
