"""Moves entries of the search index into segments, and joins small segments into larger ones.

A search reads waiting entries one by one, and segments by page; so the work of a maintenance task is to keep the waiting ones
few. Each change is one transaction, and a search sees the index before or after it.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import ColumnElement, Connection, Engine, delete, func, insert, null, select, text, update

from headwater.search.entry_terms import INDEX_VERSION
from headwater.search.postings import (
    COLUMNS,
    MAX_DOCUMENTS,
    Columns,
    PostingArrays,
    join_entries,
    merge_postings,
    name_indexes,
    page_key,
    read_all_pages,
    segment_parts,
    sort_postings,
    write_pages,
)
from headwater.store.bulk import insert_rows
from headwater.store.connect import read_transaction, unchecked_transaction
from headwater.store.in_list import in_list
from headwater.store.schema.search import (
    IS_WAITING,
    search_codes,
    search_entries,
    search_pages,
    search_segments,
    search_terms,
    search_vectors,
)
from headwater.store.search.codes import code_rows

FLUSH_AT = 1_000
"""Waiting entries from which on they become a segment."""
FLUSH_SIZE = 16_000
MERGE_COUNT = 8
"""Segments of about the same size that are joined."""
SIZES = (FLUSH_AT * MERGE_COUNT, MAX_DOCUMENTS)
LIVE_SHARE = 0.8
SEGMENT_LOCK = 4_849_271


def refresh_segments(engine: Engine, *, flush_at: int = FLUSH_AT) -> int:
    """Returns how many segments were written. Does nothing while another process is at it."""
    count = 0
    while flush_entries(engine, flush_at=flush_at):
        count += 1
    while merge_segments(engine):
        count += 1
    return count


@contextmanager
def _exclusive(engine: Engine) -> Iterator[Connection | None]:
    """A transaction in which no other process changes segments; None if another one does."""
    with unchecked_transaction(engine) as connection:
        if connection.dialect.name == "postgresql":
            query = text("SELECT pg_try_advisory_xact_lock(:lock)")
            if not connection.scalar(query, {"lock": SEGMENT_LOCK}):
                yield None
                return
        yield connection


def flush_entries(engine: Engine, *, flush_at: int = FLUSH_AT) -> bool:
    """Move waiting entries into a new segment, if there are enough of them; returns whether there were. The segment is
    computed before the transaction that writes it, so that nobody waits for that."""
    with read_transaction(engine) as connection:
        columns = (search_entries.c[name] for name in ("id", *ENTRY_FIELDS, "terms", "postings"))
        query = select(*columns).where(IS_WAITING).order_by(search_entries.c.id).limit(FLUSH_SIZE)
        if _count_waiting(connection) < max(flush_at, 1):
            return False
        rows = connection.execute(query).all()
        entries, names = entry_columns(rows)
        codes = code_rows(connection, entries)
    arrays = sort_postings(join_entries([bytes(row.postings or b"") for row in rows]))
    terms = sorted({term for row in rows for term in (row.terms or "").split("\n") if term})
    with _exclusive(engine) as connection:
        ids = [row.id for row in rows]
        if connection is None or _are_in_segments(connection, ids):
            return False
        write_segment(connection, arrays, entries, names, codes)
        for part in segment_parts(len(terms), 10_000):
            insert_rows(connection, search_terms, [{"term": term} for term in terms[part]])
        change = update(search_entries).where(in_list(search_entries.c.id, ids))
        connection.execute(change.values(terms=null(), postings=null()))
    return True


def _count_waiting(connection: Connection) -> int:
    return connection.scalar(select(func.count()).select_from(search_entries).where(IS_WAITING)) or 0


def _are_in_segments(connection: Connection, ids: Sequence[int]) -> bool:
    """Whether another process was faster."""
    query = select(search_entries.c.id).where(in_list(search_entries.c.id, ids), ~IS_WAITING).limit(1)
    return connection.execute(query).first() is not None


ENTRY_FIELDS = ("recipe", "language", "moment", "quality", "length")


def entry_columns(rows: Sequence[Any]) -> tuple[Columns, dict[str, list[str]]]:
    """What a segment stores of its entries, and the names of its languages and recipes."""
    columns = np.zeros(len(rows), dtype=COLUMNS)
    languages, columns["language"] = name_indexes([row.language for row in rows])
    recipes, columns["recipe"] = name_indexes([row.recipe for row in rows])
    columns["number"] = [row.id for row in rows]
    for name in ("moment", "quality", "length"):
        columns[name] = [getattr(row, name) for row in rows]
    return columns, {"languages": languages, "recipes": recipes}


def write_segment(
    connection: Connection,
    arrays: PostingArrays,
    entries: Columns,
    names: Mapping[str, Any],
    codes: Sequence[Mapping[str, Any]],
) -> None:
    """`codes` are the rows of `code_rows`; `names` has the version of the oldest postings, unless it is this one."""
    directory, pages = write_pages(arrays)
    statement = insert(search_segments).values(
        size=len(entries),
        length=int(entries["length"].sum(dtype=np.int64)),
        names={"version": INDEX_VERSION, **names},
        entries=entries.tobytes(),
        directory=directory.to_bytes(),
    )
    segment = int(connection.scalar(statement.returning(search_segments.c.id)) or 0)
    keyed = [{"id": page_key(segment, number), "postings": page} for number, page in enumerate(pages)]
    for part in segment_parts(len(keyed), 1_000):
        insert_rows(connection, search_pages, keyed[part])
    insert_rows(connection, search_codes, [{"segment_id": segment, **row} for row in codes])


def merge_segments(engine: Engine) -> bool:
    """Join segments of one size, without the documents that are gone; returns whether there was something to join."""
    with read_transaction(engine) as connection:
        sizes = connection.execute(select(search_segments.c.id, search_segments.c.size)).all()
        chosen = _choose({row.id: row.size for row in sizes})
    return bool(chosen) and join_segments(engine, chosen)


def join_segments(engine: Engine, chosen: Sequence[int]) -> bool:
    """Computed before the transaction that replaces the segments; what is deleted meanwhile is left out the next time."""
    with read_transaction(engine) as connection:
        query = select(search_segments).where(in_list(search_segments.c.id, chosen))
        rows = connection.execute(query.order_by(search_segments.c.id)).all()
        live = [_live(connection, np.frombuffer(row.entries, dtype=COLUMNS)) for row in rows]
        parts = [(_read_postings(connection, row.id), mask) for row, mask in zip(rows, live, strict=True)]
        entries, names = _join_columns(rows, live)
        version = min((row.names.get("version", 1) for row in rows), default=INDEX_VERSION)
        codes = code_rows(connection, entries)
    arrays = merge_postings(parts)
    with _exclusive(engine) as connection:
        if connection is None or not _replace_segments(connection, chosen):
            return False
        if len(entries):
            write_segment(connection, arrays, entries, {**names, "version": version}, codes)
        _remove_orphaned_vectors(connection, rows, live)
    return True


def _replace_segments(connection: Connection, chosen: Sequence[int]) -> bool:
    """Delete segments; False if another process did."""
    are_chosen = in_list(search_segments.c.id, chosen)
    if connection.scalar(select(func.count()).select_from(search_segments).where(are_chosen)) != len(chosen):
        return False
    connection.execute(delete(search_segments).where(are_chosen))
    for segment in chosen:
        connection.execute(delete(search_pages).where(_pages_of(segment)))
    connection.execute(delete(search_codes).where(in_list(search_codes.c.segment_id, chosen)))
    return True


def compact_segments(engine: Engine) -> int:
    """Write segments again of which much is gone; returns how many."""
    with read_transaction(engine) as connection:
        segments = connection.execute(select(search_segments.c.id, search_segments.c.entries)).all()
        crowded = [
            row.id
            for row in segments
            if _live(connection, np.frombuffer(row.entries, dtype=COLUMNS)).mean() < LIVE_SHARE
        ]
    return sum(join_segments(engine, [segment]) for segment in crowded)


def _choose(sizes: Mapping[int, int]) -> list[int]:
    """The segments to join: the first sizes that have enough of them, smallest first."""
    low = 0
    for limit in SIZES:
        group = [segment for segment, size in sorted(sizes.items()) if low <= size < limit]
        if len(group) >= MERGE_COUNT:
            chosen: list[int] = []
            for segment in group:
                if sum(sizes[other] for other in chosen) + sizes[segment] <= MAX_DOCUMENTS:
                    chosen.append(segment)
            if len(chosen) > 1:
                return chosen
        low = limit
    return []


def _read_postings(connection: Connection, segment: int) -> PostingArrays:
    query = select(search_pages.c.postings).where(_pages_of(segment)).order_by(search_pages.c.id)
    return read_all_pages(bytes(page) for page in connection.scalars(query))


def _pages_of(segment: int) -> ColumnElement[bool]:
    return search_pages.c.id.between(page_key(segment, 0), page_key(segment + 1, 0) - 1)


def _live(connection: Connection, entries: Columns) -> npt.NDArray[np.bool_]:
    """Which entries of a segment are still there."""
    numbers = entries["number"]
    present: list[int] = []
    for part in segment_parts(len(numbers), 5_000):
        query = select(search_entries.c.id).where(
            in_list(search_entries.c.id, [int(n) for n in numbers[part]])
        )
        present += connection.scalars(query)
    return np.isin(numbers, np.array(present, dtype=np.int64))


def _join_columns(
    rows: Sequence[Any], live: Sequence[npt.NDArray[np.bool_]]
) -> tuple[Columns, dict[str, list[str]]]:
    names: dict[str, list[str]] = {
        kind: list(dict.fromkeys(name for row in rows for name in row.names[kind]))
        for kind in ("languages", "recipes")
    }
    parts = []
    for row, mask in zip(rows, live, strict=True):
        part = np.frombuffer(row.entries, dtype=COLUMNS)[mask].copy()
        for kind, column in (("languages", "language"), ("recipes", "recipe")):
            places = np.array([names[kind].index(name) for name in row.names[kind]], dtype=np.uint16)
            part[column] = places[part[column]]
        parts.append(part)
    return np.concatenate(parts), names


def _remove_orphaned_vectors(
    connection: Connection, rows: Sequence[Any], live: Sequence[npt.NDArray[np.bool_]]
) -> None:
    gone = np.concatenate(
        [
            np.frombuffer(row.entries, dtype=COLUMNS)["number"][~mask]
            for row, mask in zip(rows, live, strict=True)
        ]
    )
    if len(gone):
        connection.execute(
            delete(search_vectors).where(in_list(search_vectors.c.entry_id, [int(number) for number in gone]))
        )
