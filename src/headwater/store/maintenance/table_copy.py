"""Copies tables between databases: read as a stream, written with COPY on PostgreSQL, and compared by a digest."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from typing import Any

import msgspec
from sqlalchemy import Connection, Table, func, insert, select

from headwater.model.errors import Refused, Temporary
from headwater.store.tables import metadata

AT_ONCE = 500
WHOLE = 1 << 256
RowTuple = Sequence[Any]


@dataclass(frozen=True, slots=True)
class TableDigest:
    """The number of rows, and the sum of their hashes, which does not depend on their order."""

    rows: int
    digest: str


@dataclass
class RunningDigest:
    """A digest that is being computed."""

    rows: int = 0
    total: int = 0

    def add(self, row: RowTuple) -> None:
        self.rows += 1
        encoded = msgspec.json.encode([canonical_value(value) for value in row], order="sorted")
        self.total = (self.total + int.from_bytes(sha256(encoded).digest(), "big")) % WHOLE

    @property
    def tally(self) -> TableDigest:
        return TableDigest(self.rows, f"{self.total:064x}")


def canonical_value(value: Any) -> Any:
    """Equal values are equal here: a database may write 1.0 as 1, and 1e20 with all its zeros."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, dict):
        return {name: canonical_value(part) for name, part in value.items()}
    return [canonical_value(part) for part in value] if isinstance(value, list) else value


def table_digest(connection: Connection, table: Table) -> TableDigest:
    count = RunningDigest()
    for row in read_rows(connection, table):
        count.add(row)
    return count.tally


def copy_table(source: Connection, target: Connection, table: Table) -> TableDigest:
    """Copy all rows; returns the digest of what was read."""
    count = RunningDigest()

    def counted() -> Iterator[RowTuple]:
        for row in read_rows(source, table):
            count.add(row)
            yield row

    write_rows(target, table, counted())
    return count.tally


def write_rows(target: Connection, table: Table, rows: Iterator[RowTuple]) -> None:
    if target.dialect.name == "postgresql":
        _copy(target, table, rows)
        return
    while batch := [dict(zip(table.c.keys(), row, strict=True)) for row in islice(rows, AT_ONCE)]:
        target.execute(insert(table), batch)


def read_rows(connection: Connection, table: Table) -> Iterator[RowTuple]:
    streaming = {"stream_results": True, "yield_per": AT_ONCE}
    for row in connection.execute(select(table), execution_options=streaming):
        yield tuple(row)


def _copy(target: Connection, table: Table, rows: Iterator[RowTuple]) -> None:
    from psycopg import Error, InterfaceError, OperationalError  # noqa: PLC0415 - an extra, and at hand if we are here

    conversions = [_conversion(target, column) for column in table.c]
    names = ", ".join(f'"{name}"' for name in table.c.keys())  # noqa: SIM118 - the names, not the columns
    try:
        with (
            target.connection.driver_connection.cursor() as cursor,  # type: ignore[union-attr]
            cursor.copy(f'COPY "{table.name}" ({names}) FROM STDIN') as copy,
        ):
            for row in rows:
                copy.write_row([convert(value) for convert, value in zip(conversions, row, strict=True)])
    except (OperationalError, InterfaceError) as error:
        raise Temporary("database_unavailable", str(error).splitlines()[0]) from error
    except Error as error:
        # Without the message: it may contain data of the row.
        raise Refused(
            "cannot_copy", f"the database refuses a row of {table.name} ({type(error).__name__})"
        ) from error


def _conversion(target: Connection, column: Any) -> Callable[[Any], Any]:
    """The same conversion as for an insert."""
    processor = column.type.dialect_impl(target.dialect).bind_processor(target.dialect)
    return processor or (lambda value: value)


def row_counts(connection: Connection) -> dict[str, int]:
    return {
        table.name: int(connection.scalar(select(func.count()).select_from(table)) or 0)
        for table in metadata.sorted_tables
    }
