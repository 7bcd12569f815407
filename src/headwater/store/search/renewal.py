"""Indexes documents again whose entries an older version wrote, while searches go on.

Each batch is one transaction: a document leaves its old segment and has a new entry at once, with the vectors that it had. What is left of
an old segment is joined into nothing. A run that dies goes on where it was.
"""

from collections.abc import Sequence
from time import monotonic

import numpy as np
from sqlalchemy import Engine, select, update

from headwater.model.jobs import State
from headwater.search.entry_terms import INDEX_VERSION
from headwater.search.postings import COLUMNS, segment_parts
from headwater.store.connect import read_transaction, unchecked_transaction
from headwater.store.in_list import in_list
from headwater.store.rows import DOCUMENT_COLUMNS
from headwater.store.schema.flow import documents
from headwater.store.schema.search import search_entries, search_segments, search_vectors
from headwater.store.search.codes import stored_models
from headwater.store.search.entries import indexed_documents, write_entries
from headwater.store.search.segments import join_segments

AT_ONCE = 200


def old_segments(engine: Engine) -> list[int]:
    """The segments that an older version wrote."""
    query = select(search_segments.c.id, search_segments.c.names).order_by(search_segments.c.id)
    with read_transaction(engine) as connection:
        rows = connection.execute(query).all()
    return [row.id for row in rows if row.names.get("version", 1) < INDEX_VERSION]


def renew_segments(engine: Engine, *, seconds: float | None = None) -> int:
    """Returns how many documents were indexed again. Stops after `seconds`; the next call continues."""
    end = None if seconds is None else monotonic() + seconds
    count = 0
    for segment in old_segments(engine):
        for numbers in _batches(engine, segment):
            if end is not None and monotonic() >= end:
                return count
            count += _renew(engine, numbers)
        join_segments(engine, [segment])
    return count


def _batches(engine: Engine, segment: int) -> list[list[int]]:
    """The numbers of the documents that are still in the segment."""
    with read_transaction(engine) as connection:
        entries = connection.scalar(select(search_segments.c.entries).where(search_segments.c.id == segment))
        numbers = np.frombuffer(entries or b"", dtype=COLUMNS)["number"].tolist()
        batches = []
        for part in segment_parts(len(numbers), AT_ONCE):
            query = select(search_entries.c.id).where(in_list(search_entries.c.id, numbers[part]))
            batches.append(list(connection.scalars(query)))
    return [batch for batch in batches if batch]


def _renew(engine: Engine, numbers: Sequence[int]) -> int:
    entry = search_entries.c
    columns = (*DOCUMENT_COLUMNS, documents.c.created_at, documents.c.updated_at, entry.id.label("entry_id"))
    query = (
        select(*columns)
        .join(search_entries, entry.document_id == documents.c.id)
        .where(in_list(entry.id, numbers), documents.c.state == State.KEPT)
        .order_by(documents.c.id)
        # A worker that stores a new revision meanwhile waits, and then replaces the entry.
        .with_for_update(of=documents)
    )
    with unchecked_transaction(engine) as connection:
        rows = connection.execute(query).mappings().all()
        write_entries(connection, indexed_documents(connection, rows))
        new_numbers = {
            row.document_id: row.id
            for row in connection.execute(
                select(entry.document_id, entry.id).where(
                    in_list(entry.document_id, [row["id"] for row in rows])
                )
            )
        }
        for model in stored_models(connection):
            for row in rows:
                of_entry = search_vectors.c.model == model, search_vectors.c.entry_id == row["entry_id"]
                change = update(search_vectors).where(*of_entry)
                connection.execute(change.values(entry_id=new_numbers[row["id"]]))
    return len(rows)
