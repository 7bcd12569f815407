"""Sources and the leads they give."""

from collections.abc import Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any

from sqlalchemy import Connection, select, update

from headwater.model.http import Capture
from headwater.model.jobs import Claim, PollResult, SourceLease, State, Task
from headwater.model.keys import key, positive_number
from headwater.model.source import Bar, Source, StoredLead
from headwater.store.admin.source_list import OPERATOR, adopt_sources
from headwater.store.bulk import insert_rows, update_rows
from headwater.store.claims.drafts import NewDraft, open_drafts
from headwater.store.claims.leases import FINISHED_VALUES, claim_rows, rows_held
from headwater.store.claims.quarantine import remove_from_quarantine
from headwater.store.dedupe.copies import link_leads
from headwater.store.in_list import in_list
from headwater.store.rows import capture_row, lead_row, source_from, source_row
from headwater.store.schema.flow import captures, leads, polls, sources
from headwater.store.schema.knowledge import bars, edges, observations

MEASURES = ("open", "high", "low", "close", "volume", "average", "trades")
REPLACED = (*MEASURES, "capture_id")


def store_series(connection: Connection, result: PollResult, capture: str | None) -> int:
    """Gives how many rows are new. A bar that is told again takes the new figures: the day goes on, or was corrected."""
    if not result.bars and not result.observations:
        return 0
    recipe = str(connection.scalar(select(sources.c.recipe).where(sources.c.id == result.source)))
    rows = [_bar_row(bar, recipe, capture) for bar in result.bars]
    new = insert_rows(connection, bars, rows)
    if new < len(rows):
        insert_rows(connection, bars, rows, replacing=REPLACED)
    seen = [
        {
            "recipe": recipe,
            "kind": one.kind,
            "name": one.name,
            "at": one.at,
            "value": dict(one.value),
            "source_id": result.source,
            "capture_id": capture,
        }
        for one in result.observations
    ]
    return new + insert_rows(connection, observations, seen)


def _bar_row(bar: Bar, recipe: str, capture: str | None) -> dict[str, Any]:
    told = {name: getattr(bar, name) for name in MEASURES}
    return {
        "recipe": recipe,
        "symbol": bar.symbol,
        "span": bar.span,
        "at": bar.at,
        **told,
        "capture_id": capture,
    }


def register(connection: Connection, wanted: Sequence[Source], now: datetime, origin: str) -> int:
    """Make the rows agree with the configuration; what the engine learned about a source stays. Gives the new ones."""
    named = {source.id: source for source in wanted}
    known = set(connection.scalars(select(sources.c.id).where(in_list(sources.c.id, named))))
    fresh = [source for source in named.values() if source.id not in known]
    if fresh:
        born = {
            "created_at": now,
            "updated_at": now,
            "due_at": now,
            "origin": origin,
            "attempts": 0,
            "failures": 0,
        }
        rows = [{**source_row(s), **born, "watermark": dict(s.watermark)} for s in fresh]
        insert_rows(connection, sources, rows)
    for source in named.values():
        if source.id in known:
            values = {
                name: value
                for name, value in source_row(source).items()
                if name not in {"id", "active", "url"}
            }
            connection.execute(update(sources).where(sources.c.id == source.id).values(**values))
    if origin == OPERATOR:
        adopt_sources(connection, sorted(known), now)
    return len(fresh)


