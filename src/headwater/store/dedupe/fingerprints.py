"""Fingerprints: an exclusive one belongs to one document of a recipe."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

from sqlalchemy import ColumnElement, Connection, RowMapping, and_, delete, false, or_, select

from headwater.model.document import Document, Fingerprint
from headwater.model.jobs import State
from headwater.store.bulk import insert_rows
from headwater.store.in_list import in_list
from headwater.store.schema.knowledge import fingerprints
from headwater.text.letters import to_storable_text

LONGEST_INDEXED = 600


def fingerprint_owners(
    connection: Connection, recipe: str, wanted: Sequence[Fingerprint]
) -> dict[Fingerprint, str]:
    """Which document holds each of these fingerprints."""
    if not wanted:
        return {}
    table = fingerprints
    held = {(mark.kind, index_value(mark.value)): Fingerprint(mark.kind, mark.value) for mark in wanted}
    query = select(table.c.kind, table.c.value, table.c.document_id).where(match_fingerprints(recipe, held))
    return {held[row.kind, row.value]: row.document_id for row in connection.execute(query).all()}


def index_value(value: str) -> str:
    """A value as it lies in the index, which on PostgreSQL holds 2,700 bytes at most: a longer one by its hash."""
    if len(value) <= LONGEST_INDEXED:
        return to_storable_text(value)
    return f"sha256:{sha256(value.encode('utf-8', 'surrogatepass')).hexdigest()}"


def claim_fingerprints(
    connection: Connection, kept: Sequence[Document], mine: Mapping[str, RowMapping]
) -> set[str]:
    """Claim the exclusive fingerprints; gives the documents that lost one to another document."""
    wanted = sorted(
        {(f.kind, index_value(f.value), d.id) for d in kept for f in d.fingerprints if f.exclusive}
    )
    if not wanted:
        return set()
    recipe = kept[0].recipe
    before = _held(connection, [d.id for d in kept if mine[d.id]["state"] == State.KEPT])
    rows = [{"recipe": recipe, "kind": k, "value": v, "document_id": d} for k, v, d in wanted]
    if insert_rows(connection, fingerprints, rows) == len(rows):
        return set()
    holders = fingerprint_owners(connection, recipe, [Fingerprint(k, v) for k, v, _ in wanted])
    lost = {d for k, v, d in wanted if holders[Fingerprint(k, v)] != d}
    taken = (mark for mark in wanted if mark[2] in lost and holders[Fingerprint(*mark[:2])] == mark[2])
    if too_early := {mark[:2] for mark in taken if mark not in before}:
        connection.execute(delete(fingerprints).where(match_fingerprints(recipe, too_early)))
    return lost


def _held(connection: Connection, revised: Sequence[str]) -> set[tuple[str, str, str]]:
    """What documents hold from their earlier revisions; it stays theirs whatever becomes of the next one."""
    if not revised:
        return set()
    table = fingerprints
    query = select(table.c.kind, table.c.value, table.c.document_id).where(
        in_list(table.c.document_id, revised)
    )
    return {(row.kind, row.value, row.document_id) for row in connection.execute(query).all()}


def match_fingerprints(recipe: str, pairs: Iterable[tuple[str, str]]) -> ColumnElement[bool]:
    """Fingerprints by kind and value. Asked for in pairs, SQLite would read all that the recipe has."""
    by_kind: defaultdict[str, list[str]] = defaultdict(list)
    for kind, value in sorted(pairs):
        by_kind[kind].append(value)
    table = fingerprints
    return or_(
        false(),
        *(
            and_(table.c.recipe == recipe, table.c.kind == kind, in_list(table.c.value, values))
            for kind, values in by_kind.items()
        ),
    )
