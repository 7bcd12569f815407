"""Many rows changed with few statements."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, bindparam, update


def change_rows(
    connection: Connection, table: Table, changes: Sequence[tuple[str, Mapping[str, Any]]]
) -> None:
    """Set columns by id. Changes of the same columns go out together; only `attempts` may be an SQL expression, and
    such a change goes alone."""
    alike: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    for key, values in changes:
        if isinstance(values.get("attempts"), ColumnElement):
            connection.execute(update(table).where(table.c.id == key).values(**values))
        else:
            alike[tuple(values)].append(
                {"this": key} | {"to_" + name: value for name, value in values.items()}
            )
    for names, rows in alike.items():
        statement = update(table).where(table.c.id == bindparam("this"))
        connection.execute(statement.values({name: bindparam("to_" + name) for name in names}), rows)
