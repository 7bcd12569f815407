"""Quarantine: records that could not be handled, with their reason and a way back."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, delete

from headwater.model.jobs import Quarantine, State, Task
from headwater.store.bulk import insert_rows
from headwater.store.in_list import in_list
from headwater.store.schema.flow import quarantine


def quarantine_rows(
    connection: Connection,
    recipe: str,
    task: Task,
    apart: Sequence[tuple[str, int, Quarantine]],
    now: datetime,
    *,
    state: State = State.QUARANTINED,
) -> None:
    """Each is (record id, attempts so far, why)."""
    rows = [
        {
            "record_id": record,
            "task": task,
            "recipe": recipe,
            "state": state,
            "reason": why.reason,
            "detail": why.detail,
            "evidence": dict(why.evidence),
            "attempts": attempts,
            "created_at": now,
        }
        for record, attempts, why in apart
    ]
    changes = ("state", "reason", "detail", "evidence", "attempts", "created_at")
    insert_rows(connection, quarantine, rows, replacing=changes)


def remove_from_quarantine(connection: Connection, task: Task, records: Sequence[str]) -> None:
    """They are tried again or have come through: what was wrong with them is over."""
    if records:
        gone = delete(quarantine).where(quarantine.c.task == task, in_list(quarantine.c.record_id, records))
        connection.execute(gone)
