"""Fingerprints: an exclusive one belongs to one document of a recipe."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    Select,
    and_,
    bindparam,
    delete,
    false,
    or_,
    select,
)

from headwater.model.document import Document, Fingerprint
from headwater.model.jobs import State
from headwater.store.bulk import insert_rows
from headwater.store.in_list import in_list, in_named_list
from headwater.store.schema.knowledge import fingerprints
from headwater.text.letters import to_storable_text

LONGEST_INDEXED = 600


def fingerprint_owners(
    connection: Connection, recipe: str, wanted_fingerprints: Sequence[Fingerprint]
) -> dict[Fingerprint, str]:
    """Which document owns each of these fingerprints."""
    owners = owners_by_value(connection, recipe, [(mark.kind, mark.value) for mark in wanted_fingerprints])
    return {Fingerprint(kind, value): owner for (kind, value), owner in owners.items()}


def owners_by_value(
    connection: Connection, recipe: str, pairs: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], str]:
    """The same by (kind, value)."""
    if not pairs:
        return {}
    pairs_by_index_value = {(kind, index_value(value)): (kind, value) for kind, value in pairs}
    values_by_kind = _values_by_kind(pairs_by_index_value)
    values = {f"values{position}": values for position, values in enumerate(values_by_kind.values())}
    rows = connection.execute(_owners_of(tuple(values_by_kind)), {"recipe": recipe} | values)
    return {pairs_by_index_value[kind, value]: owner for kind, value, owner in rows}


@lru_cache(maxsize=64)
def _owners_of(kinds: tuple[str, ...]) -> Select[Any]:
    """Built once for all batches with the same kinds of fingerprints."""
    table = fingerprints
    of_kinds = (
        and_(
            table.c.recipe == bindparam("recipe"),
            table.c.kind == kind,
            in_named_list(table.c.value, f"values{position}"),
        )
        for position, kind in enumerate(kinds)
    )
    return select(table.c.kind, table.c.value, table.c.document_id).where(or_(*of_kinds))


def index_value(value: str) -> str:
    """The value as stored in the index. PostgreSQL limits it to 2,700 bytes, so a long value is hashed."""
    if len(value) <= LONGEST_INDEXED:
        return to_storable_text(value)
    return f"sha256:{sha256(value.encode('utf-8', 'surrogatepass')).hexdigest()}"


def claim_fingerprints(
    connection: Connection, kept_documents: Sequence[Document], held_rows: Mapping[str, RowMapping]
) -> set[str]:
    """Claim the exclusive fingerprints; returns the documents that lost one to another document."""
    claims = sorted(
        {(f.kind, index_value(f.value), d.id) for d in kept_documents for f in d.fingerprints if f.exclusive}
    )
    if not claims:
        return set()
    recipe = kept_documents[0].recipe
    earlier = _earlier_fingerprints(
        connection, [d.id for d in kept_documents if held_rows[d.id]["state"] == State.KEPT]
    )
    rows = [{"recipe": recipe, "kind": k, "value": v, "document_id": d} for k, v, d in claims]
    if insert_rows(connection, fingerprints, rows) == len(rows):
        return set()
    holders = fingerprint_owners(connection, recipe, [Fingerprint(k, v) for k, v, _ in claims])
    losers = {d for k, v, d in claims if holders[Fingerprint(k, v)] != d}
    won = (mark for mark in claims if mark[2] in losers and holders[Fingerprint(*mark[:2])] == mark[2])
    if too_early := {mark[:2] for mark in won if mark not in earlier}:
        connection.execute(delete(fingerprints).where(match_fingerprints(recipe, too_early)))
    return losers


def _earlier_fingerprints(connection: Connection, revised: Sequence[str]) -> set[tuple[str, str, str]]:
    """What documents own from earlier revisions; they keep it whatever happens to the next one."""
    if not revised:
        return set()
    table = fingerprints
    query = select(table.c.kind, table.c.value, table.c.document_id).where(
        in_list(table.c.document_id, revised)
    )
    return {(row.kind, row.value, row.document_id) for row in connection.execute(query).all()}


def match_fingerprints(recipe: str, pairs: Iterable[tuple[str, str]]) -> ColumnElement[bool]:
    """Conditions grouped by kind. With pairs, SQLite would read every fingerprint of the recipe."""
    table = fingerprints
    return or_(
        false(),
        *(
            and_(table.c.recipe == recipe, table.c.kind == kind, in_list(table.c.value, values))
            for kind, values in _values_by_kind(pairs).items()
        ),
    )


def _values_by_kind(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    by_kind: defaultdict[str, list[str]] = defaultdict(list)
    for kind, value in sorted(pairs):
        by_kind[kind].append(value)
    return by_kind
