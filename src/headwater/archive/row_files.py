"""Writes rows into one file: JSON lines, CSV or Parquet. Rows are streamed; the file appears when it is complete."""

import io
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from headwater.model.errors import Refused, Temporary

Row = Mapping[str, Any]
ROW_GROUP = 2_000
LIST_SEPARATOR = "; "
# Spreadsheets also accept the full-width forms.
FORMULA_STARTS = (*"=+-@＝＋－＠﹦﹢﹣﹫−", "\t", "\r", "\n")
# Spreadsheets of other countries separate by them, whatever the name of the file says.
QUOTED_FOR = re.compile('[,;\t"\r\n]')
# Marks of direction, joiners and blanks without width: a formula after them still runs.
INVISIBLE = "\u00ad\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"


def write_json_lines(rows: Iterable[Row], file: BinaryIO) -> int:
    encoder, count = msgspec.json.Encoder(), 0
    for count, row in enumerate(rows, 1):  # noqa: B007 - the last number is the count
        file.write(encoder.encode(row) + b"\n")
    return count


def write_csv(rows: Iterable[Row], file: BinaryIO) -> int:
    """With a header line. Lists are joined by semicolons. Text that a spreadsheet would run as a formula gets an apostrophe
    in front, because headlines come from untrusted sources."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    count = 0
    for count, row in enumerate(rows, 1):
        if count == 1:
            text.write(_csv_line(row))
        text.write(_csv_line(_plain(value) for value in row.values()))
    text.detach()
    return count


def _csv_line(values: Iterable[Any]) -> str:
    """As `csv` writes it, but with quotes also around a field that has the separator of another country."""
    fields = ["" if value is None else str(value) for value in values]
    quoted = [
        f'"{field.replace(chr(34), chr(34) * 2)}"' if QUOTED_FOR.search(field) else field for field in fields
    ]
    return (",".join(quoted) or '""') + "\r\n"


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, list | tuple) and not any(isinstance(part, list | tuple | dict) for part in value):
        value = LIST_SEPARATOR.join(str(part) for part in value)
    if isinstance(value, list | tuple | dict):
        return msgspec.json.encode(value).decode()
    return f"'{value}" if isinstance(value, str) and _is_formula(value) else value


def _is_formula(text: str) -> bool:
    return text.startswith(FORMULA_STARTS) or text.lstrip(INVISIBLE).startswith(FORMULA_STARTS)


def write_parquet(rows: Iterable[Row], file: BinaryIO) -> int:
    """In row groups, so that memory does not grow with the file. Without rows, the file has no columns."""
    arrow, parquet = _arrow()
    remaining, count = iter(rows), 0
    group = list(islice(remaining, ROW_GROUP))
    kinds = {name: _kind(name, group) for name in (group[0] if group else {})}
    schema = arrow.schema([(name, _arrow_type(arrow, kind)) for name, kind in kinds.items()])
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        while group:
            values = [
                {name: _parquet_value(row[name], kind) for name, kind in kinds.items()} for row in group
            ]
            writer.write_table(arrow.Table.from_pylist(values, schema=schema))
            count += len(group)
            group = list(islice(remaining, ROW_GROUP))
    return count


def _arrow() -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ModuleNotFoundError as error:
        raise Refused(
            "missing_parquet", "Parquet needs a library: install it with `pip install 'headwater[parquet]'`"
        ) from error


def _kind(name: str, rows: Sequence[Row]) -> type:
    """The type of a column by its values so far. A column without values is a timestamp by its name, else text."""
    values = [row[name] for row in rows if row[name] is not None]
    if not values:
        return datetime if name.endswith(("_at", "_on")) else str
    if all(_is_text_list(value) for value in values):
        return list
    kinds = {type(value) for value in values}
    if kinds == {int, float}:
        return float
    return kinds.pop() if len(kinds) == 1 and kinds <= {bool, int, float, datetime} else str


def _is_text_list(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(part, str) for part in value)


def _arrow_type(arrow: Any, kind: type) -> Any:
    kinds = {
        datetime: arrow.timestamp("us", tz="UTC"),
        bool: arrow.bool_(),
        int: arrow.int64(),
        float: arrow.float64(),
        list: arrow.list_(arrow.string()),
    }
    return kinds.get(kind, arrow.string())


def _parquet_value(value: Any, kind: type) -> Any:
    """Values without a column type of their own become JSON."""
    return (
        value
        if value is None or kind is not str or isinstance(value, str)
        else msgspec.json.encode(value).decode()
    )


WRITERS: Mapping[str, Callable[[Iterable[Row], BinaryIO], int]] = {
    "jsonl": write_json_lines,
    "csv": write_csv,
    "parquet": write_parquet,
}


@contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """A file that appears under its name once it is complete and on disk. A failure leaves nothing behind."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with draft.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise Temporary("folder_unwritable", f"{error.strerror}: {path}") from error
    finally:
        with suppress(OSError):
            draft.unlink()
