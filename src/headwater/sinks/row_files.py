"""Rows into one file: JSON lines, CSV or Parquet, as they come, whole or not at all."""

import csv
import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
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
BETWEEN = "; "


def write_json_lines(rows: Iterable[Row], file: BinaryIO) -> int:
    encoder, count = msgspec.json.Encoder(), 0
    for count, row in enumerate(rows, 1):  # noqa: B007 - the last number is the count
        file.write(encoder.encode(row) + b"\n")
    return count


def write_csv(rows: Iterable[Row], file: BinaryIO) -> int:
    """With a line of names first; lists are written as words between semicolons."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    writer, count = csv.writer(text), 0
    for count, row in enumerate(rows, 1):
        if count == 1:
            writer.writerow(row)
        writer.writerow([_plain(value) for value in row.values()])
    text.detach()
    return count


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return BETWEEN.join(str(part) for part in value)
    if isinstance(value, dict):
        return msgspec.json.encode(value).decode()
    return value.isoformat() if isinstance(value, datetime) else value


def write_parquet(rows: Iterable[Row], file: BinaryIO) -> int:
    """In groups of rows, so that memory does not grow with the file. Without rows there is a file without columns."""
    arrow, parquet = _arrow()
    remaining, count = iter(rows), 0
    group = list(islice(remaining, ROW_GROUP))
    schema = arrow.schema([(name, _type(arrow, name, group)) for name in (group[0] if group else {})])
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        while group:
            writer.write_table(arrow.Table.from_pylist([_packed(row) for row in group], schema=schema))
            count += len(group)
            group = list(islice(remaining, ROW_GROUP))
    return count


def _arrow() -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ModuleNotFoundError as error:
        raise Refused(
            "missing_parquet", "Parquet needs a library: install it with `pip install headwater[parquet]`"
        ) from error


def _packed(row: Row) -> dict[str, Any]:
    """What has no column type of its own goes as JSON."""
    return {
        name: msgspec.json.encode(value).decode() if isinstance(value, dict) else value
        for name, value in row.items()
    }


def _type(arrow: Any, name: str, rows: Iterable[Row]) -> Any:
    """By the first value that is there; a column that is empty at first is one of words or, by its name, of moments."""
    found = next((row[name] for row in rows if row[name] not in (None, [], ())), None)
    if name.endswith(("_at", "_on")) or isinstance(found, datetime):
        return arrow.timestamp("us", tz="UTC")
    kinds = {
        bool: arrow.bool_(),
        int: arrow.int64(),
        float: arrow.float64(),
        list: arrow.list_(arrow.string()),
        tuple: arrow.list_(arrow.string()),
    }
    empty_list = any(isinstance(row[name], list | tuple) for row in rows)
    return kinds.get(type(found), arrow.list_(arrow.string()) if empty_list else arrow.string())


WRITERS: Mapping[str, Callable[[Iterable[Row], BinaryIO], int]] = {
    "jsonl": write_json_lines,
    "csv": write_csv,
    "parquet": write_parquet,
}


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file that appears under its name when everything is written and on the disk; nothing is left of a failure."""
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
