"""Parquet: columns with types, groups of rows."""

from pathlib import Path
from typing import Any

import pyarrow.parquet
from tests.support.scene import START

from headwater.archive import row_files
from headwater.archive.row_files import WRITERS, atomic_file


def write(rows: Any, folder: Path) -> Path:
    path = folder / "rows.parquet"
    with atomic_file(path) as file:
        WRITERS["parquet"](rows, file)
    return path


def test_c30_parquet_holds_every_value_with_its_type(tmp_path: Path):
    rows = [
        {"id": "1", "authors": [], "score": None, "n": 3, "seen_at": None, "more": {"a": [1]}, "none": None},
        {"id": "2", "authors": ["A", "B"], "score": 0.5, "n": -1, "seen_at": START, "more": {}, "none": None},
    ]
    table = pyarrow.parquet.read_table(write(rows, tmp_path))
    assert {field.name: str(field.type) for field in table.schema} == {
        "id": "string",
        "authors": "list<element: string>",
        "score": "double",
        "n": "int64",
        "seen_at": "timestamp[us, tz=UTC]",
        "more": "string",
        "none": "string",
    }
    stored_rows = table.to_pylist()
    assert [row["authors"] for row in stored_rows] == [[], ["A", "B"]]
    assert stored_rows[1]["seen_at"] == START
    assert stored_rows[0]["more"] == '{"a":[1]}'


def test_c36_parquet_is_written_in_groups(tmp_path: Path):
    rows = ({"id": str(i)} for i in range(2 * row_files.ROW_GROUP + 1))
    parquet_file = pyarrow.parquet.ParquetFile(write(rows, tmp_path))
    assert parquet_file.metadata.num_rows == 2 * row_files.ROW_GROUP + 1
    assert parquet_file.metadata.num_row_groups == 3
    parquet_file.close()


def test_nothing_to_write_is_a_file_without_rows(tmp_path: Path):
    assert pyarrow.parquet.read_table(write([], tmp_path)).num_rows == 0
