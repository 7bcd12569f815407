"""Quarantine: records that could not be processed, with the reason. An operator can retry or drop them."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, delete

from headwater.model.jobs import Quarantine, State, Task
from headwater.store.bulk import insert_rows
from headwater.store.in_list import in_list
from headwater.store.schema.flow import quarantine

# An index of PostgreSQL rejects what is much longer, and a record that cannot be quarantined stops its whole batch.
MAX_REASON_CHARS = 300


def quarantine_rows(
    connection: Connection,
    recipe: str,
    task: Task,
    quarantined: Sequence[tuple[str, int, Quarantine]],
    now: datetime,
    *,
    state: State = State.QUARANTINED,
) -> None:
    """Each entry is (record id, attempts so far, reason)."""
    rows = [
        {
            "record_id": record,
            "task": task,
            "recipe": recipe,
            "state": state,
            "reason": why.reason[:MAX_REASON_CHARS],
            "detail": why.detail,
            "evidence": dict(why.evidence),
            "attempts": attempts,
            "created_at": now,
        }
        for record, attempts, why in quarantined
    ]
    changes = ("state", "reason", "detail", "evidence", "attempts", "created_at")
    insert_rows(connection, quarantine, rows, replacing=changes)


def remove_from_quarantine(connection: Connection, task: Task, records: Sequence[str]) -> None:
    """The records are retried or were processed."""
    if records:
        removal = delete(quarantine).where(
            quarantine.c.task == task, in_list(quarantine.c.record_id, records)
        )
        connection.execute(removal)
