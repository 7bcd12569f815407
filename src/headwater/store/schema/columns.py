"""Column types that behave the same on both databases, and the columns and indexes that every table with work has."""

from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import msgspec
from sqlalchemy import (
    JSON,
    Column,
    ColumnElement,
    DateTime,
    Dialect,
    Index,
    Integer,
    MetaData,
    String,
    Text,
    func,
    text,
)
from sqlalchemy.types import TypeDecorator

from headwater.text.letters import to_storable_text

NUL = rb"\u0000"
POSTGRESQL = "postgresql"
from_json = msgspec.json.decode


def to_json(value: Any) -> str:
    try:
        encoded = msgspec.json.encode(value)
    except UnicodeEncodeError:
        encoded = NUL
    if NUL in encoded:
        encoded = msgspec.json.encode(_storable(msgspec.to_builtins(value)))
    return encoded.decode()


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return to_storable_text(value)
    if isinstance(value, dict):
        return {_storable(name): _storable(part) for name, part in value.items()}
    return [_storable(part) for part in value] if isinstance(value, list | tuple) else value


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class JsonColumn(TypeDecorator[Any]):
    """A record, a list or NULL."""

    impl = JSON
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        return dialect.type_descriptor(_json_type(dialect)(none_as_null=True))

    # Overrides the processors, not the hooks around them: they run for every value of every row.
    def bind_processor(self, dialect: Dialect) -> Any:
        return super().bind_processor(dialect) if dialect.name == "postgresql" else _write_json

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        return super().result_processor(dialect, coltype) if dialect.name == "postgresql" else _read_json


class JsonOrNull(TypeDecorator[Any]):
    """JSON whose null is a value; the column is never NULL."""

    impl = JSON
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        return dialect.type_descriptor(_json_type(dialect)())


def _json_type(dialect: Dialect) -> type[JSON]:
    if dialect.name != "postgresql":
        return JSON
    # Its drivers take a tenth of the time of a short command, which on SQLite needs none of them.
    from sqlalchemy.dialects.postgresql import JSONB  # noqa: PLC0415

    return JSONB


class StorableText(TypeDecorator[str]):
    """Text from any source, without the characters that databases reject."""

    impl = Text
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Any:
        del dialect
        return _write_text


class UtcDateTime(TypeDecorator[datetime]):
    """A time in UTC: timestamptz on PostgreSQL; on SQLite a text that sorts by time and names its zone."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        if dialect.name == "postgresql":
            return dialect.type_descriptor(DateTime(timezone=True))
        return dialect.type_descriptor(Text())

    def bind_processor(self, dialect: Dialect) -> Any:
        return None if dialect.name == "postgresql" else _write_datetime

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        del coltype
        return _to_utc if dialect.name == "postgresql" else _read_datetime


def utc_day(column: Column[Any], dialect: Dialect) -> ColumnElement[str]:
    """The day of a time, as YYYY-MM-DD in UTC."""
    if dialect.name == "postgresql":
        return func.to_char(func.timezone("UTC", column), "YYYY-MM-DD")
    return func.date(column)


def _write_json(value: Any) -> str | None:
    return None if value is None else to_json(value)


def _read_json(value: str | None) -> Any:
    return None if value is None else from_json(value)


def _write_text(value: str | None) -> str | None:
    """Nearly all values are stored as they are, and a batch has thousands."""
    if value is None or (value.isascii() and "\x00" not in value):
        return value
    return to_storable_text(value)


def _write_datetime(value: datetime | None) -> str | None:
    if value is None:
        return None
    return _utc_text(value if value.tzinfo is UTC else value.astimezone(UTC))


@lru_cache(maxsize=1024)  # a batch writes the same few times again and again
def _utc_text(moment: datetime) -> str:
    """Of a time in UTC: elsewhere the two hours when the clocks go back compare as equal, and would share an entry."""
    return moment.isoformat(sep=" ", timespec="microseconds")


def _read_datetime(value: str | None) -> datetime | None:
    return None if value is None else datetime.fromisoformat(value)


def _to_utc(value: datetime | None) -> datetime | None:
    return None if value is None else value.astimezone(UTC)


def key_column(name: str = "id", **options: Any) -> Column[str]:
    return Column(name, String(64), **options)


def work_columns() -> tuple[Column[Any], ...]:
    """Work is leased: by whom, until when, how often it was tried, when it is due, and why it is in its state."""
    return (
        Column("due_at", UtcDateTime),
        Column("lease_owner", Text),
        Column("lease_until", UtcDateTime),
        Column("attempts", Integer, nullable=False, default=0, server_default="0"),
        Column("reason", StorableText),
    )


def partial_index(name: str, *columns: str, where: str, unique: bool = False) -> Index:
    """An index of the rows that meet a condition, on both databases. That of PostgreSQL is named later: naming it here would
    load the drivers of PostgreSQL in every command, for a tenth of its time."""
    condition = text(where)
    return Index(
        name, *columns, unique=unique, sqlite_where=condition, info={POSTGRESQL: {"where": condition}}
    )


def add_postgresql_options(tables: MetaData) -> None:
    """Gives indexes the options that they have on PostgreSQL only."""
    for table in tables.tables.values():
        for index in table.indexes:
            index.dialect_options[POSTGRESQL].update(index.info.get(POSTGRESQL, {}))


def due_index(table: str) -> Index:
    """Contains unfinished rows only, so a claim costs the same however many rows are finished. In the order of claims, so that one
    of a hundred reads a hundred of the rows that are due at the same moment."""
    return partial_index(f"ix_{table}_due", "recipe", "due_at", "id", where="due_at IS NOT NULL")


def lease_index(table: str) -> Index:
    """Contains leased rows only, so finding the owners costs what is under way, not what waits."""
    return partial_index(f"ix_{table}_lease_owner", "lease_owner", where="lease_owner IS NOT NULL")


def number_index(table: str, column: str) -> Index:
    """Contains the rows that have the number only."""
    return partial_index(f"ix_{table}_{column}", column, where=f"{column} IS NOT NULL")
