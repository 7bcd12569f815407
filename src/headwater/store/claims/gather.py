"""Gather: claims groups of documents and stores the stories they are divided into."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Delete,
    Row,
    Select,
    bindparam,
    delete,
    select,
    update,
)

from headwater.model.document import Document, Vector
from headwater.model.jobs import Claim, GatherResult, GroupBatch, State, Task
from headwater.model.story import Story
from headwater.store.bulk import insert_rows, update_rows
from headwater.store.claims.group_changes import forget_group_changes
from headwater.store.claims.group_window import (
    GroupWindow,
    all_changes,
    read_window,
    select_in_window,
    waits_until,
)
from headwater.store.claims.leases import FINISHED_VALUES, claim_rows, postponed_values
from headwater.store.claims.outbox import open_deliveries
from headwater.store.claims.quarantine import quarantine_rows, remove_from_quarantine
from headwater.store.in_list import in_list, in_named_list
from headwater.store.records import stories_by_id
from headwater.store.rows import GATHERED_COLUMNS, OUTLINE_COLUMNS, fact_rows, gathered_from, outline_from
from headwater.store.schema.flow import documents, groups, stories, story_members
from headwater.store.schema.knowledge import facts, vectors
from headwater.stories.identity import story_key

Scope = Callable[[], tuple[ColumnElement[bool], ...]]
"""The conditions of a query for documents, whose values are parameters."""


def claim_groups(
    connection: Connection, claim: Claim, *, full_documents: bool, window: timedelta | None, most: int
) -> list[GroupBatch]:
    ids = claim_rows(connection, claim)
    if not ids:
        return []
    rows = connection.execute(_claimed_groups(), {"ids": ids}).all()
    if window is None:
        return [_whole_group(connection, row, full_documents=full_documents) for row in rows]
    windows = [(row, read_window(connection, row.id, window, most)) for row in rows]
    waiting = {row.id: at for row, content in windows if (at := waits_until(content, claim.now))}
    for group, at in waiting.items():
        values = postponed_values(groups, at, "", counts=False) | {"reason": groups.c.reason}
        connection.execute(update(groups).where(groups.c.id == group).values(**values))
    return [
        _group_part(connection, row, content, full_documents=full_documents)
        for row, content in windows
        if row.id not in waiting
    ]


@cache
def _claimed_groups() -> Select[Any]:
    query = select(groups).where(in_named_list(groups.c.id, "ids"))
    return query.order_by(groups.c.due_at, groups.c.id)


@cache
def _held_groups() -> Select[Any]:
    is_held = groups.c.lease_owner == bindparam("owner")
    query = select(groups).where(in_named_list(groups.c.id, "ids"), is_held)
    return query.order_by(groups.c.id).with_for_update()


@cache
def _live_stories() -> Select[Any]:
    return select(stories.c.id).where(stories.c.group_id == bindparam("group"), stories.c.state == "live")


@cache
def _existing_stories() -> Select[Any]:
    return select(stories.c.id).where(in_named_list(stories.c.id, "ids"))


def _whole_group(connection: Connection, row: Row[Any], *, full_documents: bool) -> GroupBatch:
    return _group_batch(
        connection,
        row,
        _documents(connection, _documents_of_group, {"group": row.id}, full_documents=full_documents),
        story_ids=set(connection.scalars(_live_stories(), {"group": row.id})),
        changes=all_changes(connection, row.id),
    )


def _group_part(
    connection: Connection, row: Row[Any], window: GroupWindow, *, full_documents: bool
) -> GroupBatch:
    selection = select_in_window(connection, row.id, window)
    ids = {"ids": sorted(selection.documents)}
    batch = _group_batch(
        connection,
        row,
        _documents(connection, _documents_of_ids, ids, full_documents=full_documents),
        story_ids=set(selection.stories),
        changes=selection.changes,
    )
    return replace(batch, has_more=selection.has_more)


def _group_batch(
    connection: Connection,
    row: Row[Any],
    batch_documents: tuple[Document, ...],
    *,
    story_ids: set[str],
    changes: tuple[str, ...],
) -> GroupBatch:
    return GroupBatch(
        id=row.id,
        name=row.name,
        attempts=row.attempts,
        version=row.version,
        documents=batch_documents,
        stories=tuple(stories_by_id(connection, sorted(story_ids)).values()),
        reserved_ids=_reserved_ids(connection, row.id, batch_documents, story_ids),
        changes=changes,
    )


def _reserved_ids(
    connection: Connection, group: str, batch_documents: Sequence[Document], current: set[str]
) -> frozenset[str]:
    """Those ids that a new story of these documents could get, and that another story has or had. A group may have had
    millions of stories, so that these few are looked up."""
    seeds, attempt, reserved = [document.id for document in batch_documents], 0, set[str]()
    while seeds:
        seed_by_id = {story_key(group, seed, attempt): seed for seed in seeds}
        existing = set(connection.scalars(_existing_stories(), {"ids": sorted(seed_by_id)}))
        reserved |= existing
        seeds, attempt = [seed_by_id[story] for story in existing], attempt + 1
    return frozenset(reserved - current)


def _documents_of_group() -> tuple[ColumnElement[bool], ...]:
    return (documents.c.group_id == bindparam("group"), documents.c.state == State.KEPT)


def _documents_of_ids() -> tuple[ColumnElement[bool], ...]:
    return (in_named_list(documents.c.id, "ids"),)


def _documents(
    connection: Connection, scope: Scope, parameters: Mapping[str, Any], *, full_documents: bool
) -> tuple[Document, ...]:
    """The documents in the order of their publication."""
    if not full_documents:
        rows = connection.execute(_document_rows(scope, OUTLINE_COLUMNS), parameters).mappings()
        return tuple([outline_from(row) for row in rows])
    vectors_by_id = _vectors(connection, scope, parameters)
    rows = connection.execute(_document_rows(scope, GATHERED_COLUMNS), parameters).mappings()
    batch = [gathered_from(row) for row in rows]
    return tuple(
        document.with_changes(vector=vectors_by_id[document.id]) if document.id in vectors_by_id else document
        for document in batch
    )


@cache
def _document_rows(scope: Scope, columns: tuple[Column[Any], ...]) -> Select[Any]:
    return select(*columns).where(*scope()).order_by(documents.c.published_at.nulls_last(), documents.c.id)


def _vectors(connection: Connection, scope: Scope, parameters: Mapping[str, Any]) -> dict[str, Vector]:
    """The vectors of these documents; of several models, the last by name."""
    rows = connection.execute(_vector_rows(scope), parameters)
    return {row.document_id: Vector(row.model, bytes(row.vector)) for row in rows}


@cache
def _vector_rows(scope: Scope) -> Select[Any]:
    return (
        select(vectors.c.document_id, vectors.c.model, vectors.c.vector)
        .join(documents, documents.c.id == vectors.c.document_id)
        .where(*scope())
        .order_by(vectors.c.model)
    )


def finish_gather(
    connection: Connection, gathered: Sequence[GatherResult], owner: str, now: datetime
) -> list[Story]:
    """Returns the stories that were written."""
    written: list[Story] = []
    locked = connection.execute(_held_groups(), {"ids": [g.group for g in gathered], "owner": owner})
    held_rows = {row["id"]: row for row in locked.mappings()}
    for result in gathered:
        if result.group in held_rows:
            row = held_rows[result.group]
            if result.later is None and result.quarantine is None:
                _replace_stories(connection, result, now)
                forget_group_changes(connection, result.group, result.changes, result.claimed_at or now)
                written += result.stories
                remove_from_quarantine(connection, Task.GATHER, [result.group] if row["reason"] else [])
            if result.quarantine is not None:
                quarantined = [(result.group, row["attempts"], result.quarantine)]
                quarantine_rows(connection, row["recipe"], Task.GATHER, quarantined, now)
            update_rows(connection, groups, [(result.group, _group_values(result, row["version"], now))])
    return written


def _group_values(result: GatherResult, version: int, now: datetime) -> dict[str, Any]:
    if result.later is not None:
        return postponed_values(groups, result.later.at, result.later.reason, counts=result.later.counts)
    reason = result.quarantine.reason if result.quarantine else None
    stays_due = version != result.version or result.has_more
    return FINISHED_VALUES | {"reason": reason} | ({"due_at": now} if stays_due else {})


def _replace_stories(connection: Connection, result: GatherResult, now: datetime) -> None:
    story_ids = [story.id for story in result.stories]
    if ended := sorted(set(result.clustered_ids) - set(story_ids)):
        removed = update(stories).where(in_list(stories.c.id, ended), stories.c.state == "live")
        connection.execute(removed.values(state="ended", updated_at=now))
    if not story_ids:
        return
    names = ("state", "title", "summary", "size", "first_at", "last_at", "score", "revision", "attributes")
    rows = [_story_row(story, now) for story in result.stories]
    insert_rows(connection, stories, rows, replacing=(*names, "updated_at"))
    connection.execute(_members_of_stories(), {"stories": story_ids})
    member_rows = [
        {"story_id": story.id, "document_id": m.document, "similarity": m.similarity}
        for story in result.stories
        for m in story.members
    ]
    insert_rows(connection, story_members, member_rows)
    connection.execute(_facts_of_stories(), {"stories": story_ids})
    insert_rows(connection, facts, [row for story in result.stories for row in fact_rows(story)])
    open_deliveries(
        connection,
        [(s, route, "story", s.revision) for s in result.stories for route in result.routes.get(s.id, ())],
        now,
    )


@cache
def _members_of_stories() -> Delete:
    return delete(story_members).where(in_named_list(story_members.c.story_id, "stories"))


@cache
def _facts_of_stories() -> Delete:
    return delete(facts).where(in_named_list(facts.c.record_id, "stories"))


def _story_row(story: Story, now: datetime) -> dict[str, Any]:
    return {
        "id": story.id,
        "recipe": story.recipe,
        "group_id": story.group,
        "state": "live",
        "title": story.title,
        "summary": story.summary,
        "size": len(story.members),
        "first_at": story.first_at,
        "last_at": story.last_at,
        "score": story.score,
        "revision": story.revision,
        "attributes": dict(story.attributes),
        "created_at": now,
        "updated_at": now,
    }
