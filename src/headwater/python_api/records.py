"""Lists of records that become dictionaries, Arrow tables or data frames, and show themselves in a notebook."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from html import escape
from importlib import import_module
from typing import Any, Generic, TypeVar, overload

import msgspec

from headwater.model.errors import Refused

T = TypeVar("T")
SHOWN_ROWS = 20
SHOWN_CHARACTERS = 120
SHOWN_COLUMNS = ("title", "publisher", "published_at", "published", "language", "url", "id")
EXTRAS = {"pyarrow": "headwater[parquet]", "pandas": "pandas", "polars": "polars"}


class RecordList(Sequence[T], Generic[T]):
    """A list of records. `about` is what they belong to, such as a feed. `columns` are the types that a table has whatever is
    in the list, also when it is empty."""

    def __init__(
        self, records: Iterable[T], about: Any = None, columns: Mapping[str, str] | None = None
    ) -> None:
        self._records = list(records)
        self.about = about
        self._columns = columns or {}

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> "RecordList[T]": ...
    def __getitem__(self, index: int | slice) -> "T | RecordList[T]":
        if isinstance(index, slice):
            return RecordList(self._records[index], self.about)
        return self._records[index]

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[T]:
        return iter(self._records)

    def __eq__(self, other: object) -> bool:
        return self._records == (other._records if isinstance(other, RecordList) else other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._records!r})"

    def to_dicts(self) -> list[dict[str, Any]]:
        return [_as_dict(record) for record in self._records]

    def to_arrow(self) -> Any:
        """A pyarrow.Table; needs headwater[parquet]."""
        arrow = _require("pyarrow")
        rows = [_as_row(record) for record in self.to_dicts()]
        if not self._columns:
            return arrow.Table.from_pylist(rows)
        types = {
            "time": arrow.timestamp("us", tz="UTC"),
            "text": arrow.string(),
            "int": arrow.int64(),
            "float": arrow.float64(),
        }
        return arrow.Table.from_pylist(
            rows, arrow.schema([(name, types[kind]) for name, kind in self._columns.items()])
        )

    def to_pandas(self) -> Any:
        """A pandas.DataFrame; needs pandas."""
        return _require("pandas").DataFrame([_as_row(record) for record in self.to_dicts()])

    def to_polars(self) -> Any:
        """A polars.DataFrame; needs polars."""
        rows = [_as_row(record) for record in self.to_dicts()]
        return _require("polars").DataFrame(rows, infer_schema_length=None)

    def _repr_html_(self) -> str:
        rows = self.to_dicts()[:SHOWN_ROWS]
        return table_html(rows, len(self._records))


def _as_dict(record: Any) -> dict[str, Any]:
    if isinstance(record, Mapping):
        return dict(record)
    return asdict(record) if is_dataclass(record) and not isinstance(record, type) else dict(vars(record))


def _as_row(record: Mapping[str, Any]) -> dict[str, Any]:
    """Nested values as JSON text: the columns of a table have one type each."""
    return {
        name: msgspec.json.encode(value).decode() if isinstance(value, Mapping | list | tuple) else value
        for name, value in record.items()
        if not isinstance(value, bytes)
    }


def _require(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise Refused("missing_extra", f"{name} is missing: pip install '{EXTRAS[name]}'") from error


def table_html(rows: Sequence[Mapping[str, Any]], total: int) -> str:
    """An HTML table of the columns that people look at, every value escaped."""
    if not rows:
        return "<p>no records</p>"
    columns = [name for name in SHOWN_COLUMNS if any(row.get(name) for row in rows)] or list(rows[0])[:6]
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(_shorten(row.get(name)))}</td>" for name in columns) + "</tr>"
        for row in rows
    )
    more = f"<p>{len(rows)} of {total} records</p>" if total > len(rows) else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _shorten(value: Any) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"
