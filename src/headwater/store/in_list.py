"""`column IN list` with the list as one parameter, so the statement is the same for lists of any length."""

from collections.abc import Collection
from typing import Any

import msgspec
from sqlalchemy import ARRAY, ColumnElement, Dialect, Integer, Text, bindparam
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import NullType, TypeDecorator


class ListParameter(TypeDecorator[Any]):
    """A list: an array on PostgreSQL, JSON text on SQLite."""

    impl = Text
    cache_ok = True

    def __init__(self, *, numbers: bool = False) -> None:
        super().__init__()
        self.numbers = numbers

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        if dialect.name == "postgresql" and not self.numbers:
            return dialect.type_descriptor(ARRAY(Text()))
        return dialect.type_descriptor(Text())

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        if dialect.name != "postgresql":
            return msgspec.json.encode(list(value)).decode()
        return bigint_array(value) if self.numbers else list(value)


def bigint_array(numbers: Collection[int]) -> str:
    """A PostgreSQL array of integers as text; drivers would send each number separately."""
    return "{" + ",".join(map(str, numbers)) + "}"


class InList(FunctionElement[bool]):
    name = "among"
    # With Boolean, SQLAlchemy adds `= 1` on SQLite, which then scans the whole table.
    type = NullType()  # type: ignore[assignment]
    inherit_cache = True


def in_list(column: ColumnElement[Any], values: Collection[Any]) -> ColumnElement[bool]:
    """True where the column has one of the values, which are all strings or all integers. Of no values, the column says which."""
    numbers = isinstance(next(iter(values), None), int) if values else isinstance(column.type, Integer)
    return InList(column, bindparam(None, values, ListParameter(numbers=numbers), unique=True))


def in_named_list(column: ColumnElement[Any], name: str, *, numbers: bool = False) -> ColumnElement[bool]:
    """The same for a statement that is built once: each execution gives the values, under this name."""
    return InList(column, bindparam(name, type_=ListParameter(numbers=numbers)))


@compiles(InList, "sqlite")
def _in_json(element: InList, compiler: SQLCompiler, **options: Any) -> str:
    column, values = (compiler.process(part, **options) for part in element.clauses)
    return f"({column} IN (SELECT value FROM json_each({values})))"  # noqa: S608 - of compiled parts, no value


@compiles(InList, "postgresql")
def _any_of_array(element: InList, compiler: SQLCompiler, **options: Any) -> str:
    column, values = (compiler.process(part, **options) for part in element.clauses)
    kind = list(element.clauses)[1].type
    if isinstance(kind, ListParameter) and kind.numbers:
        values = f"CAST({values} AS bigint[])"
    return f"({column} = ANY ({values}))"
