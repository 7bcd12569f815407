"""Gather: claims groups of documents and stores the stories they are divided into."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, delete, select, update

from headwater.model.document import Document, Vector
from headwater.model.jobs import Claim, GatherResult, GroupBatch, State, Task
from headwater.model.story import Story
from headwater.store.bulk import insert_rows
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
from headwater.store.in_list import in_list
from headwater.store.records import stories_by_id
from headwater.store.rows import GATHERED_COLUMNS, OUTLINE_COLUMNS, fact_rows, gathered_from, outline_from
from headwater.store.schema.flow import documents, groups, stories, story_members
from headwater.store.schema.knowledge import facts, vectors
from headwater.stories.identity import story_key


def claim_groups(
    connection: Connection, claim: Claim, *, full_documents: bool, window: timedelta | None, most: int
) -> list[GroupBatch]:
    ids = claim_rows(connection, claim)
    rows = connection.execute(
        select(groups).where(in_list(groups.c.id, ids)).order_by(groups.c.due_at, groups.c.id)
    ).all()
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


def _whole_group(connection: Connection, row: Row[Any], *, full_documents: bool) -> GroupBatch:
    query = select(stories.c.id).where(stories.c.group_id == row.id, stories.c.state == "live")
    conditions = [documents.c.group_id == row.id, documents.c.state == State.KEPT]
    return _group_batch(
        connection,
        row,
        _documents(connection, conditions, full_documents=full_documents),
        story_ids=set(connection.scalars(query)),
        changes=all_changes(connection, row.id),
    )


def _group_part(
    connection: Connection, row: Row[Any], window: GroupWindow, *, full_documents: bool
) -> GroupBatch:
    selection = select_in_window(connection, row.id, window)
    conditions = [in_list(documents.c.id, sorted(selection.documents))]
    batch = _group_batch(
        connection,
        row,
        _documents(connection, conditions, full_documents=full_documents),
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
        query = select(stories.c.id).where(in_list(stories.c.id, sorted(seed_by_id)))
        existing = set(connection.scalars(query))
        reserved |= existing
        seeds, attempt = [seed_by_id[story] for story in existing], attempt + 1
    return frozenset(reserved - current)


def _documents(
    connection: Connection, where: Sequence[ColumnElement[bool]], *, full_documents: bool
) -> tuple[Document, ...]:
    """The documents in the order of their publication."""
    query = select(*(GATHERED_COLUMNS if full_documents else OUTLINE_COLUMNS)).where(*where)
    by_date = query.order_by(documents.c.published_at.nulls_last(), documents.c.id)
    vectors_by_id = _vectors(connection, where) if full_documents else {}
    read = gathered_from if full_documents else outline_from
    batch = [read(row) for row in connection.execute(by_date).mappings().all()]
    return tuple(
        document.with_changes(vector=vectors_by_id[document.id]) if document.id in vectors_by_id else document
        for document in batch
    )


def _vectors(connection: Connection, where: Sequence[ColumnElement[bool]]) -> dict[str, Vector]:
    """The vectors of these documents; of several models, the last by name."""
    query = (
        select(vectors.c.document_id, vectors.c.model, vectors.c.vector)
        .join(documents, documents.c.id == vectors.c.document_id)
        .where(*where)
    )
    rows = connection.execute(query.order_by(vectors.c.model))
    return {row.document_id: Vector(row.model, bytes(row.vector)) for row in rows}


def finish_gather(
    connection: Connection, gathered: Sequence[GatherResult], owner: str, now: datetime
) -> list[Story]:
    """Returns the stories that were written."""
    written: list[Story] = []
    query = select(groups).where(
        in_list(groups.c.id, [g.group for g in gathered]), groups.c.lease_owner == owner
    )
    locked = query.order_by(groups.c.id).with_for_update()
    held_rows = {row["id"]: row for row in connection.execute(locked).mappings()}
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
            values = _group_values(result, row["version"], now)
            connection.execute(update(groups).where(groups.c.id == result.group).values(**values))
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
    connection.execute(delete(story_members).where(in_list(story_members.c.story_id, story_ids)))
    member_rows = [
        {"story_id": story.id, "document_id": m.document, "similarity": m.similarity}
        for story in result.stories
        for m in story.members
    ]
    insert_rows(connection, story_members, member_rows)
    connection.execute(delete(facts).where(in_list(facts.c.record_id, story_ids)))
    insert_rows(connection, facts, [row for story in result.stories for row in fact_rows(story)])
    open_deliveries(
        connection,
        [(s, route, "story", s.revision) for s in result.stories for route in result.routes.get(s.id, ())],
        now,
    )


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
