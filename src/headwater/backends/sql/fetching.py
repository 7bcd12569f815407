"""Leads and the captures they become."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, RowMapping, select

from headwater.backends.sql.among import among
from headwater.backends.sql.bulk import change_rows, insert_rows
from headwater.backends.sql.claims import FINISHED, postponed, take
from headwater.backends.sql.drafts import Opening, open_drafts
from headwater.backends.sql.isolation import quarantine_rows
from headwater.backends.sql.rows import LEAD_COLUMNS, capture_row, lead_from
from headwater.backends.sql.schema import captures, leads
from headwater.model.capture import Capture
from headwater.model.lead import StoredLead
from headwater.model.work import Claim, Fetched, Later, Quarantined, State, Task
from headwater.pure.responses import header


def claim_leads(connection: Connection, claim: Claim) -> list[StoredLead]:
    ids = take(connection, claim)
    if not ids:
        return []
    query = select(*LEAD_COLUMNS).where(among(leads.c.id, ids)).order_by(leads.c.due_at, leads.c.id)
    return [lead_from(row) for row in connection.execute(query).mappings().all()]


def finish_fetch(connection: Connection, fetched: Sequence[Fetched], owner: str, now: datetime) -> None:
    ids = [result.lead for result in fetched]
    columns = ("id", "recipe", "source_id", "document_id", "url", "version", "attempts", "render")
    query = select(*(leads.c[name] for name in columns)).where(
        among(leads.c.id, ids), leads.c.lease_owner == owner
    )
    held = connection.execute(query.order_by(leads.c.id).with_for_update())
    mine = {row["id"]: row for row in held.mappings().all()}
    results = [result for result in fetched if result.lead in mine]
    taken = [(mine[r.lead], r.result) for r in results if isinstance(r.result, Capture)]
    if taken:
        rows = [capture_row(capture, row["recipe"], row["source_id"]) for row, capture in taken]
        insert_rows(connection, captures, rows)
        openings = [
            Opening(r["document_id"], r["recipe"], r["source_id"], r["id"], r["url"], capture.id)
            for r, capture in taken
        ]
        open_drafts(connection, openings, now)
    apart = [
        (r.lead, mine[r.lead]["attempts"], r.result)
        for r in results
        if isinstance(r.result, Quarantined) and mine[r.lead]["version"] == r.version
    ]
    if apart:
        recipe = mine[apart[0][0]]["recipe"]
        quarantine_rows(connection, recipe, Task.FETCH, apart, now)
    change_rows(
        connection,
        leads,
        [(r.lead, _lead_values(r, now) | _still_due(r, mine[r.lead], now)) for r in results],
    )


def _still_due(result: Fetched, row: RowMapping, now: datetime) -> dict[str, Any]:
    """A lead that changed, or that a browser was wanted for, while it was fetched."""
    if row["version"] != result.version:
        return {"state": State.WAITING, "due_at": now, "render": False}
    if row["render"] and not result.rendered and not isinstance(result.result, Later):
        return {"state": State.WAITING, "due_at": now}
    return {}


def _lead_values(result: Fetched, now: datetime) -> dict[str, Any]:
    outcome = result.result
    if isinstance(outcome, Later):
        return postponed(leads, outcome.at, outcome.reason, counts=outcome.counts) | {"updated_at": now}
    values = FINISHED | {"state": State.DONE, "reason": None, "updated_at": now}
    if result.moved_to:
        values["url"] = result.moved_to
    if isinstance(outcome, Quarantined):
        return values | {"state": State.QUARANTINED, "reason": outcome.reason}
    if result.rendered:
        values["render"] = False
    if result.dropped:
        return values | {"state": State.DROPPED, "reason": result.dropped}
    if result.fresh_until is not None:
        values["fresh_until"] = result.fresh_until
    if isinstance(outcome, Capture):
        values |= {
            "capture_id": outcome.id,
            "sha256": outcome.sha256,
            "etag": header(outcome.headers, "etag") or None,
            "last_modified": header(outcome.headers, "last-modified") or None,
        }
    return values
