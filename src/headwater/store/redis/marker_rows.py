"""Which marks the rows bear out, and which they would have made lately."""

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
    """Those whose row is there. A job whose lease was lost has written nothing, whatever it has seen."""
    with read_transaction(engine) as connection:
        there = {kind: _there(connection, kind, marks) for kind in {mark.kind for mark in marks}}
    return [mark for mark in marks if mark.row in there[mark.kind]]


def _there(connection: Connection, kind: FingerprintKind, marks: Sequence[StoredFingerprint]) -> set[str]:
    wanted = {mark.row: mark.value for mark in marks if mark.kind == kind}
    if kind == "digest":
        told = connection.execute(
            select(sources.c.id, sources.c.watermark).where(in_list(sources.c.id, wanted))
        )
        return {row.id for row in told if (row.watermark or {}).get("digest") == wanted[row.id]}
    column = {"url": leads.c.document_id, "payload": captures.c.id, "text": documents.c.id}[kind]
    query = select(column).where(in_list(column, wanted))
    if kind == "text":
        query = query.where(documents.c.state != State.WAITING)
    return set(connection.scalars(query))


def recent_lookups(
    engine: Engine, recipe: str, since: datetime, normal: NormalizeUrl
) -> Iterator[Sequence[DatedLookup]]:
    """Everything of a recipe that was seen since then, with when, a handful at a time."""
    with read_transaction(engine) as connection:
        for handful in _handfuls(connection, _leads(recipe, since)):
            yield [(StoredFingerprint("url", normal(url), row), at) for url, row, at in handful if url]
        for handful in _handfuls(connection, _captures(recipe, since)):
            yield [(StoredFingerprint("payload", value, row), at) for value, row, at in handful]
        for handful in _handfuls(connection, _texts(recipe, since)):
            yield [(StoredFingerprint("text", value, row), at) for value, row, at in handful]
        for handful in _handfuls(connection, _looks(recipe, since)):
            yield [
                (StoredFingerprint("digest", mark["digest"], row), at)
                for mark, row, at in handful
                if _digest(mark)
            ]


def _handfuls(connection: Connection, query: Select[Any]) -> Iterator[Sequence[Any]]:
    with connection.execution_options(yield_per=AT_ONCE).execute(query) as found:
        yield from found.partitions()


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


def _looks(recipe: str, since: datetime) -> Select[Any]:
    table = sources.c
    return select(table.watermark, table.id, table.last_success_at).where(
        table.recipe == recipe, table.last_success_at >= since
    )


def _digest(mark: Mapping[str, Any] | None) -> bool:
    return isinstance((mark or {}).get("digest"), str)
