"""Which documents and stories of a group are clustered again: what can still change, and not more than one job can hold.

A group with more than `most` documents in its window is clustered in parts: at most half of a part are changes, in the order of
their publication; the rest are the documents published just before them. Every query here is bounded by the changes and by
`most`, not by the age of the group: a group may have collected millions of documents.

A job of such a group costs about the same for one change as for half a part, so that the group waits a little until that many
have come.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, bindparam, func, select

from headwater.model.jobs import State
from headwater.store.in_list import in_list
from headwater.store.schema.flow import documents, group_changes, stories, story_members

LONGEST_WAIT = timedelta(seconds=10)
"""That a change of a large group waits for others."""


@dataclass(frozen=True, slots=True)
class GroupChange:
    """`moment` is when the document was published or, without a date, stored; None for a deleted one."""

    document: str
    moment: datetime | None
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class GroupWindow:
    """What changed in a group, and what it has in its window: at most one more of each than a job can hold."""

    changes: Sequence[GroupChange]
    recent: Sequence[str]
    most: int

    @property
    def is_large(self) -> bool:
        """A change may be old, so that it is not among the recent documents: a job holds both."""
        return len({*self.recent, *(change.document for change in self.changes)}) > self.most


def waits_until(window: GroupWindow, now: datetime) -> datetime | None:
    """When a large group with few changes is clustered; None if that is now."""
    if not window.is_large or len(window.changes) >= window.most // 2:
        return None
    oldest = min((change.changed_at for change in window.changes), default=now - LONGEST_WAIT)
    at = oldest + LONGEST_WAIT
    return at if at > now else None


@dataclass(frozen=True, slots=True)
class GroupSelection:
    documents: frozenset[str]
    stories: frozenset[str]
    changes: tuple[str, ...]
    has_more: bool


def read_window(connection: Connection, group: str, window: timedelta, most: int) -> GroupWindow:
    """The documents that were published within the window before the newest of their group. One without a date counts by its
    arrival."""
    changes = _changes(connection, group, most + 1)
    in_group = _in_group(group)
    newest = _newest_moment(connection, in_group)
    recent = (
        []
        if newest is None or len(changes) > most
        else _published_since(connection, in_group, newest - window, most)
    )
    return GroupWindow(changes, recent, most)


def select_in_window(connection: Connection, group: str, window: GroupWindow) -> GroupSelection:
    """The documents of the window and those that changed, with all documents of the current stories in which there is one; and
    these stories. A story that a document has left is clustered again, too, however old it is."""
    changes, recent, has_more = window.changes, window.recent, False
    if window.is_large:
        half = window.most // 2
        changes, has_more = changes[:half], len(changes) > half
        recent = _published_before(connection, _in_group(group), changes, window.most)
    changed_ids = tuple(change.document for change in changes)
    story_ids = _current_stories(connection, group, {*recent, *changed_ids})
    members = connection.scalars(
        select(story_members.c.document_id).where(in_list(story_members.c.story_id, sorted(story_ids)))
    ).all()
    return GroupSelection(
        documents=_kept_in_group(connection, group, {*recent, *changed_ids, *members}),
        stories=frozenset(story_ids),
        changes=changed_ids,
        has_more=has_more,
    )


def _in_group(group: str) -> tuple[ColumnElement[bool], ...]:
    """Without the recipe, which the group implies: SQLite would read an index of all its documents."""
    return (documents.c.group_id == group, documents.c.state == State.KEPT)


def all_changes(connection: Connection, group: str) -> tuple[str, ...]:
    return tuple(change.document for change in _changes(connection, group, None))


def _changes(connection: Connection, group: str, limit: int | None) -> Sequence[GroupChange]:
    """The changed documents by publication. Of one that was deleted only the id is left."""
    query = _changes_of_group() if limit is None else _changes_of_group().limit(limit)
    return [GroupChange(*row) for row in connection.execute(query, {"group": group})]


@cache
def _changes_of_group() -> Select[Any]:
    moment = func.coalesce(documents.c.published_at, documents.c.created_at)
    return (
        select(group_changes.c.document_id, moment.label("moment"), group_changes.c.updated_at)
        .outerjoin(documents, documents.c.id == group_changes.c.document_id)
        .where(group_changes.c.group_id == bindparam("group"))
        .order_by(moment, group_changes.c.document_id)
    )


def _newest_moment(connection: Connection, in_group: Sequence[ColumnElement[bool]]) -> datetime | None:
    """Two queries, each of which reads the end of an index."""
    dated = select(documents.c.published_at).where(*in_group, documents.c.published_at.is_not(None))
    undated = select(documents.c.created_at).where(*in_group, documents.c.published_at.is_(None))
    moments = (
        connection.scalar(dated.order_by(documents.c.published_at.desc()).limit(1)),
        connection.scalar(undated.order_by(documents.c.created_at.desc()).limit(1)),
    )
    return max((moment for moment in moments if moment is not None), default=None)


def _published_since(
    connection: Connection, in_group: Sequence[ColumnElement[bool]], start: datetime, most: int
) -> list[str]:
    """The documents of the window; one more than a job can hold shows that there are too many."""
    dated = select(documents.c.id).where(*in_group, documents.c.published_at >= start)
    undated = select(documents.c.id).where(
        *in_group, documents.c.published_at.is_(None), documents.c.created_at >= start
    )
    return [document for query in (dated, undated) for document in connection.scalars(query.limit(most + 1))]


def _published_before(
    connection: Connection,
    in_group: Sequence[ColumnElement[bool]],
    changes: Sequence[GroupChange],
    most: int,
) -> list[str]:
    """The last documents up to the latest change, or the newest ones if nothing changed; with the changes, as many as a job holds:
    a change may be far from the others, so that they cannot be counted among these."""
    latest = max((change.moment for change in changes if change.moment is not None), default=None)
    changed_ids = [change.document for change in changes]
    conditions = [*in_group, documents.c.published_at.is_not(None), ~in_list(documents.c.id, changed_ids)]
    if latest is not None:
        conditions.append(documents.c.published_at <= latest)
    query = select(documents.c.id).where(*conditions).order_by(documents.c.published_at.desc())
    return list(connection.scalars(query.limit(most - len(changes))))


def _current_stories(connection: Connection, group: str, document_ids: Collection[str]) -> set[str]:
    """By document, then by id. A join, or a condition on the group, would let SQLite read all stories of the group."""
    members = select(story_members.c.story_id).where(
        in_list(story_members.c.document_id, sorted(document_ids))
    )
    story_ids = sorted(set(connection.scalars(members).all()))
    query = select(stories.c.id, stories.c.group_id, stories.c.state).where(in_list(stories.c.id, story_ids))
    return {
        row.id for row in connection.execute(query).all() if row.group_id == group and row.state == "live"
    }


def _kept_in_group(connection: Connection, group: str, document_ids: Collection[str]) -> frozenset[str]:
    """By id alone, for the same reason."""
    query = select(documents.c.id, documents.c.group_id, documents.c.state).where(
        in_list(documents.c.id, sorted(document_ids))
    )
    return frozenset(
        row.id for row in connection.execute(query).all() if row.group_id == group and row.state == State.KEPT
    )
