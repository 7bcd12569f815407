"""The rows of a table in one order on every database: PostgreSQL returns a row that was changed last of all."""

from typing import Any

from sqlalchemy import Engine, Table, select

from headwater.store.connect import read_transaction

# The first of these that a table has says when a row was made.
CREATION_TIMES = ("started_at", "created_at", "first_seen_at", "fetched_at")


def table_rows(engine: Engine, table: Table, **match: Any) -> list[dict[str, Any]]:
    """The rows whose columns have these values, oldest first."""
    where = [table.c[name] == value for name, value in match.items()]
    times = [table.c[name] for name in CREATION_TIMES if name in table.c]
    query = select(table).where(*where).order_by(*times, *table.primary_key)
    with read_transaction(engine) as connection:
        return [dict(row) for row in connection.execute(query).mappings()]
