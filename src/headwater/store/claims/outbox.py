"""Deliveries: written with the record, sent after it, at least once, each with its idempotency key."""

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Dialect, RowMapping, select

from headwater.model.alarm import Alarm
from headwater.model.document import Document
from headwater.model.jobs import Claim, Delivery, DeliveryResult, State, Task
from headwater.model.keys import delivery_key
from headwater.model.story import Story
from headwater.store.bulk import PreparedStatement, prepare_statement, update_rows
from headwater.store.claims.leases import FINISHED_VALUES, claim_rows, insert_into, postponed_values
from headwater.store.claims.quarantine import quarantine_rows, remove_from_quarantine
from headwater.store.in_list import in_list
from headwater.store.records import alarms_by_id, documents_by_id, stories_by_id
from headwater.store.schema.flow import deliveries, stories


def open_deliveries(
    connection: Connection, wanted: Sequence[tuple[Document | Story | Alarm, str, str, int]], now: datetime
) -> None:
    """Each is (record, route, kind of record, revision). A revision that was sent already is not sent again."""
    if not wanted:
        return
    rows = [
        {
            "id": delivery_key(record.recipe, route, record.id),
            "recipe": record.recipe,
            "route": route,
            "record_kind": kind,
            "record_id": record.id,
            "state": State.WAITING,
            "revision": revision,
            "sent_revision": 0,
            "created_at": now,
            "due_at": now,
            "attempts": 0,
        }
        for record, route, kind, revision in wanted
    ]
    rows.sort(key=itemgetter("id"))  # as they are locked when they were sent
    _opening(connection.dialect, tuple(rows[0])).run(connection, rows)


@lru_cache(maxsize=16)
def _opening(dialect: Dialect, columns: tuple[str, ...]) -> PreparedStatement:
    statement = insert_into(dialect, deliveries)
    again = {name: statement.excluded[name] for name in ("revision", "state", "due_at", "attempts")}
    newer = deliveries.c.sent_revision < statement.excluded.revision
    anew = statement.on_conflict_do_update(index_elements=["id"], set_=again, where=newer)
    return prepare_statement(dialect, anew, columns)


def claim_deliveries(connection: Connection, claim: Claim) -> list[Delivery]:
    ids = claim_rows(connection, claim)
    if not ids:
        return []
    query = (
        select(deliveries).where(in_list(deliveries.c.id, ids)).order_by(deliveries.c.due_at, deliveries.c.id)
    )
    rows = connection.execute(query).mappings().all()
    records = _records(connection, rows)
    return [
        Delivery(row["id"], row["route"], row["revision"], row["attempts"], records.get(row["record_id"]))
        for row in rows
    ]


def _records(connection: Connection, rows: Sequence[RowMapping]) -> dict[str, Document | Story | Alarm]:
    """What is to be delivered; a story that ended in the meantime is withdrawn."""
    told = [row["record_id"] for row in rows if row["record_kind"] == "story"]
    living = select(stories.c.id).where(in_list(stories.c.id, told), stories.c.state == "live")
    records: dict[str, Document | Story | Alarm] = {}
    records.update(stories_by_id(connection, list(connection.scalars(living)) if told else []))
    written = [row["record_id"] for row in rows if row["record_kind"] == "document"]
    records.update(documents_by_id(connection, written))
    records.update(alarms_by_id(connection, [r["record_id"] for r in rows if r["record_kind"] == "alarm"]))
    return records


def finish_deliver(
    connection: Connection, delivered: Sequence[DeliveryResult], owner: str, now: datetime
) -> None:
    ids = [result.id for result in delivered]
    columns = ("id", "recipe", "revision", "attempts", "reason")
    query = select(*(deliveries.c[name] for name in columns)).where(
        in_list(deliveries.c.id, ids), deliveries.c.lease_owner == owner
    )
    locked = query.order_by(deliveries.c.id).with_for_update()
    mine = {row["id"]: row for row in connection.execute(locked).mappings().all()}
    results = [result for result in delivered if result.id in mine]
    update_rows(connection, deliveries, [(r.id, _values(r, mine[r.id]["revision"], now)) for r in results])
    remove_from_quarantine(connection, Task.DELIVER, [r.id for r in results if mine[r.id]["reason"]])
    apart = [
        (r.id, mine[r.id]["attempts"], r.quarantined)
        for r in results
        if r.quarantined and mine[r.id]["revision"] == r.revision
    ]
    if apart:
        quarantine_rows(connection, mine[apart[0][0]]["recipe"], Task.DELIVER, apart, now)


def _values(result: DeliveryResult, wanted: int, now: datetime) -> dict[str, Any]:
    """A revision that came while this one was under way is still to be sent, whatever became of this one."""
    newer = wanted > result.revision
    if result.later is not None:
        return postponed_values(deliveries, result.later.at, result.later.reason, counts=result.later.counts)
    if newer and (result.quarantined or result.dropped is not None):
        return FINISHED_VALUES | {"state": State.WAITING, "due_at": now}
    if result.quarantined is not None:
        return FINISHED_VALUES | {"state": State.QUARANTINED, "reason": result.quarantined.reason}
    if result.dropped is not None:
        return FINISHED_VALUES | {"state": State.DROPPED, "reason": result.dropped}
    return FINISHED_VALUES | {
        "state": State.WAITING if newer else State.DONE,
        "due_at": now if newer else None,
        "sent_revision": result.revision,
        "sent_at": now,
        "receipt": result.receipt,
        "reason": None,
    }
