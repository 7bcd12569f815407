"""Tables of other programs in the same database: their old rows are deleted where the retention policy says so."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Column, DateTime, Engine, MetaData, Table, delete, inspect

from headwater.model.errors import Refused
from headwater.store.connect import write_transaction
from headwater.store.tables import metadata

AGE_COLUMN = "created_at"


def remove_foreign_rows(engine: Engine, name: str, before: datetime) -> int:
    """Returns how many rows were older. 0 if there is no such table: its program has not created it yet."""
    schema, _, table_name = name.rpartition(".")
    if not schema and table_name in metadata.tables:
        raise Refused("bad_config", f"retention.tables: '{name}' is a table of Headwater")
    if not inspect(engine).has_table(table_name, schema=schema or None):
        return 0
    table = Table(table_name, MetaData(), autoload_with=engine, schema=schema or None)
    if AGE_COLUMN not in table.columns:
        raise Refused("bad_config", f"retention.tables: '{name}' has no column {AGE_COLUMN}")
    column = table.columns[AGE_COLUMN]
    with write_transaction(engine) as connection:
        return connection.execute(delete(table).where(column < _comparable(column, before))).rowcount


def _comparable(column: Column[Any], moment: datetime) -> datetime | str:
    """The moment as the column holds it: with its zone, without one in UTC, or as text."""
    utc = moment.astimezone(UTC)
    if isinstance(column.type, DateTime):
        return utc if column.type.timezone else utc.replace(tzinfo=None)
    return utc.isoformat()
