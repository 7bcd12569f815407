"""Whether two installations hold the same: rows, bodies and delivered files.

Everything is compared but what is named here. A column that comes to the schema later is compared from its first day;
a table that nobody named or knows fails the test.
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

# When, by whom and how fast something was done, in any table: all that is compared is whether it is there.
PASSING = frozenset(
    {
        "created_at", "updated_at", "first_seen_at", "last_polled_at", "last_success_at", "started_at", "ended_at",
        "fetched_at", "fresh_until", "sent_at", "due_at", "lease_owner", "lease_until", "elapsed_ms",
    }
)  # fmt: skip
OWN = {
    # What arrived together lies together. That the bytes are the same is seen by their hash.
    "captures": {"pack", "start"},
    # A look has a name of its own, and a number made of it.
    "polls": {"id", "number"},
    # The account, the clock and the particulars of a company are as of the look.
    "observations": {"at"},
}
ELSEWHERE = {
    "maintenance_tasks": "what is done by the clock, and which beat leads: nothing that a recipe makes",
    "alembic_version": "the schema's own",
    "recipe_views": "which views this database has",
    "database_identity": "the name of the database itself, and where it moved",
    "search_vectors": "PostgreSQL's part of searching, made from vectors",
    "search_entries": "made from documents at night; the tests of searching fill it on both databases",
    **dict.fromkeys(
        (
            "search_words",
            *(f"search_words_{part}" for part in ("config", "content", "data", "docsize", "idx")),
        ),
        "SQLite's part of the same",
    ),
}
# An account is asked for its orders since a moment, which is part of the address.
SINCE = re.compile(r"(?<=[?&]after=)[^&]+")


def unknown_tables(engine: Engine) -> set[str]:
    """Tables and columns that the schema does not know, and so nobody would compare."""
    inspector, found = inspect(engine), set[str]()
    known = {table.name: table for table in (*metadata.sorted_tables, *search_metadata.sorted_tables)}
    for name in inspector.get_table_names():
        if name in known:
            there = {column["name"] for column in inspector.get_columns(name)}
            found |= {f"{name}.{column}" for column in there ^ set(known[name].columns.keys())}
        elif name not in ELSEWHERE:
            found.add(name)
    return found


def stale_exceptions() -> set[str]:
    """What is left out though it does not exist."""
    columns = {column.name for table in metadata.sorted_tables for column in table.columns}
    own = {(table, column) for table, some in OWN.items() for column in some}
    lost = {f"{t}.{c}" for t, c in own if t not in metadata.tables or c not in metadata.tables[t].columns}
    return lost | (PASSING - columns)


def read_rows(engine: Engine) -> dict[str, list[Row]]:
    with read_transaction(engine) as connection:
        return {
            table.name: [_shown(table, dict(row)) for row in connection.execute(select(table)).mappings()]
            for table in metadata.sorted_tables
            if table.name not in ELSEWHERE
        }


def _shown(table: Table, row: Row) -> Row:
    passing = PASSING | OWN.get(table.name, set())
    shown = {name: value is not None if name in passing else value for name, value in row.items()}
    if table is captures:
        shown |= {name: SINCE.sub("…", shown[name]) for name in ("url", "final_url")}
    return shown


def differences(ours: Mapping[str, Sequence[Row]], theirs: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    for name in sorted(ours.keys() | theirs.keys()):
        table = metadata.tables[name]
        mine, other = _by_key(table, ours[name]), _by_key(table, theirs[name])
        for key in sorted(mine.keys() | other.keys()):
            yield from (f"{name} {key}: {said}" for said in _apart(mine[key], other[key]))


def _by_key(table: Table, rows: Sequence[Row]) -> dict[str, list[Row]]:
    """By the primary key; where that is left out, by everything."""
    passing = PASSING | OWN.get(table.name, set())
    key = [column.name for column in table.primary_key if column.name not in passing]
    found = defaultdict(list)
    for row in rows:
        named = {name: row[name] for name in key} or row
        found[msgspec.json.encode(named, order="sorted").decode()].append(row)
    return found


def _apart(mine: Sequence[Row], other: Sequence[Row]) -> Iterator[str]:
    if len(mine) != len(other):
        yield f"{len(mine)} against {len(other)}"
    for one, two in zip(mine, other, strict=False):
        yield from (f"{name}: {one[name]!r} != {two[name]!r}" for name in one if one[name] != two[name])


def read_bodies(engine: Engine, archive: Archive) -> dict[str, bytes]:
    """By hash, which was checked; what is lost is missing."""
    with read_transaction(engine) as connection:
        taken = [capture_from(row) for row in connection.execute(select(captures)).mappings()]
    return dict(archive.get(taken))


# In files too, moments pass; the seal of a file is made of all that it says, a story's score of the time as well.
PASSING_IN_FILES = frozenset(
    {
        "extracted_at", "fetched_at", "discovered_at", "last_verified_at", "last_updated", "elapsed_ms", "headwater_seal",
        "scored_at", "score", "components",
    }
)  # fmt: skip
# These tell in the order of arrival.
IN_ANY_ORDER = frozenset({"urls", "fetches"})


def read_files(folder: Path) -> dict[str, Any]:
    """By name: what a JSON file says but for what passes, and the bytes of any other."""
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {
        name: _said(json.loads(path.read_bytes())) if path.suffix == ".json" else path.read_bytes()
        for name, path in files.items()
    }


def _said(value: Any, name: str = "") -> Any:
    if isinstance(value, dict):  # as pairs: their order counts too
        return [(key, key in PASSING_IN_FILES or _said(told, key)) for key, told in value.items()]
    if isinstance(value, list):
        told = [_said(one) for one in value]
        return sorted(told, key=repr) if name in IN_ANY_ORDER else told
    return repr(value)  # 1 is not written as 1.0 is
