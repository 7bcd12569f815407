"""Refine: writes documents and everything that depends on them, in one transaction."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache, lru_cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Dialect,
    RowMapping,
    Select,
    bindparam,
    delete,
    select,
    update,
)

from headwater.model.document import Document
from headwater.model.jobs import Quarantine, RefineResult, State, Task
from headwater.model.keys import group_key
from headwater.model.page import PageState, has_whole_text
from headwater.search.matching import SearchedDocument
from headwater.store.bulk import PreparedStatement, insert_into, insert_rows, prepare_statement, update_rows
from headwater.store.claims.group_changes import record_group_changes
from headwater.store.claims.leases import ENDED_VALUES, postponed_values
from headwater.store.claims.outbox import open_deliveries
from headwater.store.claims.quarantine import quarantine_rows, remove_from_quarantine
from headwater.store.dedupe.copy_dates import check_copy_dates
from headwater.store.dedupe.fingerprints import claim_fingerprints
from headwater.store.dedupe.index import stale_documents, store_dedupe_records
from headwater.store.dedupe.superseded import end_superseded, lock_with_others, superseded_parts
from headwater.store.in_list import in_list, in_named_list
from headwater.store.rows import document_content, fact_rows, mention_row, vector_row
from headwater.store.schema.flow import documents, groups, leads, revisions
from headwater.store.schema.knowledge import edges, facts, mentions, vectors
from headwater.store.search.entries import index_kept_documents, remove_entries

Rows = Mapping[str, RowMapping]
GroupMember = tuple[str, str]  # a group and a document


def finish_refine(
    connection: Connection, refined: Sequence[RefineResult], owner: str, now: datetime, settle: timedelta
) -> tuple[list[str], list[tuple[Document, SearchedDocument]]]:
    """Returns the ids that must be decided again, and the documents that are kept now, with their terms and keys."""
    _lock_leads(connection, [result.id for result in refined if result.render])
    lock_with_others(connection, refined)
    locked = connection.execute(_held_rows(), {"ids": [r.id for r in refined], "owner": owner})
    held_rows: Rows = {row["id"]: row for row in locked.mappings().all()}
    results = [result for result in refined if result.id in held_rows]
    kept_documents = [result.document for result in results if result.state is State.KEPT and result.document]
    superseded = superseded_parts(connection, kept_documents, now)
    dedupe_records = [
        (r.id, r.dedupe_record) for r in results if r.dedupe_record is not None and r.later is None
    ]
    conflicts = (
        stale_documents(connection, held_rows[dedupe_records[0][0]]["recipe"], dedupe_records)
        if dedupe_records
        else set()
    )
    conflicts |= superseded.contested
    conflicts |= claim_fingerprints(
        connection, [d for d in kept_documents if d.id not in conflicts], held_rows
    )
    results = [result for result in results if result.id not in conflicts]
    kept_documents = [document for document in kept_documents if document.id not in conflicts]
    if dedupe_records := [
        (document, record) for document, record in dedupe_records if document not in conflicts
    ]:
        first_time = {r.id for r in results if held_rows[r.id]["state"] == State.WAITING}
        store_dedupe_records(
            connection, held_rows[dedupe_records[0][0]]["recipe"], dedupe_records, first_time
        )
    _keep_superseded(connection, [r for r in results if r.later is None], held_rows, now)
    _write_documents(connection, results, held_rows, now)
    _delete_earlier_findings(
        connection, [document.id for document in kept_documents if document.revision > 1]
    )
    _write_edges(connection, [r for r in results if not _is_worse(held_rows[r.id], r)], now)
    _write_findings(connection, kept_documents)
    searched = index_kept_documents(connection, kept_documents, now)
    remove_entries(connection, _ended_documents(results, held_rows))
    superseded = superseded.without(conflicts)
    end_superseded(connection, superseded, now)
    departures = _departures(results, held_rows) | superseded.departures
    _mark_groups(connection, kept_documents, held_rows, now, settle=settle, departures=departures)
    open_deliveries(
        connection,
        [(r.document, route, "document", r.revision) for r in results if r.document for route in r.routes],
        now,
    )
    _write_quarantine(connection, results, held_rows, now)
    _send_to_browser(connection, [r.id for r in results if r.render], now)
    check_copy_dates(connection, results, now)
    return sorted(conflicts), searched


@cache
def _held_rows() -> Select[Any]:
    columns = (
        "id", "recipe", "state", "revision", "capture_id", "next_capture_id", "attempts", "group_id", "page",
    )  # fmt: skip
    conditions = (in_named_list(documents.c.id, "ids"), documents.c.lease_owner == bindparam("owner"))
    query = select(*(documents.c[name] for name in columns)).where(*conditions)
    return query.order_by(documents.c.id).with_for_update()


def _keep_superseded(
    connection: Connection, results: Sequence[RefineResult], held_rows: Rows, now: datetime
) -> None:
    """Every revision is kept: the one that is replaced, and the one that was rejected."""
    replaced = [
        r.id
        for r in results
        if held_rows[r.id]["state"] != State.WAITING and not _is_worse(held_rows[r.id], r)
    ]
    if replaced:
        shared_columns = (
            "revision",
            "capture_id",
            "state",
            "reason",
            "page",
            "title",
            "text",
            "published_at",
            "modified_at",
            "trail",
        )
        old = select(
            documents.c.id, *(documents.c[name] for name in shared_columns), documents.c.updated_at
        ).where(in_list(documents.c.id, replaced))
        statement = insert_into(connection.dialect, revisions)
        connection.execute(
            statement.from_select(
                ["document_id", *shared_columns, "created_at"], old
            ).on_conflict_do_nothing()
        )
    rejected = [r for r in results if _is_worse(held_rows[r.id], r)]
    rows = [
        {
            "document_id": r.id,
            "revision": r.revision,
            "capture_id": r.capture,
            "state": r.state,
            "reason": r.reason,
            "page": r.document.page if r.document else "",
            "title": r.document.title if r.document else "",
            "text": r.document.text if r.document else "",
            "created_at": now,
        }
        for r in rejected
    ]
    insert_rows(connection, revisions, rows)


def _write_documents(
    connection: Connection, results: Sequence[RefineResult], held_rows: Rows, now: datetime
) -> None:
    update_rows(
        connection,
        documents,
        [(result.id, _document_values(result, held_rows[result.id], now)) for result in results],
    )


def _document_values(result: RefineResult, row: RowMapping, now: datetime) -> dict[str, Any]:
    if result.later is not None:
        return postponed_values(documents, result.later.at, result.later.reason, counts=result.later.counts)
    newer_capture = row["next_capture_id"] if _has_newer_capture(row, result) else None
    reopened = {"due_at": now, "attempts": 0, "next_capture_id": newer_capture} if newer_capture else {}
    if _is_worse(row, result):
        # The page got worse, not the document: the last good revision stays.
        return ENDED_VALUES | {"next_capture_id": None, "reason": f"revision {result.reason}"} | reopened
    values = {**ENDED_VALUES, **_state_values(result, now), **reopened}
    if result.document is not None:
        values |= document_content(result.document)
        values["group_id"] = _group_of(result.document)
    return values


def _is_worse(row: RowMapping, result: RefineResult) -> bool:
    """Whether the document stays as it is. One without its whole text may turn out to be a copy of another; and what the source
    itself delivers as the new text, such as a page that is watched, is the document now, even if another has it, too."""
    if row["state"] != State.KEPT or result.state is State.KEPT:
        return False
    if result.state is not State.DUPLICATE:
        return True
    is_from_source = result.document is not None and result.document.page == PageState.NOT_NEEDED
    return has_whole_text(row["page"]) and not is_from_source


def _has_newer_capture(row: RowMapping, result: RefineResult) -> bool:
    return bool((row["next_capture_id"] or row["capture_id"]) != result.capture)


def _state_values(result: RefineResult, now: datetime) -> dict[str, Any]:
    return {
        "state": result.state,
        "reason": result.reason or None,
        "detail": result.detail or None,
        "duplicate_of": result.of,
        "revision": result.revision,
        "capture_id": result.capture,
        "next_capture_id": None,
        "step_ms": dict(result.step_ms),
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


def _delete_earlier_findings(connection: Connection, revised: Sequence[str]) -> None:
    """Mentions, facts, vectors and edges of an earlier revision."""
    if revised:
        connection.execute(delete(mentions).where(in_list(mentions.c.document_id, revised)))
        connection.execute(delete(facts).where(in_list(facts.c.record_id, revised)))
        connection.execute(delete(vectors).where(in_list(vectors.c.document_id, revised)))
        connection.execute(delete(edges).where(in_list(edges.c.from_id, revised)))


def _write_findings(connection: Connection, kept_documents: Sequence[Document]) -> None:
    insert_rows(connection, facts, [row for document in kept_documents for row in fact_rows(document)])
    insert_rows(
        connection, mentions, [mention_row(d.id, mention) for d in kept_documents for mention in d.mentions]
    )
    vector_rows = [
        vector_row(d.id, d.vector.model, d.vector.values) for d in kept_documents if d.vector is not None
    ]
    insert_rows(connection, vectors, vector_rows, replacing=("dimensions", "vector"))


def _mark_groups(
    connection: Connection,
    kept_documents: Sequence[Document],
    held_rows: Rows,
    now: datetime,
    *,
    settle: timedelta,
    departures: set[GroupMember],
) -> None:
    """A group that got or lost a document is due when it has settled. Further documents only move the due time."""
    names = {(d.recipe, d.group) for d in kept_documents if d.group is not None}
    departures = departures | {
        (held_rows[d.id]["group_id"], d.id)
        for d in kept_documents
        if held_rows[d.id]["group_id"] not in {None, _group_of(d)}
    }
    left_groups = {group for group, _ in departures}
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
    if left_groups:
        _lock_groups(connection, {str(row["id"]) for row in rows} | left_groups)
    if rows:
        _upsert_groups(connection.dialect, tuple(rows[0])).run(connection, rows)
    if left_groups:
        changes = {"due_at": now + settle, "version": groups.c.version + 1, "attempts": 0}
        connection.execute(update(groups).where(in_list(groups.c.id, left_groups)).values(**changes))
    arrivals = {(group_key(d.recipe, d.group), d.id) for d in kept_documents if d.group is not None}
    record_group_changes(connection, departures | arrivals, now)


@lru_cache(maxsize=16)
def _upsert_groups(dialect: Dialect, columns: tuple[str, ...]) -> PreparedStatement:
    """A new group has the version 1, which is added to that of an existing one."""
    statement = insert_into(dialect, groups)
    new = statement.excluded
    changes = {"due_at": new.due_at, "version": groups.c.version + new.version, "attempts": new.attempts}
    return prepare_statement(
        dialect, statement.on_conflict_do_update(index_elements=["id"], set_=changes), columns
    )


def _departures(results: Sequence[RefineResult], held_rows: Rows) -> set[GroupMember]:
    """The groups of documents that were kept and turned out to be copies, with these documents."""
    return {
        (held_rows[r.id]["group_id"], r.id)
        for r in results
        if r.state is State.DUPLICATE
        and held_rows[r.id]["state"] == State.KEPT
        and held_rows[r.id]["group_id"] is not None
    }


def _ended_documents(results: Sequence[RefineResult], held_rows: Rows) -> list[str]:
    """Documents that were kept before and no longer are."""
    return [
        r.id
        for r in results
        if r.later is None
        and r.state is not State.KEPT
        and held_rows[r.id]["state"] == State.KEPT
        and not _is_worse(held_rows[r.id], r)
    ]


def _lock_groups(connection: Connection, group_ids: set[str]) -> None:
    """All transactions lock groups in the order of their keys, so that two batches never deadlock."""
    query = select(groups.c.id).where(in_list(groups.c.id, group_ids)).order_by(groups.c.id)
    connection.execute(query.with_for_update())


def _lock_leads(connection: Connection, document_ids: Sequence[str]) -> None:
    """Leads are locked before documents, as a fetch that finishes at the same time does."""
    if document_ids:
        connection.execute(
            select(leads.c.id).where(_is_lead_of(document_ids)).order_by(leads.c.id).with_for_update()
        )


def _send_to_browser(connection: Connection, document_ids: Sequence[str], now: datetime) -> None:
    """In the transaction that sets the document aside, so that a crash undoes or keeps both."""
    if document_ids:
        due = {"render": True, "state": State.WAITING, "due_at": now, "attempts": 0, "reason": None}
        connection.execute(update(leads).where(_is_lead_of(document_ids)).values(**due))


def _is_lead_of(document_ids: Sequence[str]) -> ColumnElement[bool]:
    return leads.c.id.in_(select(documents.c.lead_id).where(in_list(documents.c.id, document_ids)))


def _write_quarantine(
    connection: Connection, results: Sequence[RefineResult], held_rows: Rows, now: datetime
) -> None:
    revised = [r.id for r in results if held_rows[r.id]["state"] != State.WAITING and r.later is None]
    remove_from_quarantine(connection, Task.REFINE, revised)
    for state in (State.QUARANTINED, State.ASIDE):
        quarantined = [
            (
                r.id,
                held_rows[r.id]["attempts"],
                Quarantine(reason=r.reason, detail=r.detail, evidence=r.evidence),
            )
            for r in results
            if r.state is state and r.later is None
        ]
        if quarantined:
            quarantine_rows(
                connection, held_rows[quarantined[0][0]]["recipe"], Task.REFINE, quarantined, now, state=state
            )
