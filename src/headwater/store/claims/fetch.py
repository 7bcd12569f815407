"""Fetch: claims leads and stores their captures."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Connection, RowMapping, Select, and_, bindparam, select, update

from headwater.fetch.responses import header_value
from headwater.model.http import Capture
from headwater.model.jobs import Claim, FetchResult, Postponement, Quarantine, State, Task
from headwater.model.page import WITH_WHOLE_TEXT, PageMode, page_state
from headwater.model.source import StoredLead
from headwater.store.bulk import insert_rows, update_rows
from headwater.store.claims.drafts import NewDraft, open_drafts
from headwater.store.claims.leases import ENDED_VALUES, claim_rows, postponed_values
from headwater.store.claims.quarantine import quarantine_rows
from headwater.store.claims.same_page import with_same_pages
from headwater.store.in_list import in_list, in_named_list
from headwater.store.rows import LEAD_COLUMNS, capture_row, lead_from
from headwater.store.schema.flow import captures, documents, leads, sources

HELD_COLUMNS = (
    "id",
    "recipe",
    "source_id",
    "document_id",
    "url",
    "version",
    "attempts",
    "render",
    "is_corrected",
    "capture_id",
    "page_reason",
)


def claim_leads(connection: Connection, claim: Claim) -> list[StoredLead]:
    ids = claim_rows(connection, claim)
    if not ids:
        return []
    claimed_rows = connection.execute(_claimed_rows(), {"ids": ids}).mappings().all()
    return with_same_pages(connection, [_claimed_lead(row) for row in claimed_rows], claim.now)


@cache
def _claimed_rows() -> Select[Any]:
    return (
        select(
            *LEAD_COLUMNS,
            leads.c.updated_at,
            sources.c.kind,
            sources.c.pages,
            documents.c.reason.label("render_reason"),
        )
        .join(sources, sources.c.id == leads.c.source_id)
        .outerjoin(documents, and_(leads.c.render, documents.c.id == leads.c.document_id))
        .where(in_named_list(leads.c.id, "ids"))
        .order_by(leads.c.due_at, leads.c.id)
    )


@cache
def _held_rows() -> Select[Any]:
    columns = [leads.c[name] for name in HELD_COLUMNS]
    query = select(*columns).where(
        in_named_list(leads.c.id, "ids"), leads.c.lease_owner == bindparam("owner")
    )
    return query.order_by(leads.c.id).with_for_update()


def _claimed_lead(row: RowMapping) -> StoredLead:
    mode = None if row["pages"] is None else PageMode(row["pages"])
    return lead_from(
        row,
        render_reason=row["render_reason"],
        updated_at=row["updated_at"],
        source_kind=row["kind"],
        pages=mode,
    )


def finish_fetch(connection: Connection, fetched: Sequence[FetchResult], owner: str, now: datetime) -> None:
    ids = [result.lead for result in fetched]
    locked = connection.execute(_held_rows(), {"ids": ids, "owner": owner})
    held_rows = {row["id"]: row for row in locked.mappings().all()}
    results = [result for result in fetched if result.lead in held_rows]
    fetched_pages = [
        (held_rows[result.lead], result.result) for result in results if isinstance(result.result, Capture)
    ]
    if fetched_pages:
        rows = [capture_row(capture, row["recipe"], row["source_id"]) for row, capture in fetched_pages]
        insert_rows(connection, captures, rows)
        pages = [_new_draft(row, capture.id) for row, capture in fetched_pages]
        open_drafts(connection, pages, now)
    open_drafts(connection, _drafts_without_page(connection, results, held_rows), now)
    _revise_corrected(connection, results, held_rows, now)
    quarantined = [
        (result.lead, held_rows[result.lead]["attempts"], result.result)
        for result in results
        if isinstance(result.result, Quarantine) and held_rows[result.lead]["version"] == result.version
    ]
    if quarantined:
        recipe = held_rows[quarantined[0][0]]["recipe"]
        quarantine_rows(connection, recipe, Task.FETCH, quarantined, now)
    update_rows(
        connection,
        leads,
        [
            (result.lead, _lead_values(result, now) | _refetch_values(result, held_rows[result.lead], now))
            for result in results
        ],
    )


def _new_draft(row: RowMapping, capture: str | None) -> NewDraft:
    return NewDraft(row["document_id"], row["recipe"], row["source_id"], row["id"], row["url"], capture)


def _drafts_without_page(
    connection: Connection, results: Sequence[FetchResult], held_rows: Mapping[str, RowMapping]
) -> list[NewDraft]:
    """The drafts that are made of what their source provided. A document that has its whole text, or whose page was in
    the same state before, stays as it is."""
    rows = [
        held_rows[result.lead]
        for result in results
        if result.no_page is not None
        and held_rows[result.lead]["version"] == result.version
        and not _is_same_state(held_rows[result.lead]["page_reason"], result.no_page)
    ]
    complete = _complete_documents(connection, [row["document_id"] for row in rows])
    return [_new_draft(row, row["capture_id"]) for row in rows if row["document_id"] not in complete]


def _is_same_state(before: str | None, now: str) -> bool:
    return before is not None and page_state(before) == page_state(now)


def _complete_documents(connection: Connection, ids: Collection[str]) -> set[str]:
    if not ids:
        return set()
    query = select(documents.c.id).where(
        in_list(documents.c.id, ids),
        documents.c.state.in_((State.KEPT, State.DUPLICATE)),
        documents.c.page.in_(WITH_WHOLE_TEXT),
    )
    return set(connection.scalars(query))


def _revise_corrected(
    connection: Connection, results: Sequence[FetchResult], held_rows: Mapping[str, RowMapping], now: datetime
) -> None:
    """Documents whose source corrected them, and whose page brought nothing new, are made again from the page they have. A
    worker that is refining one has read the old metadata: it loses its lease, and with it the result."""
    ids = [
        held_rows[result.lead]["document_id"]
        for result in results
        if held_rows[result.lead]["is_corrected"]
        and held_rows[result.lead]["version"] == result.version
        and not isinstance(result.result, Capture)
        and not _stores_nothing_yet(result)
    ]
    if ids:
        due_again = {"due_at": now, "lease_owner": None, "lease_until": None, "attempts": 0}
        connection.execute(update(documents).where(in_list(documents.c.id, sorted(ids))).values(**due_again))


def _stores_nothing_yet(result: FetchResult) -> bool:
    """Whether the page is requested again before anything is stored."""
    return isinstance(result.result, Postponement) and result.no_page is None


def _refetch_values(result: FetchResult, row: RowMapping, now: datetime) -> dict[str, Any]:
    """Reopens a lead that changed, or that a browser was requested for, while it was fetched."""
    due_again = {"state": State.WAITING, "due_at": now, "attempts": 0}
    if row["version"] != result.version:
        # Of the changed entry no document was opened yet, whatever became of the page.
        unchanged = {"is_corrected": row["is_corrected"], "page_reason": row["page_reason"]}
        return due_again | {"render": False} | unchanged
    if row["render"] and not result.was_rendered and not isinstance(result.result, Postponement):
        return due_again
    return {}


def _lead_values(result: FetchResult, now: datetime) -> dict[str, Any]:
    outcome = result.result
    if isinstance(outcome, Postponement):
        values = postponed_values(leads, outcome.at, outcome.reason, counts=outcome.counts)
        stored = {} if result.no_page is None else {"page_reason": result.no_page, "is_corrected": False}
        return values | stored | {"updated_at": now}
    values = ENDED_VALUES | {
        "state": State.DONE,
        "reason": None,
        "is_corrected": False,
        "page_reason": result.no_page,
        "updated_at": now,
    }
    if result.moved_to:
        values["url"] = result.moved_to
    if isinstance(outcome, Quarantine):
        return values | {"state": State.QUARANTINED, "reason": outcome.reason}
    if result.was_rendered:
        values["render"] = False
    if result.drop_reason:
        return values | {"state": State.DROPPED, "reason": result.drop_reason}
    if result.fresh_until is not None:
        values["fresh_until"] = result.fresh_until
    if isinstance(outcome, Capture):
        values |= {
            "capture_id": outcome.id,
            "sha256": outcome.sha256,
            "etag": header_value(outcome.headers, "etag") or None,
            "last_modified": header_value(outcome.headers, "last-modified") or None,
        }
    return values
