"""Writes many rows with few statements, each compiled once per process.

SQLAlchemy builds a parameter set for every row on every execution, which for wide rows costs more than the database
does. Here a row costs one lookup of its values and their conversions.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from msgspec import json
from sqlalchemy import (
    JSON,
    Column,
    ColumnElement,
    Connection,
    Dialect,
    Float,
    LargeBinary,
    Table,
    bindparam,
    column,
    text,
    update,
)
from sqlalchemy.sql.dml import Insert, Update
from sqlalchemy.types import TypeDecorator

RowValues = Mapping[str, Any]
Conversion = Callable[[Any], Any]


@dataclass(frozen=True)
class PreparedStatement:
    """A statement compiled for one database, and how the values of a row become its parameters."""

    sql: str
    names: tuple[str, ...]
    conversions: tuple[tuple[int, Conversion], ...]
    positional: bool

    def run(self, connection: Connection, rows: Sequence[RowValues]) -> int:
        """Returns how many rows were written."""
        return connection.exec_driver_sql(self.sql, [self._parameters(row) for row in rows]).rowcount

    def run_values(self, connection: Connection, rows: Sequence[Sequence[Any]]) -> int:
        """The same for rows whose values are in the order of `names` and need no conversion: nothing is made of them again."""
        assert not self.conversions
        values: Any = rows if self.positional else [dict(zip(self.names, row, strict=True)) for row in rows]
        return connection.exec_driver_sql(self.sql, values).rowcount

    def _parameters(self, row: RowValues) -> Any:
        values = list(map(row.__getitem__, self.names))
        for position, convert in self.conversions:
            values[position] = convert(values[position])
        return tuple(values) if self.positional else dict(zip(self.names, values, strict=True))


def prepare_statement(
    dialect: Dialect, statement: Insert | Update, columns: Sequence[str] = ()
) -> PreparedStatement:
    """All values come from the rows: the statement must not contain constants."""
    compiled = statement.compile(dialect=dialect, column_keys=list(columns) or None)
    constants = [
        name for name, bind in compiled.binds.items() if not bind.required and bind.value is not None
    ]
    assert not constants, f"{constants} would be lost"
    positional = bool(dialect.positional)
    names = tuple(compiled.positiontup or ()) if positional else tuple(compiled.binds)
    kinds = [compiled.binds[name].type.dialect_impl(dialect) for name in names]
    processors = [(position, kind.bind_processor(dialect)) for position, kind in enumerate(kinds)]
    return PreparedStatement(
        sql=str(compiled),
        names=names,
        conversions=tuple((position, convert) for position, convert in processors if convert is not None),
        positional=positional,
    )


@dataclass(frozen=True)
class RecordsetStatement:
    """The same for PostgreSQL, with all rows as one parameter: one row each would cost a round trip, and arrays are
    slow to encode."""

    sql: str
    names: tuple[str, ...]
    conversions: tuple[tuple[str, Conversion], ...]

    def run(self, connection: Connection, rows: Sequence[RowValues]) -> int:
        converted = [self._converted(row) for row in rows] if self.conversions else rows
        data = json.encode(converted, enc_hook=_to_plain_type).decode()
        return connection.exec_driver_sql(self.sql, {"rows": data}).rowcount

    def run_values(self, connection: Connection, rows: Sequence[Sequence[Any]]) -> int:
        return self.run(connection, [dict(zip(self.names, row, strict=True)) for row in rows])

    def _converted(self, row: RowValues) -> RowValues:
        return {**row, **{name: convert(row[name]) for name, convert in self.conversions}}


def _to_plain_type(value: Any) -> Any:
    """Subclasses of str and int are written as str and int."""
    for kind in (str, int):
        if isinstance(value, kind):
            return kind(value)
    raise TypeError(f"{type(value).__name__} cannot be stored in a column")


def prepare_recordset(
    dialect: Dialect, statement: Any, table: Table, columns: Sequence[str]
) -> RecordsetStatement:
    """`statement` is an INSERT of PostgreSQL. Its conflict clause must not meet the same row twice in one run."""
    kinds = {name: table.c[name].type for name in columns}
    shape = ", ".join(f"{name} {kind.dialect_impl(dialect).compile(dialect)}" for name, kind in kinds.items())
    names = ", ".join(columns)
    rows = text(f"SELECT {names} FROM json_to_recordset(CAST(:rows AS json)) AS input_rows({shape})").columns(  # noqa: S608 - names of our own schema
        *(column(name) for name in columns)
    )
    compiled = statement.from_select(list(columns), rows, include_defaults=False).compile(dialect=dialect)
    processors = ((name, kind.dialect_impl(dialect).bind_processor(dialect)) for name, kind in kinds.items())
    return RecordsetStatement(
        str(compiled),
        tuple(columns),
        tuple((name, convert) for name, convert in processors if convert is not None),
    )


def fits_recordset(table: Table, columns: Sequence[str]) -> bool:
    """JSON cannot carry bytes, NaN, or a null that is a value."""
    return not any(isinstance(_column_type(table.c[name]), JSON | LargeBinary | Float) for name in columns)


def _column_type(table_column: Column[Any]) -> Any:
    return table_column.type.impl if isinstance(table_column.type, TypeDecorator) else table_column.type


def insert_into(dialect: Dialect, table: Table) -> Any:
    """The dialect's INSERT with ON CONFLICT. Both databases use the same syntax, SQLAlchemy has two classes for it."""
    if dialect.name == "postgresql":
        from sqlalchemy.dialects import postgresql  # noqa: PLC0415 - loads its drivers

        return postgresql.insert(table)
    from sqlalchemy.dialects import sqlite  # noqa: PLC0415 - loaded with the other one, or not at all

    return sqlite.insert(table)


