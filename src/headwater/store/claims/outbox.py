"""Outbox: deliveries are written with their record and sent afterwards, at least once, each with its idempotency key."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache, lru_cache
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Dialect, RowMapping, Select, bindparam, select

from headwater.model.alarm import Alarm
from headwater.model.document import Document
from headwater.model.jobs import Claim, DeliveredRecord, Delivery, DeliveryResult, State, Task
from headwater.model.keys import delivery_key
from headwater.model.saved_search import Digest
from headwater.model.story import Story
from headwater.store.bulk import PreparedStatement, insert_into, prepare_statement, update_rows
from headwater.store.claims.leases import FINISHED_VALUES, claim_rows, postponed_values
from headwater.store.claims.quarantine import quarantine_rows, remove_from_quarantine
from headwater.store.in_list import in_list, in_named_list
from headwater.store.records import alarms_by_id, documents_by_id, stories_by_id
from headwater.store.schema.flow import deliveries, stories

CloseDigests = Callable[[Connection, Sequence[str], datetime], Mapping[str, Digest]]
"""Returns the digests with these ids, which take no further match."""


def open_deliveries(
    connection: Connection, requests: Sequence[tuple[Document | Story | Alarm, str, str, int]], now: datetime
) -> None:
    """Each request is (record, route, kind of record, revision). A revision that was sent is not sent again."""
    if not requests:
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
            "progress": None,
        }
        for record, route, kind, revision in requests
    ]
    rows.sort(key=itemgetter("id"))  # the order in which finish_deliver locks them
    _upsert_statement(connection.dialect, tuple(rows[0])).run(connection, rows)


@lru_cache(maxsize=16)
def _upsert_statement(dialect: Dialect, columns: tuple[str, ...]) -> PreparedStatement:
    statement = insert_into(dialect, deliveries)
    changes = {
        name: statement.excluded[name] for name in ("revision", "state", "due_at", "attempts", "progress")
    }
    not_sent_yet = deliveries.c.sent_revision < statement.excluded.revision
    upsert = statement.on_conflict_do_update(index_elements=["id"], set_=changes, where=not_sent_yet)
    return prepare_statement(dialect, upsert, columns)


def claim_deliveries(connection: Connection, claim: Claim, close_digests: CloseDigests) -> list[Delivery]:
    ids = claim_rows(connection, claim)
    if not ids:
        return []
    rows = connection.execute(_claimed_rows(), {"ids": ids}).mappings().all()
    records: dict[str, DeliveredRecord] = dict(_records(connection, rows))
    digest_ids = [row["record_id"] for row in rows if row["record_kind"] == "digest"]
    records.update(close_digests(connection, digest_ids, claim.now))
    return [
        Delivery(
            row["id"],
            row["route"],
            row["revision"],
            row["attempts"],
            records.get(row["record_id"]),
            row["progress"] or "",
        )
        for row in rows
    ]


@cache
def _claimed_rows() -> Select[Any]:
    names = ("id", "route", "revision", "attempts", "record_kind", "record_id", "progress")
    columns = [deliveries.c[name] for name in names]
    query = select(*columns).where(in_named_list(deliveries.c.id, "ids"))
    return query.order_by(deliveries.c.due_at, deliveries.c.id)


@cache
def _held_rows() -> Select[Any]:
    columns = [deliveries.c[name] for name in ("id", "recipe", "revision", "attempts", "reason")]
    is_held = deliveries.c.lease_owner == bindparam("owner")
    query = select(*columns).where(in_named_list(deliveries.c.id, "ids"), is_held)
    return query.order_by(deliveries.c.id).with_for_update()


def _records(connection: Connection, rows: Sequence[RowMapping]) -> dict[str, Document | Story | Alarm]:
    """The records to deliver; a story that ended in the meantime is withdrawn."""
    story_ids = [row["record_id"] for row in rows if row["record_kind"] == "story"]
    live_stories = select(stories.c.id).where(in_list(stories.c.id, story_ids), stories.c.state == "live")
    records: dict[str, Document | Story | Alarm] = {}
    records.update(stories_by_id(connection, list(connection.scalars(live_stories)) if story_ids else []))
    document_ids = [row["record_id"] for row in rows if row["record_kind"] == "document"]
    records.update(documents_by_id(connection, document_ids))
    records.update(alarms_by_id(connection, [r["record_id"] for r in rows if r["record_kind"] == "alarm"]))
    return records


def finish_deliver(
    connection: Connection, delivered: Sequence[DeliveryResult], owner: str, now: datetime
) -> None:
    ids = [result.id for result in delivered]
    locked = connection.execute(_held_rows(), {"ids": ids, "owner": owner})
    held_rows = {row["id"]: row for row in locked.mappings()}
    results = [result for result in delivered if result.id in held_rows]
    update_rows(
        connection,
        deliveries,
        [(r.id, _delivery_values(r, held_rows[r.id]["revision"], now)) for r in results],
    )
    remove_from_quarantine(connection, Task.DELIVER, [r.id for r in results if held_rows[r.id]["reason"]])
    quarantined = [
        (r.id, held_rows[r.id]["attempts"], r.quarantine)
        for r in results
        if r.quarantine and held_rows[r.id]["revision"] == r.revision
    ]
    if quarantined:
        quarantine_rows(connection, held_rows[quarantined[0][0]]["recipe"], Task.DELIVER, quarantined, now)


def _delivery_values(result: DeliveryResult, requested_revision: int, now: datetime) -> dict[str, Any]:
    """A revision that was requested meanwhile is still to be sent, whatever happened to this one."""
    has_newer = requested_revision > result.revision
    if result.later is not None:
        later = postponed_values(deliveries, result.later.at, result.later.reason, counts=result.later.counts)
        has_progress = result.progress is not None and not has_newer
        return later | ({"progress": result.progress} if has_progress else {})
    if has_newer and (result.quarantine or result.drop_reason is not None):
        return FINISHED_VALUES | {"state": State.WAITING, "due_at": now}
    if result.quarantine is not None:
        return FINISHED_VALUES | {"state": State.QUARANTINED, "reason": result.quarantine.reason}
    if result.drop_reason is not None:
        return FINISHED_VALUES | {"state": State.DROPPED, "reason": result.drop_reason}
    return FINISHED_VALUES | {
        "state": State.WAITING if has_newer else State.DONE,
        "due_at": now if has_newer else None,
        "sent_revision": result.revision,
        "sent_at": now,
        "receipt": result.receipt,
        "progress": None,
        "reason": None,
    }
