"""Watched pages whose address another source stored: their changes become revisions of the document that has the address."""

from collections.abc import Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any

from sqlalchemy import Connection, Row, select

from headwater.model.jobs import State, Task
from headwater.model.source import StoredLead
from headwater.store.bulk import update_rows
from headwater.store.claims.drafts import NewDraft, open_drafts
from headwater.store.claims.quarantine import remove_from_quarantine
from headwater.store.in_list import in_list
from headwater.store.schema.flow import leads

OWNER_COLUMNS = (
    "id", "recipe", "source_id", "document_id", "url", "version", "state", "sha256", "fresh_until", "lease_owner",
)  # fmt: skip


def lock_watched_leads(connection: Connection, watched: Sequence[StoredLead]) -> None:
    """Locks the leads that have the documents before anything is written, in the order in which finish_fetch locks them, so
    that the two never deadlock."""
    _owners(connection, watched)


def note_watched_pages(connection: Connection, watched: Sequence[StoredLead], now: datetime) -> None:
    """Pages that a source began to watch. They may have changed since they were stored: those are fetched again."""
    owners = _owners(connection, watched)
    _fetch_pages(connection, [(s, owners[s.document]) for s in watched if _has_page(owners, s)], now)


def revise_watched_pages(
    connection: Connection, changed: Sequence[StoredLead], capture: str | None, now: datetime
) -> None:
    """Pages that changed. The lead that has the document fetches its page again; if it never had a page, because its source
    delivers the text, it takes the text that the watching source read."""
    if not changed:
        return
    owners = _owners(connection, changed)
    delivered = [
        s for s in changed if s.document in owners and s.lead.is_complete and not _has_page(owners, s)
    ]
    delivered_ids = {s.id for s in delivered}
    to_fetch = [s for s in changed if s.document in owners and s.id not in delivered_ids]
    _fetch_pages(connection, [(s, owners[s.document]) for s in to_fetch], now)
    _take_texts(connection, [(s, owners[s.document]) for s in delivered], capture, now)
    update_rows(
        connection,
        leads,
        [
            (s.id, {"version": s.lead.version, "title": s.lead.title, "updated_at": now})
            for s in sorted(changed, key=attrgetter("id"))
        ],
    )


def _owners(connection: Connection, watched: Sequence[StoredLead]) -> dict[str, Row[Any]]:
    """The leads that have the documents, by document; locked."""
    if not watched:
        return {}
    query = select(*(leads.c[name] for name in OWNER_COLUMNS)).where(
        in_list(leads.c.document_id, sorted({s.document for s in watched})), leads.c.state != State.DUPLICATE
    )
    rows = connection.execute(query.order_by(leads.c.id).with_for_update(of=leads))
    return {row.document_id: row for row in rows}


def _has_page(owners: dict[str, Row[Any]], stored: StoredLead) -> bool:
    owner = owners.get(stored.document)
    return owner is not None and owner.sha256 is not None


def _fetch_pages(connection: Connection, pairs: Sequence[tuple[StoredLead, Row[Any]]], now: datetime) -> None:
    by_owner = {owner.id: _fetch_values(stored, owner, now) for stored, owner in pairs}
    if by_owner:
        update_rows(connection, leads, sorted(by_owner.items()))
        remove_from_quarantine(connection, Task.FETCH, sorted(by_owner))


def _fetch_values(stored: StoredLead, owner: Row[Any], now: datetime) -> dict[str, Any]:
    fresh_until = owner.fresh_until if stored.lead.revisit else None
    values = {
        "state": State.WAITING,
        "due_at": max(now, fresh_until or now),
        "attempts": 0,
        "updated_at": now,
    }
    if owner.lease_owner is None:
        return values
    # The fetch that is running may have read the earlier page: another version makes it due again.
    return {"version": f"{owner.version}+{stored.lead.version}"}


def _take_texts(
    connection: Connection, pairs: Sequence[tuple[StoredLead, Row[Any]]], capture: str | None, now: datetime
) -> None:
    by_owner = {owner.id: (stored, owner) for stored, owner in pairs}
    if not by_owner:
        return
    update_rows(
        connection,
        leads,
        [(id_, _text_values(stored, capture, now)) for id_, (stored, _) in sorted(by_owner.items())],
    )
    remove_from_quarantine(connection, Task.FETCH, sorted(by_owner))
    drafts = [
        NewDraft(owner.document_id, owner.recipe, owner.source_id, owner.id, owner.url, capture)
        for _, owner in by_owner.values()
    ]
    open_drafts(connection, drafts, now)


def _text_values(stored: StoredLead, capture: str | None, now: datetime) -> dict[str, Any]:
    return {
        "body": stored.lead.body,
        "body_type": stored.lead.body_type,
        "teaser": False,
        "state": State.DONE,
        "due_at": None,
        "capture_id": capture,
        "reason": None,
        "updated_at": now,
    }