def insert_rows(
    connection: Connection, table: Table, rows: Sequence[RowValues], *, replacing: Sequence[str] = ()
) -> int:
    """Insert rows with the same columns; returns how many were written. A row whose key exists stays as it is, except
    for the columns in `replacing`, which are updated."""
    if not rows:
        return 0
    return _insert_statement(connection.dialect, table, tuple(rows[0]), tuple(replacing)).run(
        connection, rows
    )


def insert_values(
    connection: Connection, table: Table, columns: tuple[str, ...], rows: Sequence[Sequence[Any]]
) -> int:
    """`insert_rows` for many rows of numbers or plain texts, whose values are in the order of the columns."""
    if not rows:
        return 0
    statement = _insert_statement(connection.dialect, table, columns, ())
    assert statement.names == columns
    return statement.run_values(connection, rows)


@lru_cache(maxsize=512)
def _insert_statement(
    dialect: Dialect, table: Table, columns: tuple[str, ...], replacing: tuple[str, ...]
) -> PreparedStatement | RecordsetStatement:
    statement = insert_into(dialect, table)
    if not replacing and dialect.name == "postgresql" and fits_recordset(table, columns):
        return prepare_recordset(dialect, statement.on_conflict_do_nothing(), table, columns)
    if replacing:
        keys = [column.name for column in table.primary_key]
        changes = {name: statement.excluded[name] for name in replacing}
        statement = statement.on_conflict_do_update(index_elements=keys, set_=changes)
    else:
        statement = statement.on_conflict_do_nothing()
    return prepare_statement(dialect, statement, columns)


def update_rows(connection: Connection, table: Table, changes: Sequence[tuple[str, RowValues]]) -> None:
    """Set columns by id. Changes of the same columns share a statement. Only `attempts` may be an SQL expression; such
    a change has its own statement."""
    rows_by_columns: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    for key, values in changes:
        if isinstance(values.get("attempts"), ColumnElement):
            connection.execute(update(table).where(table.c.id == key).values(**values))
        else:
            rows_by_columns[tuple(values)].append({"this": key, **values})
    for names, rows in rows_by_columns.items():
        _update_statement(connection.dialect, table, names).run(connection, rows)


@lru_cache(maxsize=512)
def _update_statement(dialect: Dialect, table: Table, names: tuple[str, ...]) -> PreparedStatement:
    statement = update(table).where(table.c.id == bindparam("this"))
    return prepare_statement(dialect, statement, names)
