"""Whether two installations hold the same rows, bodies and delivered files.

Everything is compared except what is named here. A column that is added to the schema is compared from its first day;
a table that is neither in the schema nor named here fails the test.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Engine, Table, inspect, select

from headwater.model.ports import Archive
from headwater.store.connect import read_transaction
from headwater.store.rows import capture_from
from headwater.store.schema.flow import captures
from headwater.store.schema.search import search_metadata
from headwater.store.tables import metadata

Row = dict[str, Any]

# When, by which process, how often and how fast something was done, in any table: compared only for whether it is there.
PASSING = frozenset(
    {
        "created_at", "updated_at", "first_seen_at", "last_polled_at", "last_success_at", "started_at", "ended_at",
        "fetched_at", "fresh_until", "sent_at", "due_at", "lease_owner", "lease_until", "attempts", "elapsed_ms", "step_ms",
    }
)  # fmt: skip
NOT_COMPARED = {
    # What arrived together is stored together. The hash shows that the bytes are the same.
    "captures": {"pack", "start", "length"},
    # A poll has its own id, and a number derived from it.
    "polls": {"id", "number"},
    # The account, the clock and the particulars of a company are as of the poll.
    "observations": {"at"},
}
NOT_FROM_RECIPES = {
    "workers": "which processes are at work, and since when: no result of a recipe",
    "uptime_periods": "when processes gave heartbeats: no result of a recipe",
    "pipeline_runs": "which work was one run: no result of a recipe",
    "maintenance_tasks": "work on a schedule, and which beat leads: no result of a recipe",
    "alembic_version": "the version of the schema",
    "recipe_views": "which views this database has",
    "database_identity": "the name of the database itself, and where it moved",
    **dict.fromkeys(
        (f"search_{name}" for name in ("entries", "segments", "pages", "terms", "vectors", "codes")),
        "made from documents; the tests of searching compare both databases",
    ),
}
POLL_TIMES = frozenset({"polled_at", "wide_at"})
STORY_TIMES = frozenset({"started_at"})
# An account is asked for its orders since a moment, which is part of the address.
SINCE = re.compile(r"(?<=[?&]after=)[^&]+")


def unknown_tables(engine: Engine) -> set[str]:
    """Tables and columns that are not in the schema, and so would not be compared."""
    inspector, unknown = inspect(engine), set[str]()
    tables = {table.name: table for table in (*metadata.sorted_tables, *search_metadata.sorted_tables)}
    for name in inspector.get_table_names():
        if name in tables:
            actual = {column["name"] for column in inspector.get_columns(name)}
            unknown |= {f"{name}.{column}" for column in actual ^ set(tables[name].columns.keys())}
        elif name not in NOT_FROM_RECIPES:
            unknown.add(name)
    return unknown


def stale_exceptions() -> set[str]:
    """Columns that are excluded from the comparison but do not exist."""
    columns = {column.name for table in metadata.sorted_tables for column in table.columns}
    excluded = {(table, column) for table, names in NOT_COMPARED.items() for column in names}
    missing = {
        f"{t}.{c}" for t, c in excluded if t not in metadata.tables or c not in metadata.tables[t].columns
    }
    return missing | (PASSING - columns)


def read_rows(engine: Engine) -> dict[str, list[Row]]:
    with read_transaction(engine) as connection:
        return {
            table.name: [
                _comparable_row(table, dict(row)) for row in connection.execute(select(table)).mappings()
            ]
            for table in metadata.sorted_tables
            if table.name not in NOT_FROM_RECIPES
        }


def _comparable_row(table: Table, row: Row) -> Row:
    passing = PASSING | NOT_COMPARED.get(table.name, set())
    comparable = {name: value is not None if name in passing else value for name, value in row.items()}
    if table.name == "sources" and isinstance(comparable["watermark"], dict):
        comparable["watermark"] = _without_poll_times(comparable["watermark"])
    if table.name == "stories" and isinstance(comparable["attributes"], dict):
        comparable["attributes"] = {
            name: bool(value) if name in STORY_TIMES else value
            for name, value in comparable["attributes"].items()
        }
    if table is captures:
        comparable |= {name: SINCE.sub("…", comparable[name]) for name in ("url", "final_url")}
    return comparable


def _without_poll_times(watermark: Mapping[str, Any]) -> dict[str, Any]:
    """When a source was polled is part of how its delays are learned; what was learned is compared."""
    delays = watermark.get("delays")
    if not isinstance(delays, Mapping):
        return dict(watermark)
    return {**watermark, "delays": {name: delays[name] for name in delays if name not in POLL_TIMES}}


def differences(ours: Mapping[str, Sequence[Row]], theirs: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    for name in sorted(ours.keys() | theirs.keys()):
        table = metadata.tables[name]
        mine, other = _by_key(table, ours[name]), _by_key(table, theirs[name])
        for key in sorted(mine.keys() | other.keys()):
            yield from (
                f"{name} {key}: {difference}" for difference in _row_differences(mine[key], other[key])
            )


def _by_key(table: Table, rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Rows by primary key; where that is excluded, by all columns."""
    passing = PASSING | NOT_COMPARED.get(table.name, set())
    key = [column.name for column in table.primary_key if column.name not in passing]
    rows_by_key = defaultdict(list)
    for row in rows:
        key_values = {name: row[name] for name in key} or row
        rows_by_key[msgspec.json.encode(key_values, order="sorted").decode()].append(row)
    return rows_by_key


def _row_differences(mine: Sequence[Row], other: Sequence[Row]) -> Iterator[str]:
    if len(mine) != len(other):
        yield f"{len(mine)} against {len(other)}"
    for my_row, other_row in zip(mine, other, strict=False):
        yield from (
            f"{name}: {my_row[name]!r} != {other_row[name]!r}"
            for name in my_row
            if my_row[name] != other_row[name]
        )


def read_bodies(engine: Engine, archive: Archive) -> dict[str, bytes]:
    """Bodies by hash, which the archive checks; a lost body is missing."""
    with read_transaction(engine) as connection:
        all_captures = [capture_from(row) for row in connection.execute(select(captures)).mappings()]
    return dict(archive.get(all_captures))


# Moments differ in files too; the seal of a file depends on all of its content, a story's score on the time.
PASSING_IN_FILES = frozenset(
    {
        "extracted_at", "fetched_at", "discovered_at", "last_verified_at", "last_updated", "elapsed_ms", "headwater_seal",
        "scored_at", "score", "components", "started_at",
    }
)  # fmt: skip
# These list their entries in the order of arrival.
IN_ANY_ORDER = frozenset({"urls", "fetches"})


def read_files(folder: Path) -> dict[str, Any]:
    """Files by name: the content of JSON files without passing values, and the bytes of other files."""
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {
        name: _comparable(json.loads(path.read_bytes())) if path.suffix == ".json" else path.read_bytes()
        for name, path in files.items()
    }


def _comparable(value: Any, name: str = "") -> Any:
    if isinstance(value, dict):  # as pairs: their order counts too
        return [(key, key in PASSING_IN_FILES or _comparable(item, key)) for key, item in value.items()]
    if isinstance(value, list):
        items = [_comparable(item) for item in value]
        return sorted(items, key=repr) if name in IN_ANY_ORDER else items
    return repr(value)  # 1 differs from 1.0
