"""Queues for other programs, as rows. Popping leases an item, so a consumer that dies loses nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Any

from sqlalchemy import ColumnElement, Engine, and_, case, func, or_, select, update

from headwater.model.errors import Refused, Temporary
from headwater.model.ports import Clock, QueueItem, RemoteQueues
from headwater.store.bulk import insert_rows
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.in_list import in_list
from headwater.store.rows import Record
from headwater.store.schema.operations import queue_items

WAITING, LEASED, DONE, FAILED = "waiting", "leased", "done", "failed"
LIST_CONSUMER = "list"
"""Owns the items that other programs popped from a list, until they report."""
MAX_ATTEMPTS = 5
LEASE = timedelta(minutes=15)
RETRY_DELAY = timedelta(minutes=10)


@dataclass(frozen=True)
class SqlQueues:
    """The queues of one installation. An item is popped at most `tries` times. With a `supply`, items from elsewhere
    become rows when the rows do not suffice."""

    engine: Engine
    clock: Clock
    tries: int = MAX_ATTEMPTS
    supply: RemoteQueues | None = None

    def push(self, items: Sequence[QueueItem]) -> int:
        """Returns how many items are new. An item that exists already stays as it is."""
        now = self.clock()
        rows = [
            {
                "id": item.id,
                "queue": item.queue,
                "recipe": item.recipe,
                "document_id": item.document,
                "payload": dict(item.payload),
                "state": WAITING,
                # Keeps the order of items that are pushed together.
                "created_at": now + position * timedelta.resolution,
                "due_at": now,
                "attempts": 0,
            }
            for position, item in enumerate(items)
        ]
        with write_transaction(self.engine) as connection:
            return insert_rows(connection, queue_items, rows)

    def pop(self, queue: str, owner: str, limit: int = 1, lease: timedelta = LEASE) -> list[Record]:
        """Lease the oldest due items to a consumer. Items that are not acknowledged in time are due again."""
        records = self._lease(queue, owner, limit, lease)
        missing = limit - len(records)
        try:
            if missing and self.supply is not None and self.supply.hand_over(queue, missing, self._take_over):
                records += self._lease(queue, owner, missing, lease)
        except Temporary:
            if not records:  # leased items must reach their consumer
                raise
        return records

    def _take_over(self, items: Sequence[QueueItem]) -> None:
        """Items that were on a list are rows of this queue again. Being on the list does not count as an attempt."""
        self.push(items)
        table = queue_items
        was_listed = or_(table.c.listed_at.is_not(None), table.c.lease_owner == LIST_CONSUMER)
        still_open = and_(in_list(table.c.id, [item.id for item in items]), table.c.due_at.is_not(None))
        values = {"state": WAITING, "listed_at": None, "lease_owner": None, "lease_until": None}
        with write_transaction(self.engine) as connection:
            connection.execute(
                update(table).where(still_open, was_listed).values(**values, attempts=table.c.attempts - 1)
            )

    def _lease(self, queue: str, owner: str, limit: int, lease: timedelta) -> list[Record]:
        now, table = self.clock(), queue_items
        due = _is_due(queue, now)
        with write_transaction(self.engine) as connection:
            exhausted = update(table).where(due, table.c.attempts >= self.tries)
            connection.execute(exhausted.values(**end_values(FAILED, now), reason="never_acknowledged"))
            oldest = (
                select(table).where(due).order_by(table.c.due_at, table.c.created_at, table.c.id).limit(limit)
            )
            if connection.dialect.name == "postgresql":
                oldest = oldest.with_for_update(skip_locked=True)
            rows = [dict(row) for row in connection.execute(oldest).mappings()]
            leased = update(table).where(table.c.id.in_([row["id"] for row in rows]))
            connection.execute(
                leased.values(
                    state=LEASED, lease_owner=owner, lease_until=now + lease, attempts=table.c.attempts + 1
                )
            )
        return [{**row["payload"], "id": row["id"], "attempt": row["attempts"] + 1} for row in rows]

    def peek(self, queue: str, limit: int = 1) -> list[Record]:
        """The items that `pop` would return now, without leasing them."""
        table = queue_items
        query = select(table).where(_is_due(queue, self.clock()), table.c.attempts < self.tries)
        with read_transaction(self.engine) as connection:
            ordered = query.order_by(table.c.due_at, table.c.created_at, table.c.id).limit(limit)
            records = [dict(row) for row in connection.execute(ordered).mappings()]
        if self.supply is not None and len(records) < limit:
            records += [
                _supply_record(queue, payload) for payload in self.supply.peek(queue, limit - len(records))
            ]
        return records

    def ack(self, item: str, result: Mapping[str, Any] | None = None) -> None:
        """The item is done; `result` is its outcome. Calling it twice changes nothing."""
        values = {"result": dict(result)} if result is not None else {}
        self._end(item, {**end_values(DONE, self.clock()), **values, "reason": None})

    def report_failure(self, item: str, reason: str) -> None:
        """As `fail`, for a consumer that has to learn that its report came too late."""
        if not self.fail(item, reason):
            raise Refused("item_done", f"item '{item}' is done; it was acknowledged and cannot fail any more")

    def fail(self, item: str, reason: str) -> bool:
        """The item failed: it is due again after a pause, unless it was tried too often. False if it is done: it stays so."""
        now, table = self.clock(), queue_items
        has_attempts_left = table.c.attempts < self.tries
        return self._end(
            item,
            {
                "state": FAILED,
                "due_at": case((has_attempts_left, now + RETRY_DELAY), else_=None),
                "ended_at": now,
                "listed_at": None,
                "lease_owner": None,
                "lease_until": None,
                "reason": reason,
            },
        )

    def postpone(self, item: str, owner: str, delay: timedelta) -> None:
        """Return an item that `owner` could not try. It is due again after `delay`, and the attempt is not counted."""
        table = queue_items
        is_held = and_(table.c.id == item, table.c.state == LEASED, table.c.lease_owner == owner)
        values = {"state": WAITING, "due_at": self.clock() + delay, "lease_owner": None, "lease_until": None}
        with write_transaction(self.engine) as connection:
            connection.execute(update(table).where(is_held).values(**values, attempts=table.c.attempts - 1))

    def _end(self, item: str, values: Mapping[str, Any]) -> bool:
        """Whether the item was open until now."""
        open_items = queue_items.c.state != DONE
        with write_transaction(self.engine) as connection:
            if connection.scalar(select(queue_items.c.id).where(queue_items.c.id == item)) is None:
                raise Refused("unknown_item", f"there is no item '{item}'; see `headwater queue list`")
            is_item = queue_items.c.id == item
            return bool(
                connection.execute(update(queue_items).where(is_item, open_items).values(**values)).rowcount
            )

    def retry(self, queue: str | None = None) -> int:
        """Retry items that failed for good; returns how many."""
        conditions = [queue_items.c.state == FAILED, queue_items.c.due_at.is_(None)]
        if queue:
            conditions.append(queue_items.c.queue == queue)
        values = {"state": WAITING, "due_at": self.clock(), "attempts": 0, "ended_at": None}
        with write_transaction(self.engine) as connection:
            return connection.execute(update(queue_items).where(*conditions).values(**values)).rowcount

    def find_queue(self, name: str) -> str:
        """The full name of the queue with this name or this last part of a name."""
        queues = [row["queue"] for row in self.counts()]
        matches = [queue for queue in queues if name in (queue, queue.rpartition(":")[2])]
        if len(matches) != 1:
            problem = "there is no queue" if not matches else "several queues end so; give the whole name of"
            raise Refused(
                "unknown_queue",
                f"{problem} '{name}'; `headwater queue list` shows: {', '.join(queues) or 'none yet'}",
            )
        return str(matches[0])

    def counts(self) -> list[Record]:
        """The number of items in each state, for every queue. An item whose lease has run out is what the next consumer
        finds: waiting or, after its last attempt, failed."""
        table = queue_items
        is_due_again = table.c.due_at.is_not(None)  # not what a program popped from a list without a report
        lease_ended = and_(table.c.state == LEASED, is_due_again, table.c.lease_until <= self.clock())
        state = case(
            (and_(lease_ended, table.c.attempts < self.tries), WAITING),
            (lease_ended, FAILED),
            else_=table.c.state,
        )
        states = select(table.c.queue, state.label("state"), table.c.listed_at).subquery()
        # Items on a list are counted there.
        unlisted = func.sum(case((states.c.listed_at.is_(None), 1), else_=0)).label("items")
        query = select(states.c.queue, states.c.state, unlisted).group_by(states.c.queue, states.c.state)
        with read_transaction(self.engine) as connection:
            rows = connection.execute(query.order_by(states.c.queue, states.c.state)).all()
        counts_by_queue: dict[str, Record] = {}
        for row in rows:
            counts_by_queue.setdefault(row.queue, _zero_counts(row.queue))[row.state] = row.items
        for queue, items in (self.supply.queue_lengths() if self.supply else {}).items():
            counts_by_queue.setdefault(queue, _zero_counts(queue))[WAITING] += items
        return sorted(counts_by_queue.values(), key=itemgetter("queue"))


def _is_due(queue: str, now: datetime) -> ColumnElement[bool]:
    table = queue_items
    unleased = or_(table.c.lease_until.is_(None), table.c.lease_until <= now)
    return and_(table.c.queue == queue, table.c.due_at <= now, unleased, table.c.listed_at.is_(None))


def _zero_counts(queue: str) -> Record:
    return {"queue": queue, WAITING: 0, LEASED: 0, DONE: 0, FAILED: 0}


def _supply_record(queue: str, payload: Mapping[str, Any]) -> Record:
    """An item of the supply, shown like a row."""
    same = {"id": payload.get("id"), "document_id": payload.get("document_id")}
    return {**same, "queue": queue, "payload": dict(payload), "state": WAITING, "attempts": 0}


def end_values(state: str, now: datetime) -> Record:
    """The columns of an item that is not due again."""
    return {
        "state": state,
        "due_at": None,
        "ended_at": now,
        "listed_at": None,
        "lease_owner": None,
        "lease_until": None,
    }
