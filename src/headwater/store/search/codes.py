"""The vectors of documents in the search index: one byte per dimension each, and one bit per dimension in a segment."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sqlalchemy import Connection, Engine, delete, func, insert, select

from headwater.search.postings import COLUMNS, Columns, segment_parts
from headwater.search.vector_codes import Codes, Matrix, encode_bits, read_vectors
from headwater.store.connect import read_transaction, unchecked_transaction
from headwater.store.in_list import in_list
from headwater.store.schema.search import search_codes, search_segments, search_vectors

AT_ONCE = 5_000


def stored_models(connection: Connection) -> list[str]:
    """The models of which there are vectors; the index is read once per model, not per vector."""
    models: list[str] = []
    while True:
        query = select(func.min(search_vectors.c.model))
        after = connection.scalar(query.where(search_vectors.c.model > models[-1]) if models else query)
        if after is None:
            return models
        models.append(str(after))


def code_rows(connection: Connection, entries: Columns) -> list[dict[str, Any]]:
    """The rows of `search_codes` for a segment, without its id: one per model that has vectors of its documents."""
    rows = []
    for model in stored_models(connection):
        codes, size = _segment_codes(connection, model, entries)
        if codes is not None:
            rows.append({"model": model, "size": size, "codes": codes.tobytes()})
    return rows


def _segment_codes(connection: Connection, model: str, entries: Columns) -> tuple[Codes | None, int]:
    numbers = entries["number"]
    places = {int(number): place for place, number in enumerate(numbers)}
    codes, count = None, 0
    for part in segment_parts(len(numbers), AT_ONCE):
        coded, vectors = read_vectors_of(connection, model, [int(number) for number in numbers[part]])
        if not coded:
            continue
        bits = encode_bits(vectors)
        if codes is None:
            codes = np.zeros((bits.shape[0], len(numbers)), dtype="<u8")
        if bits.shape[0] == codes.shape[0]:
            codes[:, [places[number] for number in coded]] = bits
            count += len(coded)
    return codes, count


def read_vectors_of(connection: Connection, model: str, numbers: Sequence[int]) -> tuple[list[int], Matrix]:
    """The numbers that have a vector of this model, and their vectors."""
    query = select(search_vectors.c.entry_id, search_vectors.c.vector).where(
        search_vectors.c.model == model, in_list(search_vectors.c.entry_id, numbers)
    )
    rows = connection.execute(query.order_by(search_vectors.c.entry_id)).all()
    return [row.entry_id for row in rows], read_vectors([bytes(row.vector) for row in rows])


def refresh_codes(engine: Engine) -> int:
    """Code vectors that came after their segment was written; returns how many segments changed."""
    count = 0
    with read_transaction(engine) as connection:
        models = stored_models(connection)
        segments = connection.execute(select(search_segments.c.id, search_segments.c.size)).all()
        coded = {
            (row.segment_id, row.model): row.size
            for row in connection.execute(
                select(search_codes.c.segment_id, search_codes.c.model, search_codes.c.size)
            )
        }
    for model in models:
        for segment in segments:
            if coded.get((segment.id, model), 0) < segment.size:
                count += _recode(engine, segment.id, model, coded.get((segment.id, model), 0))
    return count


def _recode(engine: Engine, segment: int, model: str, size: int) -> bool:
    with unchecked_transaction(engine) as connection:
        entries = connection.scalar(select(search_segments.c.entries).where(search_segments.c.id == segment))
        if entries is None:
            return False
        codes, count = _segment_codes(connection, model, np.frombuffer(entries, dtype=COLUMNS))
        if codes is None or count <= size:
            return False
        row = {"segment_id": segment, "model": model, "size": count, "codes": codes.tobytes()}
        connection.execute(
            delete(search_codes).where(search_codes.c.segment_id == segment, search_codes.c.model == model)
        )
        connection.execute(insert(search_codes), [row])
    return True
