"""The documents of several stories at once, for lists of stories."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import Engine, func, select

from headwater.store.connect import read_transaction
from headwater.store.in_list import in_list
from headwater.store.rows import Record
from headwater.store.schema.flow import documents, story_members
from headwater.store.schema.knowledge import edges

FIELDS = ("id", "title", "url", "publisher", "source_id", "published_at", "created_at", "language")


def members_of_stories(engine: Engine, ids: Sequence[str]) -> Mapping[str, list[Record]]:
    """By story, in the order of their publication; a document without a date counts from its arrival."""
    members: dict[str, list[Record]] = defaultdict(list)
    if not ids:
        return members
    query = (
        select(
            story_members.c.story_id,
            story_members.c.similarity,
            *(documents.c[name] for name in FIELDS),
        )
        .join(documents, documents.c.id == story_members.c.document_id)
        .where(in_list(story_members.c.story_id, ids))
    )
    with read_transaction(engine) as connection:
        for row in connection.execute(query).mappings():
            members[row["story_id"]].append({name: row[name] for name in (*FIELDS, "similarity")})
    for rows in members.values():
        rows.sort(key=lambda row: (row["published_at"] or row["created_at"], row["id"]))
    return members


def new_report_counts(engine: Engine, ids: Sequence[str], since: datetime) -> Mapping[str, int]:
    """How many documents of each story were published since then; a document without a date counts from its arrival."""
    if not ids:
        return {}
    query = (
        select(story_members.c.story_id, func.count())
        .join(documents, documents.c.id == story_members.c.document_id)
        .where(
            in_list(story_members.c.story_id, ids),
            func.coalesce(documents.c.published_at, documents.c.created_at) >= since,
        )
        .group_by(story_members.c.story_id)
    )
    with read_transaction(engine) as connection:
        return {row[0]: row[1] for row in connection.execute(query)}


def copy_counts(engine: Engine, ids: Sequence[str]) -> Mapping[str, int]:
    """How many copies arrived of each document that has any."""
    if not ids:
        return {}
    query = (
        select(edges.c.to_id, func.count())
        .where(in_list(edges.c.to_id, ids), edges.c.relation == "duplicate")
        .group_by(edges.c.to_id)
    )
    with read_transaction(engine) as connection:
        return {row[0]: row[1] for row in connection.execute(query)}
