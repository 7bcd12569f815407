"""Why documents and leads were not kept, with an example of each reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sqlalchemy import ColumnElement, Connection, Engine, RowMapping, Table, func, or_, select

from headwater.model.jobs import ARCHIVED, State
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import documents, leads

if TYPE_CHECKING:
    from headwater.store.rows import Record

NO_REASON = "?"
TABLES = (documents, leads)
END_STATES = (State.DROPPED, State.DUPLICATE, State.ASIDE, State.QUARANTINED)


def end_reasons(engine: Engine, recipe: str) -> list[Record]:
    """Each reason with its state, its count and an example, most frequent first."""
    with read_transaction(engine) as connection:
        rows = [row for table in TABLES for row in _rows_with_examples(connection, table, recipe)]
    rows_by_reason: dict[tuple[str, str], Record] = {}
    for row in rows:
        first = rows_by_reason.setdefault((row["state"], row["reason"]), row)
        if first is not row:
            first["count"] += row["count"]
    return sorted(rows_by_reason.values(), key=lambda row: (-row["count"], row["reason"]))


def count_end_reasons(connection: Connection, recipe: str) -> Mapping[str, int]:
    """How often each reason occurs, most frequent first."""
    counts: Counter[str] = Counter()
    for table in TABLES:
        for row in _reason_rows(connection, table, recipe):
            counts[row["reason"] or NO_REASON] += row["count"]
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def not_archived(table: Table) -> ColumnElement[bool]:
    """Documents that retention moved to files were kept."""
    return or_(table.c.reason.is_(None), table.c.reason != ARCHIVED)


def _reason_rows(connection: Connection, table: Table, recipe: str) -> Sequence[RowMapping]:
    query = (
        select(
            table.c.state, table.c.reason, func.count().label("count"), func.min(table.c.id).label("example")
        )
        .where(table.c.recipe == recipe, table.c.state.in_(END_STATES), not_archived(table))
        .group_by(table.c.state, table.c.reason)
    )
    return connection.execute(query).mappings().all()


def _rows_with_examples(connection: Connection, table: Table, recipe: str) -> list[Record]:
    rows = _reason_rows(connection, table, recipe)
    query = select(table.c.id, table.c.title, table.c.url)
    example_rows = connection.execute(query.where(table.c.id.in_([row["example"] for row in rows])))
    examples = {row.id: row for row in example_rows}
    return [
        dict(row)
        | {
            "reason": row["reason"] or NO_REASON,
            "title": examples[row["example"]].title or "",
            "url": examples[row["example"]].url,
        }
        for row in rows
    ]
