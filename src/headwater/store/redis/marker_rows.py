"""Rows behind dedupe markers: which lookups the rows confirm, and which were stored recently."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, Select, select

from headwater.model.jobs import State
from headwater.model.stored_fingerprint import (
    TEXT_FINGERPRINT_PREFIX,
    FingerprintKind,
    NormalizeUrl,
    StoredFingerprint,
)
from headwater.store.connect import read_transaction
from headwater.store.in_list import in_list
from headwater.store.schema.flow import captures, documents, leads, sources
from headwater.store.schema.knowledge import fingerprints

AT_ONCE = 1_000
DatedLookup = tuple[StoredFingerprint, datetime]


def confirmed_lookups(engine: Engine, marks: Sequence[StoredFingerprint]) -> list[StoredFingerprint]:
    """The lookups whose row exists. A job that lost its lease wrote nothing."""
    with read_transaction(engine) as connection:
        rows_by_kind = {
            kind: _confirmed_rows(connection, kind, marks) for kind in {mark.kind for mark in marks}
        }
    return [mark for mark in marks if mark.row in rows_by_kind[mark.kind]]


def _confirmed_rows(
    connection: Connection, kind: FingerprintKind, marks: Sequence[StoredFingerprint]
) -> set[str]:
    values_by_row = {mark.row: mark.value for mark in marks if mark.kind == kind}
    if kind == "digest":
        rows = connection.execute(
            select(sources.c.id, sources.c.watermark).where(in_list(sources.c.id, values_by_row))
        )
        return {row.id for row in rows if (row.watermark or {}).get("digest") == values_by_row[row.id]}
    column = {"url": leads.c.document_id, "payload": captures.c.id, "text": documents.c.id}[kind]
    query = select(column).where(in_list(column, values_by_row))
    if kind == "text":
        query = query.where(documents.c.state != State.WAITING)
    return set(connection.scalars(query))


def recent_lookups(
    engine: Engine, recipe: str, since: datetime, normal: NormalizeUrl
) -> Iterator[Sequence[DatedLookup]]:
    """All lookups of a recipe stored since then, with their times, in batches."""
    with read_transaction(engine) as connection:
        for batch in _batches(connection, _leads(recipe, since)):
            yield [(StoredFingerprint("url", normal(url), row), at) for url, row, at in batch if url]
        for batch in _batches(connection, _captures(recipe, since)):
            yield [(StoredFingerprint("payload", value, row), at) for value, row, at in batch]
        for batch in _batches(connection, _texts(recipe, since)):
            yield [(StoredFingerprint("text", value, row), at) for value, row, at in batch]
        for batch in _batches(connection, _polls(recipe, since)):
            yield [
                (StoredFingerprint("digest", mark["digest"], row), at)
                for mark, row, at in batch
                if _digest(mark)
            ]


def _batches(connection: Connection, query: Select[Any]) -> Iterator[Sequence[Any]]:
    with connection.execution_options(yield_per=AT_ONCE).execute(query) as result:
        yield from result.partitions()


def _leads(recipe: str, since: datetime) -> Select[Any]:
    table = leads.c
    return select(table.url, table.document_id, table.updated_at).where(
        table.recipe == recipe, table.updated_at >= since
    )


def _captures(recipe: str, since: datetime) -> Select[Any]:
    table = captures.c
    return select(table.sha256, table.id, table.fetched_at).where(
        table.recipe == recipe, table.fetched_at >= since
    )


def _texts(recipe: str, since: datetime) -> Select[Any]:
    return (
        select(fingerprints.c.value, documents.c.id, documents.c.updated_at)
        .join(documents, documents.c.id == fingerprints.c.document_id)
        .where(
            documents.c.recipe == recipe,
            documents.c.updated_at >= since,
            fingerprints.c.kind.startswith(TEXT_FINGERPRINT_PREFIX),
        )
    )


def _polls(recipe: str, since: datetime) -> Select[Any]:
    table = sources.c
    return select(table.watermark, table.id, table.last_success_at).where(
        table.recipe == recipe, table.last_success_at >= since
    )


def _digest(mark: Mapping[str, Any] | None) -> bool:
    return isinstance((mark or {}).get("digest"), str)
