"""Pages of long lists: from a position on, in either direction, each read along an index.

A list may consist of several ranges of an index (one for each recipe and state). Each range is read in its own query, and
the results are merged: one query with OR would be sorted by the database, row by row. Rows without a value in the first
column of the order come last, whatever the direction: they are ranges of their own, since the databases disagree about them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import islice
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, Engine, Select, and_, literal, or_, select, true

from headwater.store.connect import read_transaction
from headwater.store.rows import Record

Position = tuple[Any, ...]
"""The values of the order columns in the last row of a page; the first may be None."""


@dataclass(frozen=True, slots=True)
class RowPage:
    """`next_position` is None at the end of the list."""

    rows: list[Record]
    next_position: Position | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexOrder:
    """The columns of an index after its first ones; only the first of them may be NULL. `ranges` are the conditions on the
    first ones."""

    columns: tuple[Column[Any], ...]
    ranges: Sequence[tuple[ColumnElement[bool], ...]]
    is_ascending: bool = False


def read_page(
    engine: Engine,
    columns: Sequence[ColumnElement[Any]],
    order: IndexOrder,
    *,
    conditions: Sequence[ColumnElement[bool]] = (),
    after: Position | None = None,
    limit: int,
    joins: Sequence[tuple[Any, ColumnElement[bool]]] = (),
) -> RowPage:
    """The next rows after a position."""
    labels = [f"position_{number}" for number in range(len(order.columns))]
    positions = [column.label(label) for column, label in zip(order.columns, labels, strict=True)]
    query: Select[Any] = select(*columns, *positions)
    for table, condition in joins:
        query = query.join(table, condition, isouter=True)
    query = query.where(*conditions).order_by(
        *(column.asc() if order.is_ascending else column.desc() for column in order.columns)
    )
    rows: list[Record] = []
    with read_transaction(engine) as connection:
        for part in _parts(order, after):
            if len(rows) <= limit:
                some = query.where(part).limit(limit + 1 - len(rows))
                rows += _merged(connection, some, order, labels, limit + 1 - len(rows))
    position = tuple(rows[limit - 1][label] for label in labels) if len(rows) > limit else None
    for row in rows:
        for label in labels:
            del row[label]
    return RowPage(rows[:limit], position)


def _parts(order: IndexOrder, after: Position | None) -> list[ColumnElement[bool]]:
    """What is left of the list: the rows with a value, then those without one."""
    first, rest = order.columns[0], order.columns[1:]
    if not first.nullable:
        return [true() if after is None else _beyond(order.columns, after, order.is_ascending)]
    if after is None:
        return [first.is_not(None), first.is_(None)]
    if after[0] is None:
        return [and_(first.is_(None), _beyond(rest, after[1:], order.is_ascending))]
    return [_beyond(order.columns, after, order.is_ascending), first.is_(None)]


def _merged(
    connection: Connection, query: Select[Any], order: IndexOrder, labels: Sequence[str], limit: int
) -> list[Record]:
    ranges = [
        [dict(row) for row in connection.execute(query.where(*conditions)).mappings()]
        for conditions in order.ranges
    ]

    def values(row: Record) -> list[Any]:
        """Either all rows of a part have the first one, or none."""
        return [row[label] for label in labels if row[label] is not None]

    return list(islice(merge(*ranges, key=values, reverse=not order.is_ascending), limit))


def _beyond(columns: Sequence[Column[Any]], position: Position, is_ascending: bool) -> ColumnElement[bool]:
    """Written out instead of as a comparison of rows: with the first column bounded, both databases use the index."""
    values = [literal(value, column.type) for column, value in zip(columns, position, strict=True)]
    alternatives = [
        and_(
            *(columns[place] == values[place] for place in range(number)),
            columns[number] > values[number] if is_ascending else columns[number] < values[number],
        )
        for number in range(len(columns))
    ]
    bound = columns[0] >= values[0] if is_ascending else columns[0] <= values[0]
    return and_(bound, or_(*alternatives))
