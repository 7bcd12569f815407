"""Retention: removes what the policy no longer keeps. Documents are archived to files first."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from io import BytesIO
from typing import Any

from sqlalchemy import Engine

from headwater.app import App
from headwater.archive.record_files import RecordFiles
from headwater.archive.row_files import write_parquet
from headwater.model.errors import Temporary
from headwater.settings.settings import Retention
from headwater.store.maintenance.foreign_tables import (
    count_foreign_rows,
    find_foreign_table,
    remove_foreign_rows,
)
from headwater.store.maintenance.retention import (
    Cutoffs,
    count_old,
    mark_archived,
    oldest_documents,
    remove_alarms,
    remove_captures,
    remove_matches,
    remove_polls,
    remove_queue_items,
    remove_runs,
    remove_summaries,
)

BOOKKEEPING = frozenset(
    {"due_at", "lease_owner", "lease_until", "attempts", "step_ms", "next_capture_id", "source_number"}
)


def retention_cutoffs(policy: Retention, now: datetime) -> Cutoffs:
    """The limit for documents is a midnight: a repeated run on the same day finds the same documents."""
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)

    def before(days: int) -> datetime | None:
        return now - timedelta(days=days) if days else None

    return Cutoffs(
        polls=before(policy.polls),
        runs=before(policy.runs),
        alarms=before(policy.alarms),
        captures=before(policy.captures),
        documents=midnight - timedelta(days=policy.documents) if policy.documents else None,
        queue=before(policy.queue),
        summaries=before(policy.summaries),
        matches=before(policy.matches),
    )


def apply_retention(app: App, *, dry_run: bool = False) -> dict[str, Any]:
    """Returns how many rows of each kind were removed or, with `dry_run`, would be. After a kill the next run continues."""
    engine, cutoffs = app.store.engine, retention_cutoffs(app.settings.retention, app.clock())
    if dry_run:
        tables = _for_each_table(app, count_foreign_rows)
        return {"dry_run": True, **count_old(engine, cutoffs), "tables": tables, "files": []}
    cleaned = clean_tables(app)
    archived, files = archive_documents(app, cutoffs.documents) if cutoffs.documents else (0, [])
    return {
        "dry_run": False,
        **cleaned,
        "runs": remove_runs(engine, cutoffs.runs) if cutoffs.runs else 0,
        "alarms": remove_alarms(engine, cutoffs.alarms) if cutoffs.alarms else 0,
        "captures": remove_captures(engine, cutoffs.captures) if cutoffs.captures else 0,
        "documents": archived,
        "queue": remove_queue_items(engine, cutoffs.queue) if cutoffs.queue else 0,
        "summaries": remove_summaries(engine, cutoffs.summaries) if cutoffs.summaries else 0,
        "matches": remove_matches(engine, cutoffs.matches) if cutoffs.matches else 0,
        "files": files,
    }


def clean_tables(app: App) -> dict[str, Any]:
    """Remove old polls, and old rows of tables of other programs; returns how many."""
    policy, now = app.settings.retention, app.clock()
    removed = remove_polls(app.store.engine, now - timedelta(days=policy.polls)) if policy.polls else 0
    return {"polls": removed, "tables": _for_each_table(app, remove_foreign_rows)}


def _for_each_table(app: App, act: Callable[[Engine, str, datetime], int]) -> dict[str, int]:
    """What an action returns for each table of another program that exists, and for those that the settings name."""
    engine, named = app.store.engine, app.settings.retention.tables
    days_by_table = table_days(app)
    return {
        name: act(engine, name, app.clock() - timedelta(days=days))
        for name, days in days_by_table.items()
        if days and (name in named or find_foreign_table(engine, name) is not None)
    }


def table_days(app: App) -> dict[str, int]:
    """The days to keep the rows of each table of another program: those that the recipes with sources here name, unless the
    settings say otherwise."""
    served = (app.recipes[name] for name in app.catalogue.recipes() if name in app.recipes)
    by_recipes = {table: days for recipe in served for table, days in recipe.tables.items()}
    return by_recipes | app.settings.retention.tables


def archive_documents(app: App, before: datetime) -> tuple[int, list[str]]:
    """Move old documents to Parquet files, one for each recipe and day or a part of it; returns their number and the names of
    the files. A file is written and read back before a row changes. The same rows produce the same file; `headwater sweep`
    removes a file that no row names."""
    archived, files = 0, []
    while rows := oldest_documents(app.store.engine, before):
        name = _write(app.records, rows)
        ids = [(row["id"], row["revision"]) for row in rows]
        marked = mark_archived(app.store.engine, ids, name, app.clock(), app.records.has)
        if not marked:
            break  # all of them changed in the meantime: the next run decides again
        archived += marked
        files.append(name)
    return archived, files


def _write(files: RecordFiles, rows: Sequence[dict[str, Any]]) -> str:
    """Returns the name of the file, which contains the hash of its content."""
    records = [{name: value for name, value in row.items() if name not in BOOKKEEPING} for row in rows]
    buffer = BytesIO()
    count = write_parquet(records, buffer)
    content = buffer.getvalue()
    name = _file_name(rows[0], content)
    files.write(name, content)
    if count != len(rows) or files.read(name) != content:
        raise Temporary("records_incomplete", f"{files.where(name)} does not hold all {len(rows)} documents")
    return name


def _file_name(first: dict[str, Any], data: bytes) -> str:
    part = sha256(data).hexdigest()[:12]
    return f"{first['recipe']}/{first['created_at']:%Y}/{first['created_at']:%Y-%m-%d}-{part}.parquet"
