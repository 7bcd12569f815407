"""Refined documents with everything that hangs on them, in one transaction."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, delete, select, update

from headwater.model.document import Document
from headwater.model.jobs import Quarantine, RefineResult, State, Task
from headwater.model.keys import group_key
from headwater.store.bulk import insert_rows, update_rows
from headwater.store.claims.leases import FINISHED_VALUES, insert_into, postponed_values
from headwater.store.claims.outbox import open_deliveries
from headwater.store.claims.quarantine import quarantine_rows, remove_from_quarantine
from headwater.store.dedupe.fingerprints import claim_fingerprints
from headwater.store.dedupe.index import stale_documents, store_traces
from headwater.store.in_list import in_list
from headwater.store.rows import document_content
from headwater.store.schema.flow import documents, groups, leads, revisions
from headwater.store.schema.knowledge import edges, facts, mentions, vectors

Rows = Mapping[str, RowMapping]
FLOAT = 4  # bytes


def finish_refine(
    connection: Connection, refined: Sequence[RefineResult], owner: str, now: datetime, settle: timedelta
) -> list[str]:
    _lock_leads(connection, [result.id for result in refined if result.render])
    columns = ("id", "recipe", "state", "revision", "capture_id", "next_capture_id", "attempts", "group_id")
    query = select(*(documents.c[name] for name in columns)).where(
        in_list(documents.c.id, [r.id for r in refined]), documents.c.lease_owner == owner
    )
    locked = query.order_by(documents.c.id).with_for_update()
    mine: Rows = {row["id"]: row for row in connection.execute(locked).mappings().all()}
    results = [result for result in refined if result.id in mine]
    kept = [result.document for result in results if result.state is State.KEPT and result.document]
    traced = [(r.id, r.trace) for r in results if r.trace is not None and r.later is None]
    conflicts = stale_documents(connection, mine[traced[0][0]]["recipe"], traced) if traced else set()
    conflicts |= claim_fingerprints(connection, [d for d in kept if d.id not in conflicts], mine)
    results = [result for result in results if result.id not in conflicts]
    kept = [document for document in kept if document.id not in conflicts]
    if traced := [(document, trace) for document, trace in traced if document not in conflicts]:
        first_time = {r.id for r in results if mine[r.id]["state"] == State.WAITING}
        store_traces(connection, mine[traced[0][0]]["recipe"], traced, first_time)
    _keep_superseded(connection, [r for r in results if r.later is None], mine, now)
    _write_documents(connection, results, mine, now)
    _forget_earlier(connection, [document.id for document in kept if document.revision > 1])
    _write_edges(connection, [r for r in results if not _worse(mine[r.id], r)], now)
    _write_findings(connection, kept)
    _mark_groups(connection, kept, mine, now, settle)
    open_deliveries(
        connection,
        [(r.document, route, "document", r.revision) for r in results if r.document for route in r.routes],
        now,
    )
    _set_apart(connection, results, mine, now)
    _send_to_browser(connection, [r.id for r in results if r.render], now)
    return sorted(conflicts)


def _keep_superseded(
    connection: Connection, results: Sequence[RefineResult], mine: Rows, now: datetime
) -> None:
    """A revision never disappears: neither the one that is replaced nor the one that was not good enough."""
    replaced = [r.id for r in results if mine[r.id]["state"] != State.WAITING and not _worse(mine[r.id], r)]
    if replaced:
        same = (
            "revision",
            "capture_id",
            "state",
            "reason",
            "title",
            "text",
            "published_at",
            "modified_at",
            "trail",
        )
        old = select(documents.c.id, *(documents.c[name] for name in same), documents.c.updated_at).where(
            in_list(documents.c.id, replaced)
        )
        statement = insert_into(connection.dialect, revisions)
        connection.execute(
            statement.from_select(["document_id", *same, "created_at"], old).on_conflict_do_nothing()
        )
    rejected = [r for r in results if _worse(mine[r.id], r)]
    rows = [
        {
            "document_id": r.id,
            "revision": r.revision,
            "capture_id": r.capture,
            "state": r.state,
            "reason": r.reason,
            "title": r.document.title if r.document else "",
            "text": r.document.text if r.document else "",
            "created_at": now,
        }
        for r in rejected
    ]
    insert_rows(connection, revisions, rows)


def _write_documents(
    connection: Connection, results: Sequence[RefineResult], mine: Rows, now: datetime
) -> None:
    update_rows(
        connection, documents, [(result.id, _values(result, mine[result.id], now)) for result in results]
    )


def _values(result: RefineResult, row: RowMapping, now: datetime) -> dict[str, Any]:
    if result.later is not None:
        return postponed_values(documents, result.later.at, result.later.reason, counts=result.later.counts)
    newer = row["next_capture_id"] if _newer_capture(row, result) else None
    again = {"due_at": now, "next_capture_id": newer} if newer else {}
    if _worse(row, result):
        # The page got worse, not the document: the last good revision stays.
        return FINISHED_VALUES | {"next_capture_id": None, "reason": f"revision {result.reason}"} | again
    ended = FINISHED_VALUES | _standing(result, now) | again
    if result.document is None:
        return ended
    return ended | document_content(result.document) | {"group_id": _group_of(result.document)}


def _worse(row: RowMapping, result: RefineResult) -> bool:
    return bool(row["state"] == State.KEPT and result.state is not State.KEPT)


def _newer_capture(row: RowMapping, result: RefineResult) -> bool:
    return bool((row["next_capture_id"] or row["capture_id"]) != result.capture)


def _standing(result: RefineResult, now: datetime) -> dict[str, Any]:
    return {
        "state": result.state,
        "reason": result.reason or None,
        "detail": result.detail or None,
        "duplicate_of": result.of,
        "revision": result.revision,
        "capture_id": result.capture,
        "next_capture_id": None,
        "updated_at": now,
    }


def _group_of(document: Document) -> str | None:
    return None if document.group is None else group_key(document.recipe, document.group)


def _write_edges(connection: Connection, results: Sequence[RefineResult], now: datetime) -> None:
    links = [
        (
            result.id,
            edge.to,
            edge.relation,
            edge.rule,
            edge.score,
            dict(edge.evidence),
            result.document.recipe,
        )
        for result in results
        if result.document
        for edge in result.document.edges
    ] + [
        (
            result.id,
            result.of,
            "duplicate",
            result.reason.removeprefix("duplicate:"),
            1.0 if result.score is None else result.score,
            dict(result.evidence),
            result.document.recipe,
        )
        for result in results
        if result.of and result.document
    ]
    if links:
        names = ("from_id", "to_id", "relation", "rule", "score", "evidence", "recipe")
        rows = [dict(zip(names, link, strict=True)) | {"created_at": now} for link in links]
        insert_rows(connection, edges, rows)


def _forget_earlier(connection: Connection, revised: Sequence[str]) -> None:
    """What an earlier revision said, linked to or was a copy of."""
    if revised:
        connection.execute(delete(mentions).where(in_list(mentions.c.document_id, revised)))
        connection.execute(delete(facts).where(in_list(facts.c.record_id, revised)))
        connection.execute(delete(vectors).where(in_list(vectors.c.document_id, revised)))
        connection.execute(delete(edges).where(in_list(edges.c.from_id, revised)))


def _write_findings(connection: Connection, kept: Sequence[Document]) -> None:
    said = [
        {"record_id": d.id, "name": name, "value": f.value, "step": f.step, "version": f.version}
        for d in kept
        for name, f in d.facts.items()
    ]
    insert_rows(connection, facts, said)
    named = [
        {
            "document_id": d.id,
            "subject_id": m.subject,
            "kind": m.kind,
            "confidence": m.confidence,
            "count": m.count,
            "offsets": m.offsets,
        }
        for d in kept
        for m in d.mentions
    ]
    insert_rows(connection, mentions, named)
    meant = [
        {
            "document_id": d.id,
            "model": d.vector.model,
            "dimensions": len(d.vector.values) // FLOAT,
            "vector": d.vector.values,
        }
        for d in kept
        if d.vector is not None
    ]
    insert_rows(connection, vectors, meant, replacing=("dimensions", "vector"))


def _mark_groups(
    connection: Connection, kept: Sequence[Document], mine: Rows, now: datetime, settle: timedelta
) -> None:
    """A group that got a document is due when it has settled; equal waiting work coalesces in its row."""
    names = {(d.recipe, d.group) for d in kept if d.group is not None}
    left = {mine[d.id]["group_id"] for d in kept if mine[d.id]["group_id"] not in {None, _group_of(d)}}
    rows = [
        {
            "id": group_key(recipe, name),
            "recipe": recipe,
            "name": name,
            "version": 1,
            "created_at": now,
            "due_at": now + settle,
            "attempts": 0,
        }
        for recipe, name in sorted(names, key=lambda group: group_key(*group))
    ]
    if left:
        _lock_groups(connection, {str(row["id"]) for row in rows} | left)
    moved_on = {"due_at": now + settle, "version": groups.c.version + 1, "attempts": 0}
    if rows:
        statement = insert_into(connection.dialect, groups)
        connection.execute(statement.on_conflict_do_update(index_elements=["id"], set_=moved_on), rows)
    if left:
        connection.execute(update(groups).where(in_list(groups.c.id, left)).values(**moved_on))


def _lock_groups(connection: Connection, wanted: set[str]) -> None:
    """In the order of their keys, as everybody does: of two batches that swap groups, neither waits for the other."""
    query = select(groups.c.id).where(in_list(groups.c.id, wanted)).order_by(groups.c.id)
    connection.execute(query.with_for_update())


def _lock_leads(connection: Connection, wanted: Sequence[str]) -> None:
    """Before the documents: a fetch that ends at the same moment takes them in this order too."""
    if wanted:
        connection.execute(select(leads.c.id).where(_lead_of(wanted)).order_by(leads.c.id).with_for_update())


def _send_to_browser(connection: Connection, wanted: Sequence[str], now: datetime) -> None:
    """In the transaction that sets the document aside: killed before it, both are done again; after it, neither."""
    if wanted:
        due = {"render": True, "state": State.WAITING, "due_at": now, "attempts": 0, "reason": None}
        connection.execute(update(leads).where(_lead_of(wanted)).values(**due))


def _lead_of(wanted: Sequence[str]) -> ColumnElement[bool]:
    return leads.c.id.in_(select(documents.c.lead_id).where(in_list(documents.c.id, wanted)))


def _set_apart(connection: Connection, results: Sequence[RefineResult], mine: Rows, now: datetime) -> None:
    revised = [r.id for r in results if mine[r.id]["state"] != State.WAITING and r.later is None]
    remove_from_quarantine(connection, Task.REFINE, revised)
    for state in (State.QUARANTINED, State.ASIDE):
        apart = [
            (r.id, mine[r.id]["attempts"], Quarantine(reason=r.reason, detail=r.detail, evidence=r.evidence))
            for r in results
            if r.state is state and r.later is None
        ]
        if apart:
            quarantine_rows(connection, mine[apart[0][0]]["recipe"], Task.REFINE, apart, now, state=state)
