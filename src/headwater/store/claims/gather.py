"""Gather: claims groups of documents and stores the stories they are divided into."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, exists, func, select, update

from headwater.model.document import Document, Vector
from headwater.model.jobs import Claim, GatherResult, GroupBatch, State, Task
from headwater.model.story import Story
from headwater.store.bulk import insert_rows
from headwater.store.claims.leases import FINISHED_VALUES, claim_rows, postponed_values
from headwater.store.claims.outbox import open_deliveries
from headwater.store.claims.quarantine import quarantine_rows, remove_from_quarantine
from headwater.store.in_list import in_list
from headwater.store.records import stories_by_id
from headwater.store.rows import DOCUMENT_COLUMNS, OUTLINE_COLUMNS, document_from, fact_rows, outline_from
from headwater.store.schema.flow import documents, groups, stories, story_members
from headwater.store.schema.knowledge import facts, vectors


def claim_groups(
    connection: Connection, claim: Claim, *, full_documents: bool, window: timedelta | None = None
) -> list[GroupBatch]:
    ids = claim_rows(connection, claim)
    if not ids:
        return []
    conditions = [in_list(documents.c.group_id, ids), documents.c.state == State.KEPT]
    story_ids: set[str] | None = None
    if window is not None:
        document_ids, story_ids = _within_window(connection, ids, window)
        conditions.append(in_list(documents.c.id, sorted(document_ids)))
    documents_by_group = _documents(connection, conditions, full_documents=full_documents)
    stories_by_group, other_ids = _stories(connection, ids, story_ids)
    rows = connection.execute(
        select(groups).where(in_list(groups.c.id, ids)).order_by(groups.c.due_at, groups.c.id)
    )
    return [
        GroupBatch(
            id=row.id,
            name=row.name,
            attempts=row.attempts,
            version=row.version,
            documents=tuple(documents_by_group[row.id]),
            stories=tuple(sorted(stories_by_group[row.id], key=lambda story: story.id)),
            reserved_ids=frozenset(other_ids[row.id]),
        )
        for row in rows
    ]


def _within_window(
    connection: Connection, ids: Sequence[str], window: timedelta
) -> tuple[set[str], set[str]]:
    """The documents of these groups that were published within the window before the newest of their group, with all
    documents of the current stories in which there is one; and these stories. A document without a date counts by its
    arrival. A story that a document has left is clustered again, too, however old it is."""
    recent = [document for group in ids for document in _recent_documents(connection, group, window)]
    current = (
        select(story_members.c.story_id)
        .join(stories, stories.c.id == story_members.c.story_id)
        .where(in_list(stories.c.group_id, ids), stories.c.state == "live")
        .join(documents, documents.c.id == story_members.c.document_id)
        .where(
            in_list(documents.c.id, recent)
            | (documents.c.group_id != stories.c.group_id)
            | (documents.c.state != State.KEPT)
        )
    )
    story_ids = set(connection.scalars(current.distinct()))
    members = select(story_members.c.document_id).where(in_list(story_members.c.story_id, sorted(story_ids)))
    return {*recent, *connection.scalars(members)}, story_ids


def _recent_documents(connection: Connection, group: str, window: timedelta) -> Sequence[str]:
    """Also those that arrived within the window and are in no story yet, however long ago they were published: the first
    poll of a source brings a backlog, and a late arrival must not stay without a story."""
    moment = func.coalesce(documents.c.published_at, documents.c.created_at)
    newest, last_arrival = connection.execute(
        select(func.max(moment), func.max(documents.c.created_at)).where(documents.c.group_id == group)
    ).one()
    if newest is None:
        return []
    has_story = exists().where(
        story_members.c.document_id == documents.c.id,
        stories.c.id == story_members.c.story_id,
        stories.c.state == "live",
    )
    is_new = (documents.c.created_at >= last_arrival - window) & ~has_story
    query = select(documents.c.id).where(documents.c.group_id == group, (moment >= newest - window) | is_new)
    return connection.scalars(query).all()


def _documents(
    connection: Connection, where: Sequence[ColumnElement[bool]], *, full_documents: bool
) -> dict[str, list[Document]]:
    """The documents by group, in the order of their publication."""
    by_group: dict[str, list[Document]] = defaultdict(list)
    query = select(*(DOCUMENT_COLUMNS if full_documents else OUTLINE_COLUMNS)).where(*where)
    by_date = query.order_by(documents.c.published_at.nulls_last(), documents.c.id)
    vectors_by_id = _vectors(connection, where) if full_documents else {}
    for row in connection.execute(by_date).mappings().all():
        document = document_from(row) if full_documents else outline_from(row)
        by_group[row["group_id"]].append(
            document.with_changes(vector=vectors_by_id[document.id])
            if document.id in vectors_by_id
            else document
        )
    return by_group


def _stories(
    connection: Connection, ids: Sequence[str], story_ids: set[str] | None
) -> tuple[dict[str, list[Story]], dict[str, set[str]]]:
    """The current stories of the groups, all or only these, and the ids of their other stories."""
    query = select(stories.c.id, stories.c.group_id, stories.c.state).where(in_list(stories.c.group_id, ids))
    story_rows = connection.execute(query).all()
    current = {row.id for row in story_rows if row.state == "live"}
    if story_ids is not None:
        current &= story_ids
    by_group: dict[str, list[Story]] = defaultdict(list)
    for story in stories_by_id(connection, sorted(current)).values():
        by_group[story.group].append(story)
    other_ids: dict[str, set[str]] = defaultdict(set)
    for row in story_rows:
        if row.id not in current:
            other_ids[row.group_id].add(row.id)
    return by_group, other_ids


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
    return FINISHED_VALUES | {"reason": reason} | ({"due_at": now} if version != result.version else {})


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
