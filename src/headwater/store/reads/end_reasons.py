"""Why documents and leads were not kept, with an example of each reason."""

from typing import Any

from sqlalchemy import Connection, Engine, Table, func, select

from headwater.model.jobs import State
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import documents, leads

END_STATES = (State.DROPPED, State.DUPLICATE, State.ASIDE, State.QUARANTINED)


def end_reasons(engine: Engine, recipe: str) -> list[dict[str, Any]]:
    """Each reason with its state, its count and an example, most frequent first."""
    with read_transaction(engine) as connection:
        rows = [row for table in (documents, leads) for row in _reasons(connection, table, recipe)]
    rows_by_reason: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        first = rows_by_reason.setdefault((row["state"], row["reason"]), row)
        if first is not row:
            first["count"] += row["count"]
    return sorted(rows_by_reason.values(), key=lambda row: (-row["count"], row["reason"]))


def _reasons(connection: Connection, table: Table, recipe: str) -> list[dict[str, Any]]:
    query = (
        select(
            table.c.state, table.c.reason, func.count().label("count"), func.min(table.c.id).label("example")
        )
        .where(table.c.recipe == recipe, table.c.state.in_(END_STATES))
        .group_by(table.c.state, table.c.reason)
    )
    rows = [dict(row) for row in connection.execute(query).mappings()]
    example_ids = [row["example"] for row in rows]
    query_examples = select(table.c.id, table.c.title, table.c.url).where(table.c.id.in_(example_ids))
    examples = {row.id: row for row in connection.execute(query_examples)}
    return [
        row
        | {
            "reason": row["reason"] or "?",
            "title": examples[row["example"]].title or "",
            "url": examples[row["example"]].url,
        }
        for row in rows
    ]