def claim_sources(connection: Connection, claim: Claim) -> list[SourceLease]:
    """Due sources, each with a run that begins. A run whose worker died is closed as failed."""
    alive = (sources.c.active, sources.c.stopped.is_(None))
    ids = claim_rows(connection, claim, *alive)
    if not ids:
        return []
    dead = update(polls).where(in_list(polls.c.source_id, ids), polls.c.status == "running")
    connection.execute(dead.values(status="failed", ended_at=claim.now, error="worker_died"))
    rows = connection.execute(
        select(sources).where(in_list(sources.c.id, ids)).order_by(sources.c.due_at)
    ).mappings()
    turns = [
        SourceLease(
            source_from(row),
            key("run", row["id"], claim.now.isoformat(), str(row["attempts"])),
            row["attempts"],
        )
        for row in rows
    ]
    begun = [
        {
            "id": source_lease.run,
            "number": positive_number(source_lease.run),
            "source_number": positive_number(source_lease.source.id),
            "recipe": claim.job.recipe,
            "source_id": source_lease.source.id,
            "status": "running",
            "started_at": claim.now,
            "found_count": 0,
            "new_count": 0,
        }
        for source_lease in turns
    ]
    insert_rows(connection, polls, begun)
    return turns


def store_leads(
    connection: Connection, found: Sequence[StoredLead], capture: str | None, now: datetime
) -> int:
    """Add the new leads, wake the changed ones, leave the known ones alone; gives the number of new ones."""
    unique = {stored.id: stored for stored in found}
    query = select(leads.c.id, leads.c.version, leads.c.state).where(in_list(leads.c.id, unique))
    known = {row.id: row for row in connection.execute(query)}
    fresh = [stored for stored in unique.values() if stored.id not in known]
    changed = [
        stored
        for stored in unique.values()
        if stored.id in known
        and known[stored.id].version != stored.lead.version
        and known[stored.id].state != State.DUPLICATE
    ]
    if fresh:
        _insert(connection, fresh, capture, now)
    if changed:
        _wake(connection, changed, capture, now)
    return len(fresh)


def _insert(connection: Connection, fresh: Sequence[StoredLead], capture: str | None, now: datetime) -> None:
    taken = set(
        connection.scalars(
            select(leads.c.document_id).where(
                in_list(leads.c.document_id, {stored.document for stored in fresh}),
                leads.c.state != State.DUPLICATE,
            )
        )
    )
    first: dict[str, StoredLead] = {}
    for stored in fresh:
        if stored.document not in taken:
            first.setdefault(stored.document, stored)
    winners = list(first.values())
    if winners:
        # In the order of the documents they compete for, so that two transactions never wait for one another.
        rows = [_fresh_row(stored, capture, now) for stored in sorted(winners, key=lambda s: s.document)]
        insert_rows(connection, leads, rows)
        winners = _really_there(connection, winners)
        open_drafts(connection, _openings(winners, capture), now)
    won = {stored.id for stored in winners}
    _insert_duplicates(connection, [stored for stored in fresh if stored.id not in won], capture, now)


def _really_there(connection: Connection, winners: list[StoredLead]) -> list[StoredLead]:
    """Those that another transaction did not forestall by naming the same document a moment earlier."""
    if connection.dialect.name == "sqlite":
        return winners  # writers take turns there
    there = set(connection.scalars(select(leads.c.id).where(in_list(leads.c.id, [s.id for s in winners]))))
    return [stored for stored in winners if stored.id in there]


def _fresh_row(
    stored: StoredLead, capture: str | None, now: datetime, *, due_at: datetime | None = None
) -> dict[str, Any]:
    delivered = stored.lead.body is not None
    return {
        **lead_row(stored),
        "state": State.DONE if delivered else State.WAITING,
        "due_at": None if delivered else due_at or now,
        "capture_id": capture,
        "first_seen_at": now,
        "updated_at": now,
        "render": False,
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
            **_fresh_row(stored, capture, now),
            "state": State.DUPLICATE,
            "due_at": None,
            "reason": "duplicate:url",
        }
        for stored in later
    ]
    insert_rows(connection, leads, rows)
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


