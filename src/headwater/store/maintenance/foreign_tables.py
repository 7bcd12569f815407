"""Tables of other programs in the same database: their old rows are deleted where the retention policy says so."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Column, ColumnElement, DateTime, Engine, MetaData, Table, delete, func, inspect, select

from headwater.model.errors import Refused
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.tables import metadata

AGE_COLUMN = "created_at"


def remove_foreign_rows(engine: Engine, name: str, before: datetime) -> int:
    """Returns how many rows were older. 0 if there is no such table: its program has not created it yet."""
    table = find_foreign_table(engine, name)
    if table is None:
        return 0
    with write_transaction(engine) as connection:
        return connection.execute(delete(table).where(_is_older(table, before))).rowcount


def count_foreign_rows(engine: Engine, name: str, before: datetime) -> int:
    """Returns how many rows `remove_foreign_rows` would remove."""
    table = find_foreign_table(engine, name)
    if table is None:
        return 0
    with read_transaction(engine) as connection:
        return connection.scalar(select(func.count()).select_from(table).where(_is_older(table, before))) or 0


def find_foreign_table(engine: Engine, name: str) -> Table | None:
    """None if it does not exist. A name with a dot has a schema of PostgreSQL."""
    schema, _, table_name = name.rpartition(".")
    if not schema and table_name in metadata.tables:
        raise Refused("bad_config", f"retention.tables: '{name}' is a table of Headwater")
    inspector = inspect(engine)
    if schema and schema not in inspector.get_schema_names():
        return None
    if not inspector.has_table(table_name, schema=schema or None):
        return None
    table = Table(table_name, MetaData(), autoload_with=engine, schema=schema or None)
    if AGE_COLUMN not in table.columns:
        raise Refused(
            "bad_config",
            f"retention.tables: '{name}' has no column {AGE_COLUMN}; write `{name}: 0` there to leave it alone",
        )
    return table


def _is_older(table: Table, before: datetime) -> ColumnElement[bool]:
    column = table.columns[AGE_COLUMN]
    return column < _comparable(column, before)


def _comparable(column: Column[Any], moment: datetime) -> datetime | str:
    """The moment as the column holds it: with its zone, without one in UTC, or as text."""
    utc = moment.astimezone(UTC)
    if isinstance(column.type, DateTime):
        return utc if column.type.timezone else utc.replace(tzinfo=None)
    return utc.isoformat()
