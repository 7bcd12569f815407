"""Queues as rows: popping leases, acknowledging ends, failing sends again later; nothing is lost with a consumer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Any

from sqlalchemy import Engine, and_, case, func, or_, select, update

from headwater.model.errors import Refused, Temporary
from headwater.model.ports import Clock, QueueItem, RemoteQueues
from headwater.store.bulk import insert_rows
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.schema.operations import queue_items

WAITING, LEASED, DONE, FAILED = "waiting", "leased", "done", "failed"
MAX_ATTEMPTS = 5
LEASE = timedelta(minutes=15)
RETRY_DELAY = timedelta(minutes=10)

Record = dict[str, Any]


@dataclass(frozen=True)
class SqlQueues:
    """The queues of one installation. An item is popped at most `tries` times. With a `supply`, items that lie elsewhere
    become rows when somebody asks for more than the rows have."""

    engine: Engine
    clock: Clock
    tries: int = MAX_ATTEMPTS
    supply: RemoteQueues | None = None

    def push(self, items: Sequence[QueueItem]) -> int:
        """Gives how many are new. One that is there already stays as it is, taken or not."""
        now = self.clock()
        rows = [
            {
                "id": one.id,
                "queue": one.queue,
                "recipe": one.recipe,
                "document_id": one.document,
                "payload": dict(one.payload),
                "state": WAITING,
                # Of those that come together the first is still the first.
                "created_at": now + place * timedelta.resolution,
                "due_at": now,
                "attempts": 0,
            }
            for place, one in enumerate(items)
        ]
        with write_transaction(self.engine) as connection:
            return insert_rows(connection, queue_items, rows)

    def pop(self, queue: str, owner: str, limit: int = 1, lease: timedelta = LEASE) -> list[Record]:
        """Lease the oldest due items to a consumer. If it does not acknowledge them in time, they are due again."""
        found = self._lease(queue, owner, limit, lease)
        missing = limit - len(found)
        try:
            if missing and self.supply is not None and self.supply.hand_over(queue, missing, self.push):
                found += self._lease(queue, owner, missing, lease)
        except Temporary:
            if not found:  # what is leased already must reach whom it is leased to
                raise
        return found

    def _lease(self, queue: str, owner: str, limit: int, lease: timedelta) -> list[Record]:
        now, table = self.clock(), queue_items
        with write_transaction(self.engine) as connection:
            free = or_(table.c.lease_until.is_(None), table.c.lease_until <= now)
            due = and_(table.c.queue == queue, table.c.due_at <= now, free)
            worn_out = update(table).where(due, table.c.attempts >= self.tries)
            connection.execute(worn_out.values(**_ended(FAILED, now), reason="never_acknowledged"))
            oldest = (
                select(table).where(due).order_by(table.c.due_at, table.c.created_at, table.c.id).limit(limit)
            )
            if connection.dialect.name == "postgresql":
                oldest = oldest.with_for_update(skip_locked=True)
            found = [dict(row) for row in connection.execute(oldest).mappings()]
            taken = update(table).where(table.c.id.in_([row["id"] for row in found]))
            connection.execute(
                taken.values(
                    state=LEASED, lease_owner=owner, lease_until=now + lease, attempts=table.c.attempts + 1
                )
            )
        return [{**row["payload"], "id": row["id"], "attempt": row["attempts"] + 1} for row in found]

    def peek(self, queue: str, limit: int = 1) -> list[Record]:
        """The next items as they are, without taking them."""
        table = queue_items
        query = select(table).where(table.c.queue == queue, table.c.due_at.is_not(None))
        with read_transaction(self.engine) as connection:
            ordered = query.order_by(table.c.due_at, table.c.created_at, table.c.id).limit(limit)
            found = [dict(row) for row in connection.execute(ordered).mappings()]
        if self.supply is not None and len(found) < limit:
            found += [_elsewhere(queue, payload) for payload in self.supply.peek(queue, limit - len(found))]
        return found

    def ack(self, item: str, result: Mapping[str, Any] | None = None) -> None:
        """The item was dealt with; `result` is what came of it. Doing it twice changes nothing."""
        kept = {"result": dict(result)} if result is not None else {}
        self._end(item, {**_ended(DONE, self.clock()), **kept, "reason": None})

    def fail(self, item: str, reason: str) -> None:
        """It could not be dealt with: due again after a pause, until it was tried often enough."""
        now, table = self.clock(), queue_items
        again = table.c.attempts < self.tries
        self._end(
            item,
            {
                "state": FAILED,
                "due_at": case((again, now + RETRY_DELAY), else_=None),
                "ended_at": now,
                "lease_owner": None,
                "lease_until": None,
                "reason": reason,
            },
        )

    def later(self, item: str, owner: str, delay: timedelta) -> None:
        """Put back what `owner` could not even try, not before `delay`: it does not count as a try."""
        table = queue_items
        held = and_(table.c.id == item, table.c.state == LEASED, table.c.lease_owner == owner)
        values = {"state": WAITING, "due_at": self.clock() + delay, "lease_owner": None, "lease_until": None}
        with write_transaction(self.engine) as connection:
            connection.execute(update(table).where(held).values(**values, attempts=table.c.attempts - 1))

    def _end(self, item: str, values: Mapping[str, Any]) -> None:
        open_items = queue_items.c.state != DONE
        with write_transaction(self.engine) as connection:
            if connection.scalar(select(queue_items.c.id).where(queue_items.c.id == item)) is None:
                raise Refused("unknown_item", f"there is no item '{item}'; see `headwater queue list`")
            connection.execute(
                update(queue_items).where(queue_items.c.id == item, open_items).values(**values)
            )

    def retry(self, queue: str | None = None) -> int:
        """Send again what was given up; gives how many."""
        chosen = [queue_items.c.state == FAILED, queue_items.c.due_at.is_(None)]
        if queue:
            chosen.append(queue_items.c.queue == queue)
        fresh = {"state": WAITING, "due_at": self.clock(), "attempts": 0, "ended_at": None}
        with write_transaction(self.engine) as connection:
            return connection.execute(update(queue_items).where(*chosen).values(**fresh)).rowcount

    def named(self, name: str) -> str:
        """The whole name of the queue that is called so, or whose name ends so."""
        known = [row["queue"] for row in self.counts()]
        matching = [one for one in known if name in (one, one.rpartition(":")[2])]
        if len(matching) != 1:
            told = "there is no queue" if not matching else "several queues end so; give the whole name of"
            raise Refused("unknown_queue", f"{told} '{name}'; there are: {', '.join(known) or 'none yet'}")
        return str(matching[0])

    def counts(self) -> list[Record]:
        """Every queue with how many items stand how."""
        table = queue_items
        query = select(table.c.queue, table.c.state, func.count().label("items")).group_by(
            table.c.queue, table.c.state
        )
        with read_transaction(self.engine) as connection:
            rows = connection.execute(query.order_by(table.c.queue, table.c.state)).all()
        found: dict[str, Record] = {}
        for row in rows:
            found.setdefault(row.queue, _none_of(row.queue))[row.state] = row.items
        for queue, items in (self.supply.waiting() if self.supply else {}).items():
            found.setdefault(queue, _none_of(queue))[WAITING] += items
        return sorted(found.values(), key=itemgetter("queue"))


def _none_of(queue: str) -> Record:
    return {"queue": queue, WAITING: 0, LEASED: 0, DONE: 0, FAILED: 0}


def _elsewhere(queue: str, payload: Mapping[str, Any]) -> Record:
    """An item as a row would show it, were it one."""
    same = {"id": payload.get("id"), "document_id": payload.get("document_id")}
    return {**same, "queue": queue, "payload": dict(payload), "state": WAITING, "attempts": 0}


def _ended(state: str, now: datetime) -> Record:
    return {"state": state, "due_at": None, "ended_at": now, "lease_owner": None, "lease_until": None}
