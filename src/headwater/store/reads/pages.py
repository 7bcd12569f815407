"""Pages of long lists: from a position on, newest first, each read along an index.

A list may consist of several ranges of an index (one for each recipe and state). Each range is read in its own query, and
the results are merged: one query with OR would be sorted by the database, row by row.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import islice
from operator import itemgetter
from typing import Any

from sqlalchemy import Column, ColumnElement, Engine, Select, and_, literal, or_, select

from headwater.store.connect import read_transaction
from headwater.store.rows import Record

Position = tuple[Any, ...]
"""The values of the order columns in the last row of a page."""


@dataclass(frozen=True, slots=True)
class RowPage:
    """`next_position` is None at the end of the list."""

    rows: list[Record]
    next_position: Position | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexOrder:
    """The columns of an index after its first ones, none of them NULL. `ranges` are the conditions on the first ones."""

    columns: tuple[Column[Any], ...]
    ranges: Sequence[tuple[ColumnElement[bool], ...]]


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
    """The next rows after a position, in descending order."""
    labels = [f"position_{number}" for number in range(len(order.columns))]
    positions = [column.label(label) for column, label in zip(order.columns, labels, strict=True)]
    query: Select[Any] = select(*columns, *positions)
    for table, condition in joins:
        query = query.join(table, condition, isouter=True)
    query = query.where(*conditions)
    if after is not None:
        query = query.where(_before(order.columns, after))
    query = query.order_by(*(column.desc() for column in order.columns)).limit(limit + 1)
    with read_transaction(engine) as connection:
        ranges = [
            [dict(row) for row in connection.execute(query.where(*conditions)).mappings()]
            for conditions in order.ranges
        ]
    rows = list(islice(merge(*ranges, key=itemgetter(*labels), reverse=True), limit + 1))
    position = tuple(rows[limit - 1][label] for label in labels) if len(rows) > limit else None
    for row in rows:
        for label in labels:
            del row[label]
    return RowPage(rows[:limit], position)


def _before(columns: Sequence[Column[Any]], position: Position) -> ColumnElement[bool]:
    """Written out instead of as a comparison of rows: with the first column bounded, both databases use the index."""
    values = [literal(value, column.type) for column, value in zip(columns, position, strict=True)]
    alternatives = [
        and_(*(columns[place] == values[place] for place in range(number)), columns[number] < values[number])
        for number in range(len(columns))
    ]
    return and_(columns[0] <= values[0], or_(*alternatives))
