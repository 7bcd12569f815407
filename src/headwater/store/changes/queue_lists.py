"""Items on lists of a Redis server, from which other programs pop. The rows stay the truth: every item on a list has a row.

Being put on a list counts as an attempt. An item that is no longer on its list was popped: it is leased to the program
that popped it, for four hours, until somebody reports success or failure. After that it goes on the list again, unless
nobody ever reports anything for this queue. When the server loses its data, everything that was on a list returns there.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, and_, case, exists, or_, select, update

from headwater.model.errors import Temporary
from headwater.model.ports import QueueItem, RemoteQueues
from headwater.store.changes.queues import FAILED, LEASED, LIST_CONSUMER, WAITING, SqlQueues, end_values
from headwater.store.connect import write_transaction
from headwater.store.in_list import in_list
from headwater.store.schema.operations import queue_items

REPORT_WITHIN = timedelta(minutes=240)
LISTING_LEASE = timedelta(minutes=1)
# Two programs that push at the same time may push in another order than their times say.
ORDER_SLACK = timedelta(minutes=1)
AT_ONCE = 500

Append = Callable[[Sequence[QueueItem]], object]
table = queue_items
_was_listed = and_(table.c.state == WAITING, table.c.listed_at.is_not(None))
_was_popped = and_(table.c.state == LEASED, table.c.lease_owner == LIST_CONSUMER)


@dataclass(frozen=True)
class QueueLists:
    """`append` puts items at the end of their lists; it raises Temporary."""

    rows: SqlQueues
    append: Append

    def push(self, items: Sequence[QueueItem]) -> int:
        """Store items and put the new ones on their lists; returns how many are new."""
        count = self.rows.push(items)
        self._list_due(in_list(table.c.id, [item.id for item in items]))
        return count

    def fill(self, lists: RemoteQueues) -> dict[str, int]:
        """Put every item that is due on its list; returns how many, by queue. Repeating it changes nothing."""
        counts = {queue: self._fill_one(lists, queue) for queue in lists.queues()}
        return {queue: count for queue, count in counts.items() if count}

    def _fill_one(self, lists: RemoteQueues, queue: str) -> int:
        state = lists.list_state(queue)
        listed: frozenset[str] = frozenset() if state.remembers else lists.listed_ids(queue)
        with write_transaction(self.rows.engine) as connection:
            if state.remembers:
                self._mark_popped(connection, queue, state.head)
            else:
                self._return_missing(connection, and_(table.c.queue == queue, _was_listed), listed)
            self._end_unreported(connection, queue)
            self._end_exhausted(connection, queue)
        count = self._list_due(table.c.queue == queue)
        if not state.remembers:
            lists.remember(queue)
        return count

    def refill(self, lists: RemoteQueues, queue: str) -> int:
        """For an operator: put every item without a report on the list that is not on it; returns how many."""
        listed = lists.listed_ids(queue)
        without_report = and_(table.c.queue == queue, or_(_was_listed, _was_popped))
        with write_transaction(self.rows.engine) as connection:
            self._return_missing(connection, without_report, listed)
        return self._list_due(table.c.queue == queue)

    def _mark_popped(self, connection: Connection, queue: str, head: str | None) -> None:
        """A list is first in, first out: what went there before its head has been popped."""
        now = self.rows.clock()
        listed_at = now if head is None else _listed_at(connection, head)
        if listed_at is None:  # another program put the head there
            return
        popped = and_(table.c.queue == queue, _was_listed, table.c.listed_at < listed_at - ORDER_SLACK)
        values = {"state": LEASED, "lease_owner": LIST_CONSUMER, "lease_until": now + REPORT_WITHIN}
        connection.execute(update(table).where(popped).values(**values, listed_at=None))

    def _return_missing(self, connection: Connection, which: Any, listed: frozenset[str]) -> None:
        """The items that are not on the list are due now. It is no fault of theirs, so the attempt does not count."""
        ids = connection.scalars(select(table.c.id).where(which)).all()
        missing = in_list(table.c.id, [item for item in ids if item not in listed])
        fewer = case((table.c.attempts > 0, table.c.attempts - 1), else_=0)
        values = {"state": WAITING, "due_at": self.rows.clock(), "ended_at": None, "listed_at": None}
        unleased = {"lease_owner": None, "lease_until": None}
        connection.execute(update(table).where(missing).values(**values, **unleased, attempts=fewer))

    def _end_unreported(self, connection: Connection, queue: str) -> None:
        """A program that never reports would otherwise get every item five times."""
        has_report = exists().where(
            table.c.queue == queue, table.c.ended_at.is_not(None), table.c.state != LEASED
        )
        if connection.scalar(select(has_report)):
            return
        now = self.rows.clock()
        overdue = and_(table.c.queue == queue, _was_popped, table.c.lease_until <= now)
        connection.execute(update(table).where(overdue).values(due_at=None, ended_at=now))

    def _end_exhausted(self, connection: Connection, queue: str) -> None:
        now = self.rows.clock()
        exhausted = and_(table.c.queue == queue, _is_due(now), table.c.attempts >= self.rows.tries)
        ended = {**end_values(FAILED, now), "reason": "never_acknowledged"}
        connection.execute(update(table).where(exhausted).values(**ended))

    def _list_due(self, which: Any) -> int:
        """Leased while they are put on their lists, so that no other process does the same."""
        total = 0
        while rows := self._claim(which, lease := uuid4().hex):
            items = [
                QueueItem(
                    id=row["id"],
                    queue=row["queue"],
                    recipe=row["recipe"],
                    document=row["document_id"],
                    payload=row["payload"],
                )
                for row in rows
            ]
            listed_at = self.rows.clock()
            try:
                self.append(items)
            except Temporary:
                self._end_claim(lease, {})
                raise
            self._end_claim(
                lease, {"state": WAITING, "listed_at": listed_at, "attempts": table.c.attempts + 1}
            )
            total += len(items)
        return total

    def _claim(self, which: Any, lease: str) -> list[dict[str, Any]]:
        now = self.rows.clock()
        due = select(table).where(which, _is_due(now), table.c.attempts < self.rows.tries)
        ordered = due.order_by(table.c.due_at, table.c.created_at, table.c.id).limit(AT_ONCE)
        with write_transaction(self.rows.engine) as connection:
            if connection.dialect.name == "postgresql":
                ordered = ordered.with_for_update(skip_locked=True)
            rows = [dict(row) for row in connection.execute(ordered).mappings()]
            claimed = update(table).where(in_list(table.c.id, [row["id"] for row in rows]))
            connection.execute(claimed.values(lease_owner=lease, lease_until=now + LISTING_LEASE))
        return rows

    def _end_claim(self, lease: str, values: dict[str, Any]) -> None:
        """An item that was popped and reported in the meantime has no lease any more and stays as it is."""
        with write_transaction(self.rows.engine) as connection:
            claimed = update(table).where(table.c.lease_owner == lease)
            connection.execute(claimed.values(**values, lease_owner=None, lease_until=None))


def _is_due(now: datetime) -> Any:
    unleased = or_(table.c.lease_until.is_(None), table.c.lease_until <= now)
    return and_(table.c.due_at <= now, table.c.listed_at.is_(None), unleased)


def _listed_at(connection: Connection, item: str) -> datetime | None:
    return connection.scalar(select(table.c.listed_at).where(table.c.id == item))