def _wake(connection: Connection, changed: Sequence[StoredLead], capture: str | None, now: datetime) -> None:
    fresh = _fresh_until(connection, [s.id for s in changed if s.lead.revisit])
    names = ("id", "recipe", "source_id", "document_id", "identity", "url", "subject_id")
    stays = {*names, "first_seen_at", "render"}
    update_rows(
        connection,
        leads,
        [
            (s.id, {name: value for name, value in row.items() if name not in stays})
            for s in sorted(changed, key=attrgetter("id"))  # as they are locked when they were fetched
            for row in [_fresh_row(s, capture, now, due_at=max(now, fresh.get(s.id, now)))]
        ],
    )
    remove_from_quarantine(connection, Task.FETCH, [stored.id for stored in changed])
    open_drafts(connection, _openings(changed, capture), now)


def _openings(stored: Sequence[StoredLead], capture: str | None) -> list[NewDraft]:
    """Leads that brought their text along need no fetch."""
    return [
        NewDraft(s.document, s.recipe, s.source, s.id, s.lead.url, capture)
        for s in stored
        if s.lead.body is not None
    ]


def _fresh_until(connection: Connection, revisited: Sequence[str]) -> dict[str, datetime]:
    """Until when the last answer of each lead is to be taken at its word. There is no sense in asking sooner."""
    known = select(leads.c.id, leads.c.fresh_until).where(
        in_list(leads.c.id, revisited), leads.c.fresh_until.is_not(None)
    )
    return {row.id: row.fresh_until for row in connection.execute(known)} if revisited else {}


def finish_poll(connection: Connection, polled: Sequence[PollResult], owner: str, now: datetime) -> int:
    mine = rows_held(connection, Task.POLL, [p.source for p in polled], owner)
    new = 0
    for result in polled:
        if result.source in mine:
            new += _finish_one(connection, result, now)
    return new


def _finish_one(connection: Connection, result: PollResult, now: datetime) -> int:
    capture = store_captures(connection, result.source, result.captures)
    new = store_leads(connection, result.leads, capture, now) + store_series(connection, result, capture)
    found = len(result.leads) + len(result.bars) + len(result.observations)
    failed = result.error is not None
    ended: dict[str, Any] = {
        "status": "failed" if failed else "completed",
        "ended_at": now,
        "found_count": polls.c.found_count + found,
        "new_count": polls.c.new_count + new,
        "error": result.error,
        "detail": result.detail or None,
        "http_status": result.status,
        "elapsed_ms": result.elapsed_ms,
        "capture_id": capture,
        "warnings": list(result.warnings),
    }
    connection.execute(update(polls).where(polls.c.id == result.run).values(**ended))
    values: dict[str, Any] = FINISHED_VALUES | {
        "due_at": result.due_at,
        "failures": result.failures,
        "stopped": result.stopped,
        "reason": result.error,
        "last_polled_at": now,
        "updated_at": now,
    }
    if not failed:
        values["last_success_at"] = now
    if not result.active:  # the reverse is for an operator, who may have paused it while it was polled
        values["active"] = False
    if result.watermark is not None:
        values["watermark"] = dict(result.watermark)
    if result.moved_to:
        values["url"] = result.moved_to
    connection.execute(update(sources).where(sources.c.id == result.source).values(**values))
    return new


def store_captures(connection: Connection, source: str, taken: Sequence[Capture]) -> str | None:
    """Gives the key of the last one."""
    if not taken:
        return None
    recipe = connection.scalar(select(sources.c.recipe).where(sources.c.id == source))
    rows = [capture_row(capture, str(recipe), source) for capture in taken]
    insert_rows(connection, captures, rows)
    return taken[-1].id


def add_leads(
    connection: Connection,
    source_lease: SourceLease,
    found: Sequence[StoredLead],
    taken: Sequence[Capture],
    now: datetime,
) -> int:
    """Leads of a look that goes on; counted in its run."""
    new = store_leads(connection, found, store_captures(connection, source_lease.source.id, taken), now)
    counted = {"found_count": polls.c.found_count + len(found), "new_count": polls.c.new_count + new}
    connection.execute(update(polls).where(polls.c.id == source_lease.run).values(**counted))
    return new
