"""Writes documents into the search index: in the transaction that stores them, and again where the index lacks them.

An entry is never changed: a changed document gets a new one with a new number, so what a segment says of a number stays true.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import Connection, Delete, Engine, and_, delete, func, or_, select

from headwater.model.document import Document, Mention
from headwater.model.jobs import State
from headwater.search.entry_terms import entry_terms
from headwater.search.matching import SearchedDocument, searched_document
from headwater.store.bulk import insert_rows
from headwater.store.connect import read_transaction, unchecked_transaction
from headwater.store.in_list import in_list, in_named_list
from headwater.store.rows import DOCUMENT_COLUMNS, document_from
from headwater.store.schema.flow import documents
from headwater.store.schema.knowledge import mentions
from headwater.store.schema.search import search_entries

AT_ONCE = 200
# A document is dated before its transaction ends, so recent ones are read again.
LATE = timedelta(minutes=15)
FIRST = datetime(1, 1, 2, tzinfo=UTC)
UNKNOWN_QUALITY = -1.0

IndexedDocument = tuple[Document, SearchedDocument, datetime]
"""With its terms and keys, and when it was last changed."""


def index_kept_documents(
    connection: Connection, kept_documents: Sequence[Document], now: datetime
) -> list[tuple[Document, SearchedDocument]]:
    """For the transaction that stores these documents, which are then found by words as soon as it ends. Returns each with its
    terms and keys, for the saved searches with which it is compared next."""
    searched = [(document, searched_document(document, arrived=now)) for document in kept_documents]
    write_entries(connection, [(document, words, now) for document, words in searched])
    return searched


def remove_entries(connection: Connection, document_ids: Sequence[str]) -> None:
    if document_ids:
        connection.execute(_entries_of_documents(), {"documents": document_ids})


@cache
def _entries_of_documents() -> Delete:
    return delete(search_entries).where(in_named_list(search_entries.c.document_id, "documents"))


def write_entries(connection: Connection, batch: Sequence[IndexedDocument]) -> None:
    remove_entries(connection, [document.id for document, _, _ in batch])
    insert_rows(connection, search_entries, [_entry_row(*entry) for entry in batch])


def _entry_row(document: Document, searched: SearchedDocument, updated: datetime) -> dict[str, Any]:
    terms = entry_terms(searched.text, searched.keys)
    assert searched.moment is not None  # when it arrived, if nothing else
    return {
        "document_id": document.id,
        "recipe": document.recipe,
        "language": document.language,
        "moment": int(searched.moment.timestamp()),
        "quality": UNKNOWN_QUALITY if document.quality is None else document.quality,
        "length": terms.length,
        "terms": "\n".join(terms.words),
        "postings": terms.postings,
        "updated_at": updated,
    }


def index_documents(engine: Engine, recipe: str, *, whole: bool = False) -> int:
    """Bring the index of a recipe up to date with documents that came another way, such as a restored backup; returns how
    many were indexed or removed. `whole` compares every document instead of the recent ones. An interrupted update
    continues where it stopped, and two at once do no harm."""
    since = FIRST if whole else _last_indexed(engine, recipe)
    count = 0
    while True:
        rows = _changed(engine, recipe, since)
        removed_ids = [row["id"] for row in rows if row["state"] != State.KEPT]
        kept_rows = [row for row in rows if row["state"] == State.KEPT]
        if rows:
            with unchecked_transaction(engine) as connection:
                batch = indexed_documents(connection, kept_rows)
                remove_entries(connection, removed_ids)
                write_entries(connection, batch)
            since = rows[-1]["updated_at"]
        count += len(rows)
        if len(rows) < AT_ONCE:
            return count


def is_indexed(connection: Connection, recipe: str) -> bool:
    """Whether anything of this recipe is in the index."""
    query = select(search_entries.c.id).where(search_entries.c.recipe == recipe).limit(1)
    return connection.execute(query).first() is not None


def _last_indexed(engine: Engine, recipe: str) -> datetime:
    with read_transaction(engine) as connection:
        last = connection.scalar(
            select(func.max(search_entries.c.updated_at)).where(search_entries.c.recipe == recipe)
        )
    return FIRST if last is None else last - LATE


def _changed(engine: Engine, recipe: str, since: datetime) -> Sequence[Any]:
    entry = search_entries.c
    is_kept = documents.c.state == State.KEPT
    query = (
        select(*DOCUMENT_COLUMNS, documents.c.state, documents.c.created_at, documents.c.updated_at)
        .outerjoin(search_entries, entry.document_id == documents.c.id)
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
        return connection.execute(query).mappings().all()


def indexed_documents(connection: Connection, rows: Sequence[Any]) -> list[IndexedDocument]:
    """Of stored documents, with their mentions."""
    subjects: dict[str, list[str]] = defaultdict(list)
    query = select(mentions.c.document_id, mentions.c.subject_id)
    for row in connection.execute(query.where(in_list(mentions.c.document_id, [row["id"] for row in rows]))):
        subjects[row.document_id].append(row.subject_id)
    batch: list[IndexedDocument] = []
    for row in rows:
        findings = tuple(Mention(subject, "", 1.0) for subject in subjects[row["id"]])
        document = document_from(row).with_changes(mentions=findings)
        searched = searched_document(document, arrived=row["created_at"])
        batch.append((document, searched, row["updated_at"]))
    return batch
