"""Maintenance tasks: scheduled work that one of all workers does. If it dies, another one takes over."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Engine, or_, select, update

from headwater.model.keys import key, positive_number
from headwater.store.bulk import insert_into
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.schema.operations import maintenance_tasks


@dataclass(frozen=True)
class MaintenanceTasks:
    engine: Engine

    def register(self, due: Mapping[str, datetime], now: datetime) -> None:
        """Add tasks that do not exist yet, due at these times."""
        rows = [
            {
                "name": name,
                "number": positive_number(key("maintenance_task", name)),
                "due_at": at,
                "status": "PENDING",
            }
            | {"created_at": now}
            for name, at in due.items()
        ]
        with write_transaction(self.engine) as connection:
            connection.execute(
                insert_into(connection.dialect, maintenance_tasks).on_conflict_do_nothing(), rows
            )

    def claim(self, name: str, owner: str, now: datetime, lease: timedelta, *, early: bool = False) -> bool:
        """Lease a task that is due, or with `early` at once; returns whether it is leased now."""
        claimable = update(maintenance_tasks).where(
            maintenance_tasks.c.name == name,
            or_(maintenance_tasks.c.lease_until.is_(None), maintenance_tasks.c.lease_until <= now),
        )
        if not early:
            claimable = claimable.where(maintenance_tasks.c.due_at <= now)
        values = {"lease_owner": owner, "lease_until": now + lease, "started_at": now, "ended_at": None}
        with write_transaction(self.engine) as connection:
            return connection.execute(claimable.values(**values, status="RUNNING")).rowcount == 1

    def lease_owners(self) -> set[str]:
        """All owners of a lease."""
        query = select(maintenance_tasks.c.lease_owner).where(maintenance_tasks.c.lease_owner.is_not(None))
        with read_transaction(self.engine) as connection:
            return {str(owner) for owner in connection.scalars(query)}

    def release_owners(self, owners: Collection[str]) -> None:
        """Release the tasks of these owners."""
        held_tasks = update(maintenance_tasks).where(maintenance_tasks.c.lease_owner.in_(owners))
        with write_transaction(self.engine) as connection:
            connection.execute(held_tasks.values(lease_owner=None, lease_until=None))

    def finish(
        self,
        name: str,
        owner: str,
        *,
        now: datetime,
        due_at: datetime,
        result: Mapping[str, Any],
        failed: bool,
    ) -> None:
        """End a task that is leased to the owner. One that failed keeps its last result, and the error is added to it: the
        next run goes on from there."""
        values = {"lease_owner": None, "lease_until": None, "ended_at": now, "due_at": due_at}
        held_task = update(maintenance_tasks).where(
            maintenance_tasks.c.name == name, maintenance_tasks.c.lease_owner == owner
        )
        status = "FAILED" if failed else "COMPLETED"
        last_result = select(maintenance_tasks.c.result).where(maintenance_tasks.c.name == name)
        with write_transaction(self.engine) as connection:
            kept_result = (connection.scalar(last_result) or {}) if failed else {}
            connection.execute(held_task.values(**values, status=status, result={**kept_result, **result}))

    def last_result(self, name: str) -> Mapping[str, Any] | None:
        """What the task last returned, with the error if it failed since; None before it first ended."""
        query = select(maintenance_tasks.c.result).where(maintenance_tasks.c.name == name)
        with read_transaction(self.engine) as connection:
            return connection.scalar(query)

    def has_due(self, names: Collection[str], now: datetime) -> bool:
        """Whether one of these tasks is due and not leased."""
        unleased = or_(maintenance_tasks.c.lease_until.is_(None), maintenance_tasks.c.lease_until <= now)
        due = select(maintenance_tasks.c.name).where(
            maintenance_tasks.c.name.in_(sorted(names)), maintenance_tasks.c.due_at <= now, unleased
        )
        with read_transaction(self.engine) as connection:
            return connection.execute(due.limit(1)).first() is not None

    def hold(self, name: str, owner: str, now: datetime, lease: timedelta) -> str | None:
        """Take or renew a lease that has no due time; returns its owner, None before the task is registered."""
        claimable = or_(
            maintenance_tasks.c.lease_owner == owner,
            maintenance_tasks.c.lease_until.is_(None),
            maintenance_tasks.c.lease_until <= now,
        )
        values = {"lease_owner": owner, "lease_until": now + lease, "status": "RUNNING"}
        with write_transaction(self.engine) as connection:
            if connection.execute(
                update(maintenance_tasks).where(maintenance_tasks.c.name == name, claimable).values(**values)
            ).rowcount:
                return owner
            return connection.scalar(
                select(maintenance_tasks.c.lease_owner).where(maintenance_tasks.c.name == name)
            )

    def release(self, name: str, owner: str) -> None:
        """Release it, so that another owner can hold it at once."""
        held_task = update(maintenance_tasks).where(
            maintenance_tasks.c.name == name, maintenance_tasks.c.lease_owner == owner
        )
        with write_transaction(self.engine) as connection:
            connection.execute(held_task.values(lease_owner=None, lease_until=None, status="PENDING"))
