"""Poll: claims sources and stores the leads, captures, bars and observations of their polls."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Any

from sqlalchemy import Connection, Row, delete, select, update

from headwater.fetch.source_secrets import has_references
from headwater.model.http import Capture
from headwater.model.jobs import Claim, PollResult, SourceLease, State, Task
from headwater.model.keys import key, positive_number
from headwater.model.page import may_answer_tomorrow
from headwater.model.source import Bar, Source, StoredLead
from headwater.store.bulk import insert_rows, update_rows
from headwater.store.changes.source_list import OPERATOR, adopt_sources
from headwater.store.claims.drafts import NewDraft, open_drafts
from headwater.store.claims.leases import (
    CONTINUES,
    FINISHED_VALUES,
    claim_rows,
    rows_held,
    unpolled_in_pass,
)
from headwater.store.claims.quarantine import remove_from_quarantine
from headwater.store.claims.watched_pages import (
    lock_watched_leads,
    note_watched_pages,
    revise_watched_pages,
)
from headwater.store.dedupe.copies import link_leads
from headwater.store.dedupe.copy_dates import refine_with_dates
from headwater.store.in_list import in_list
from headwater.store.rows import capture_row, lead_row, source_from, source_row
from headwater.store.schema.flow import captures, leads, polls, sources
from headwater.store.schema.knowledge import bars, edges, observations

MEASURES = ("open", "high", "low", "close", "volume", "average", "trades")
REPLACED = (*MEASURES, "capture_id")
UNREACHABLE_PAUSE = timedelta(days=1)


def store_series(connection: Connection, result: PollResult, capture: str | None) -> int:
    """Returns how many rows are new. A bar that exists takes the new figures: the day is not over, or it was corrected."""
    if not result.bars and not result.observations:
        return 0
    recipe = str(connection.scalar(select(sources.c.recipe).where(sources.c.id == result.source)))
    rows = [_bar_row(bar, recipe, capture) for bar in result.bars]
    new = insert_rows(connection, bars, rows)
    if new < len(rows):
        insert_rows(connection, bars, rows, replacing=REPLACED)
    observation_rows = [
        {
            "recipe": recipe,
            "kind": observation.kind,
            "name": observation.name,
            "at": observation.at,
            "value": dict(observation.value),
            "source_id": result.source,
            "capture_id": capture,
        }
        for observation in result.observations
    ]
    return new + insert_rows(connection, observations, observation_rows)


def _bar_row(bar: Bar, recipe: str, capture: str | None) -> dict[str, Any]:
    measures = {name: getattr(bar, name) for name in MEASURES}
    return {
        "recipe": recipe,
        "symbol": bar.symbol,
        "span": bar.span,
        "at": bar.at,
        **measures,
        "capture_id": capture,
    }


def register_sources(connection: Connection, configured: Sequence[Source], now: datetime, origin: str) -> int:
    """Make the rows agree with the configuration; what the engine learned about a source stays, such as where it moved. One
    whose address refers to a secret never moves. Returns the number of new sources."""
    sources_by_id = {source.id: source for source in configured}
    existing = set(connection.scalars(select(sources.c.id).where(in_list(sources.c.id, sources_by_id))))
    new_sources = [source for source in sources_by_id.values() if source.id not in existing]
    if new_sources:
        initial_values = {
            "created_at": now,
            "updated_at": now,
            "due_at": now,
            "origin": origin,
            "attempts": 0,
            "failures": 0,
        }
        rows = [{**source_row(s), **initial_values, "watermark": dict(s.watermark)} for s in new_sources]
        insert_rows(connection, sources, rows)
    for source in sources_by_id.values():
        if source.id in existing:
            values = {
                name: value
                for name, value in source_row(source).items()
                if name not in {"id", "active"} | (set() if has_references(source.url) else {"url"})
            }
            connection.execute(update(sources).where(sources.c.id == source.id).values(**values))
    if origin == OPERATOR:
        adopt_sources(connection, sorted(existing), now)
    return len(new_sources)


def claim_sources(connection: Connection, claim: Claim) -> list[SourceLease]:
    """Due sources, each with a new row in `polls`. A poll whose worker died is closed as failed."""
    in_pass = () if claim.pass_began is None else (unpolled_in_pass(claim.pass_began),)
    ids = claim_rows(connection, claim, sources.c.active, *in_pass)
    if not ids:
        return []
    interrupted = update(polls).where(in_list(polls.c.source_id, ids), polls.c.status == "running")
    connection.execute(interrupted.values(status="failed", ended_at=claim.now, error="worker_died"))
    rows = connection.execute(
        select(sources).where(in_list(sources.c.id, ids)).order_by(sources.c.due_at)
    ).mappings()
    turns = [
        SourceLease(
            source_from(row),
            key("poll", row["id"], claim.now.isoformat(), str(row["attempts"])),
            row["attempts"],
        )
        for row in rows
    ]
    poll_rows = [
        {
            "id": source_lease.poll_id,
            "number": positive_number(source_lease.poll_id),
            "source_number": positive_number(source_lease.source.id),
            "recipe": claim.job.recipe,
            "source_id": source_lease.source.id,
            "status": "running",
            "started_at": claim.now,
            "item_count": 0,
            "new_count": 0,
        }
        for source_lease in turns
    ]
    insert_rows(connection, polls, poll_rows)
    return turns


def store_leads(
    connection: Connection, polled_leads: Sequence[StoredLead], capture: str | None, now: datetime
) -> int:
    """Add new leads, reopen changed ones and leave the others alone; returns the number of new leads."""
    leads_by_id = {stored.id: stored for stored in polled_leads}
    columns = ("id", "version", "state", "page_reason", "updated_at")
    query = select(*(leads.c[name] for name in columns)).where(in_list(leads.c.id, leads_by_id))
    rows_by_id = {row.id: row for row in connection.execute(query)}
    new_leads = [stored for stored in leads_by_id.values() if stored.id not in rows_by_id]
    other_versions = [
        stored
        for stored in leads_by_id.values()
        if stored.id in rows_by_id and rows_by_id[stored.id].version != stored.lead.version
    ]
    changed_leads = [s for s in other_versions if rows_by_id[s.id].state != State.DUPLICATE]
    changed_copies = [s for s in other_versions if rows_by_id[s.id].state == State.DUPLICATE]
    lock_watched_leads(connection, [s for s in (*new_leads, *other_versions) if s.lead.watched])
    if new_leads:
        _insert_leads(connection, new_leads, capture, now)
    if changed_leads:
        _reopen_leads(connection, changed_leads, capture, now)
    revise_watched_pages(connection, [s for s in changed_copies if s.lead.watched], capture, now)
    changed_ids = {stored.id for stored in changed_leads}
    _fetch_again(connection, [row for row in rows_by_id.values() if row.id not in changed_ids], now)
    return len(new_leads)


def _fetch_again(connection: Connection, rows: Sequence[Row[Any]], now: datetime) -> None:
    """A page that may answer another time is requested once a day for as long as its source lists it."""
    ids = [
        row.id
        for row in rows
        if row.state == State.DONE
        and row.page_reason is not None
        and may_answer_tomorrow(row.page_reason)
        and row.updated_at <= now - UNREACHABLE_PAUSE
    ]
    if ids:
        values = {"state": State.WAITING, "due_at": now, "attempts": 0}
        connection.execute(update(leads).where(in_list(leads.c.id, ids)).values(**values))


def _insert_leads(
    connection: Connection, new_leads: Sequence[StoredLead], capture: str | None, now: datetime
) -> None:
    claimed_documents = set(
        connection.scalars(
            select(leads.c.document_id).where(
                in_list(leads.c.document_id, {stored.document for stored in new_leads}),
                leads.c.state != State.DUPLICATE,
            )
        )
    )
    first_by_document: dict[str, StoredLead] = {}
    for stored in new_leads:
        if stored.document not in claimed_documents:
            first_by_document.setdefault(stored.document, stored)
    winners = list(first_by_document.values())
    if winners:
        rows = [_new_lead_row(stored, capture, now) for stored in sorted(winners, key=_order(connection))]
        insert_rows(connection, leads, rows)
        winners = _stored_winners(connection, winners)
        open_drafts(connection, _new_drafts(winners, capture), now)
    winner_ids = {stored.id for stored in winners}
    _insert_duplicates(
        connection, [stored for stored in new_leads if stored.id not in winner_ids], capture, now
    )


def _order(connection: Connection) -> Callable[[StoredLead], str]:
    """In the order of the documents they compete for, so that two transactions never deadlock. On SQLite, where writers take turns,
    in the order in which they will be claimed: leads of one batch then lie on the same pages."""
    return attrgetter("id") if connection.dialect.name == "sqlite" else attrgetter("document")


def _stored_winners(connection: Connection, winners: list[StoredLead]) -> list[StoredLead]:
    """The leads that no other transaction preceded with the same document."""
    if connection.dialect.name == "sqlite":
        return winners  # writers take turns there
    stored_ids = set(
        connection.scalars(select(leads.c.id).where(in_list(leads.c.id, [s.id for s in winners])))
    )
    return [stored for stored in winners if stored.id in stored_ids]


def _new_lead_row(
    stored: StoredLead, capture: str | None, now: datetime, *, due_at: datetime | None = None
) -> dict[str, Any]:
    delivered = stored.lead.is_complete
    return {
        **lead_row(stored),
        "state": State.DONE if delivered else State.WAITING,
        "due_at": None if delivered else due_at or now,
        "capture_id": capture,
        "first_seen_at": now,
        "updated_at": now,
        "render": False,
        "page_reason": None,
        "is_corrected": False,
        "attempts": 0,
        "reason": None,
    }


def _insert_duplicates(
    connection: Connection, later: Sequence[StoredLead], capture: str | None, now: datetime
) -> None:
    if not later:
        return
    rows = [
        {
            **_new_lead_row(stored, capture, now),
            "state": State.DUPLICATE,
            "due_at": None,
            "body": None,  # the lead that came first has the text
            "reason": "duplicate:url",
        }
        for stored in later
    ]
    insert_rows(connection, leads, rows)
    note_watched_pages(connection, [stored for stored in later if stored.lead.watched], now)
    links = [
        {
            "from_id": stored.id,
            "to_id": stored.document,
            "relation": "duplicate",
            "recipe": stored.recipe,
            "rule": "url",
            "score": 1.0,
            "evidence": {"url": stored.lead.url, "source": stored.source, "subject": stored.lead.subject},
            "created_at": now,
        }
        for stored in later
    ]
    insert_rows(connection, edges, links)
    link_leads(connection, sorted({stored.document for stored in later}))
    dated = {stored.document for stored in later if stored.lead.published is not None}
    refine_with_dates(connection, sorted(dated), now)


def _reopen_leads(
    connection: Connection, changed_leads: Sequence[StoredLead], capture: str | None, now: datetime
) -> None:
    fresh_until = _fresh_until(connection, [s.id for s in changed_leads if s.lead.revisit])
    corrected_ids = _corrected_leads(connection, changed_leads)
    names = ("id", "recipe", "source_id", "document_id", "identity", "url", "subject_id")
    unchanged = {*names, "first_seen_at", "render"}
    update_rows(
        connection,
        leads,
        [
            (
                s.id,
                {name: value for name, value in row.items() if name not in unchanged}
                | {"is_corrected": s.id in corrected_ids},
            )
            for s in sorted(changed_leads, key=attrgetter("id"))  # the order in which finish_fetch locks them
            for row in [_new_lead_row(s, capture, now, due_at=max(now, fresh_until.get(s.id, now)))]
        ],
    )
    remove_from_quarantine(connection, Task.FETCH, [stored.id for stored in changed_leads])
    open_drafts(connection, _new_drafts(changed_leads, capture), now)


def _corrected_leads(connection: Connection, changed_leads: Sequence[StoredLead]) -> set[str]:
    """The leads whose source corrected what it says about them. Their documents get a new revision even if the page is
    unchanged, or cannot be fetched any more."""
    new_values = {s.id: _metadata(s.lead.title, s.lead.published, s.lead.hints) for s in changed_leads}
    columns = (leads.c.id, leads.c.title, leads.c.published_at, leads.c.hints, leads.c.is_corrected)
    rows = connection.execute(select(*columns).where(in_list(leads.c.id, new_values))).all()
    return {
        row.id
        for row in rows
        if row.is_corrected or _metadata(row.title, row.published_at, row.hints) != new_values[row.id]
    }


def _metadata(title: str | None, published: datetime | None, hints: Mapping[str, Any]) -> tuple[Any, ...]:
    return title, published, hints.get("summary"), list(hints.get("authors", ()))


def _new_drafts(stored: Sequence[StoredLead], capture: str | None) -> list[NewDraft]:
    """Leads that came with their text need no fetch."""
    return [
        NewDraft(s.document, s.recipe, s.source, s.id, s.lead.url, capture)
        for s in stored
        if s.lead.is_complete
    ]


def _fresh_until(connection: Connection, revisited: Sequence[str]) -> dict[str, datetime]:
    """Until when the last response of each lead is fresh; a fetch before that is useless."""
    query = select(leads.c.id, leads.c.fresh_until).where(
        in_list(leads.c.id, revisited), leads.c.fresh_until.is_not(None)
    )
    return {row.id: row.fresh_until for row in connection.execute(query)} if revisited else {}


def finish_poll(connection: Connection, polled: Sequence[PollResult], owner: str, now: datetime) -> int:
    held_sources = rows_held(connection, Task.POLL, [p.source for p in polled], owner)
    new = 0
    for result in polled:
        if result.source in held_sources:
            new += _finish_one(connection, result, now)
    return new


def _finish_one(connection: Connection, result: PollResult, now: datetime) -> int:
    capture = store_captures(connection, result.source, result.captures)
    new_count = store_leads(connection, result.leads, capture, now) + store_series(
        connection, result, capture
    )
    item_count = len(result.leads) + len(result.bars) + len(result.observations)
    failed = result.error is not None
    poll_values: dict[str, Any] = {
        "status": "failed" if failed else "completed",
        "ended_at": now,
        "item_count": polls.c.item_count + item_count,
        "new_count": polls.c.new_count + new_count,
        "error": result.error,
        "detail": result.detail or None,
        "http_status": result.status,
        "elapsed_ms": result.elapsed_ms,
        "capture_id": capture,
        "warnings": list(result.warnings),
    }
    if result.is_postponed:
        never_began = delete(polls).where(polls.c.id == result.poll_id, polls.c.item_count == 0)
        connection.execute(never_began)
    connection.execute(update(polls).where(polls.c.id == result.poll_id).values(**poll_values))
    values: dict[str, Any] = FINISHED_VALUES | {
        "due_at": result.due_at,
        "failures": result.failures,
        "stop_reason": result.stop_reason,
        "reason": result.error or (CONTINUES if result.continues else None),
        "updated_at": now,
    }
    if not result.is_postponed:
        values["last_polled_at"] = now
    if not failed:
        values["last_success_at"] = now
    if not result.active:  # only an operator sets it to True, possibly during the poll
        values["active"] = False
    if result.watermark is not None:
        values["watermark"] = dict(result.watermark)
    if result.moved_to:
        values["url"] = result.moved_to
    connection.execute(update(sources).where(sources.c.id == result.source).values(**values))
    return new_count


def store_captures(connection: Connection, source: str, new_captures: Sequence[Capture]) -> str | None:
    """Returns the key of the last capture."""
    if not new_captures:
        return None
    recipe = connection.scalar(select(sources.c.recipe).where(sources.c.id == source))
    rows = [capture_row(capture, str(recipe), source) for capture in new_captures]
    insert_rows(connection, captures, rows)
    return new_captures[-1].id


def add_leads(
    connection: Connection,
    source_lease: SourceLease,
    polled_leads: Sequence[StoredLead],
    new_captures: Sequence[Capture],
    now: datetime,
) -> int:
    """Leads of a poll that continues, counted in its row."""
    new_count = store_leads(
        connection, polled_leads, store_captures(connection, source_lease.source.id, new_captures), now
    )
    counts = {
        "item_count": polls.c.item_count + len(polled_leads),
        "new_count": polls.c.new_count + new_count,
    }
    connection.execute(update(polls).where(polls.c.id == source_lease.poll_id).values(**counts))
    return new_count
