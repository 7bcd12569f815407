"""The nightly clean-up: what the policy no longer keeps is removed, documents are moved to files first."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from io import BytesIO
from typing import Any

from headwater.app import App
from headwater.archive.record_files import RecordFiles
from headwater.model.errors import Temporary
from headwater.settings.settings import Retention
from headwater.sinks.row_files import write_parquet
from headwater.store.maintenance.retention import (
    Cutoffs,
    count_old,
    mark_archived,
    oldest_documents,
    remove_alarms,
    remove_captures,
    remove_polls,
    remove_queue_items,
    remove_summaries,
)

BOOKKEEPING = frozenset(
    {"due_at", "lease_owner", "lease_until", "attempts", "next_capture_id", "source_number"}
)


def retention_cutoffs(policy: Retention, now: datetime) -> Cutoffs:
    """Documents go by whole days: a clean-up that is done again, at whatever hour, finds the same ones of a day."""
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)

    def before(days: int) -> datetime | None:
        return now - timedelta(days=days) if days else None

    return Cutoffs(
        polls=before(policy.polls),
        alarms=before(policy.alarms),
        captures=before(policy.captures),
        documents=midnight - timedelta(days=policy.documents) if policy.documents else None,
        queue=before(policy.queue),
        summaries=before(policy.summaries),
    )


def apply_retention(app: App, *, dry_run: bool = False) -> dict[str, Any]:
    """Gives how much of each kind went, or would go. Killed anywhere, the next one goes on."""
    engine, old = app.store.engine, retention_cutoffs(app.settings.retention, app.clock())
    if dry_run:
        return {"dry_run": True, **count_old(engine, old), "files": []}
    moved, files = archive_documents(app, old.documents) if old.documents else (0, [])
    return {
        "dry_run": False,
        "polls": remove_polls(engine, old.polls) if old.polls else 0,
        "alarms": remove_alarms(engine, old.alarms) if old.alarms else 0,
        "captures": remove_captures(engine, old.captures) if old.captures else 0,
        "documents": moved,
        "queue": remove_queue_items(engine, old.queue) if old.queue else 0,
        "summaries": remove_summaries(engine, old.summaries) if old.summaries else 0,
        "files": files,
    }


def archive_documents(app: App, before: datetime) -> tuple[int, list[str]]:
    """Old documents into Parquet files, one for a recipe and a day or a part of it. The file is in its place, and was
    looked at, before a row changes; the same rows again give the same file. One that no row came to name is swept."""
    moved, files = 0, []
    while rows := oldest_documents(app.store.engine, before):
        name = _write(app.records, rows)
        ids = [(row["id"], row["revision"]) for row in rows]
        done = mark_archived(app.store.engine, ids, name, app.clock(), app.records.has)
        if not done:
            break  # all of them changed under our hands: the next clean-up will see
        moved += done
        files.append(name)
    return moved, files


def _write(files: RecordFiles, rows: Sequence[dict[str, Any]]) -> str:
    """Gives its name, which other bytes never have."""
    kept = [{name: value for name, value in row.items() if name not in BOOKKEEPING} for row in rows]
    made = BytesIO()
    count = write_parquet(kept, made)
    name = _file_name(rows[0], made.getvalue())
    files.write(name, made.getvalue())
    if count != len(rows) or files.read(name) != made.getvalue():
        raise Temporary("records_incomplete", f"{files.where(name)} does not hold all {len(rows)} documents")
    return name


def _file_name(first: dict[str, Any], data: bytes) -> str:
    part = sha256(data).hexdigest()[:12]
    return f"{first['recipe']}/{first['created_at']:%Y}/{first['created_at']:%Y-%m-%d}-{part}.parquet"
