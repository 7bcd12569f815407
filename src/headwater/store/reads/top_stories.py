"""The stories of the last hours that most sources tell, with who tells them."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, Select, func, select, union

from headwater.store.connect import read_transaction
from headwater.store.schema.flow import documents, leads, sources, stories, story_members
from headwater.store.schema.knowledge import edges

Record = dict[str, Any]


def top_stories(engine: Engine, recipe: str, since: datetime, limit: int) -> list[Record]:
    """Best first: by score where there is one, then by how many sources tell it, copies included, then by size and
    freshness. Each comes with its sources; the first of them is the one to link to."""
    with read_transaction(engine) as connection:
        ranked = connection.execute(_ranked(recipe, since, limit)).mappings().all()
        told = _told_by(connection, [row["id"] for row in ranked])
        return [dict(row) | {"sources": told[row["id"]]} for row in ranked]


def _recent(recipe: str, since: datetime) -> Any:
    return (stories.c.recipe == recipe, stories.c.state == "live", stories.c.last_at >= since)


def _ranked(recipe: str, since: datetime, limit: int) -> Select[Any]:
    inside = (
        select(story_members.c.story_id, story_members.c.document_id)
        .join(stories)
        .where(*_recent(recipe, since))
    )
    told = _tellers(inside.subquery()).subquery()
    counted = (
        select(told.c.story_id, func.count(func.distinct(told.c.source_id)).label("told_by"))
        .group_by(told.c.story_id)
        .subquery()
    )
    fields = ("id", "title", "summary", "size", "score", "first_at", "last_at")
    order = (
        func.coalesce(stories.c.score, 0.0).desc(),
        counted.c.told_by.desc(),
        stories.c.size.desc(),
        stories.c.last_at.desc(),
        stories.c.id,
    )
    return (
        select(*(stories.c[name] for name in fields), counted.c.told_by)
        .join(counted, counted.c.story_id == stories.c.id)
        .order_by(*order)
        .limit(limit)
    )


def _tellers(inside: Any) -> Any:
    """(story, document or lead, source): the members of each story, and everything that is a copy of one of them."""
    copied = edges.c.relation == "duplicate"
    own = select(inside.c.story_id, documents.c.id.label("record_id"), documents.c.source_id).join(
        documents, documents.c.id == inside.c.document_id
    )
    copies = (
        select(inside.c.story_id, documents.c.id, documents.c.source_id)
        .join(edges, (edges.c.to_id == inside.c.document_id) & copied)
        .join(documents, documents.c.id == edges.c.from_id)
    )
    seen_again = (
        select(inside.c.story_id, leads.c.id, leads.c.source_id)
        .join(edges, (edges.c.to_id == inside.c.document_id) & copied)
        .join(leads, leads.c.id == edges.c.from_id)
    )
    return union(own, copies, seen_again)


def _told_by(connection: Connection, ids: Sequence[str]) -> dict[str, list[Record]]:
    """Each source of a story once, with its best text: kept ones first, then the better, then the earlier."""
    inside = (
        select(story_members.c.story_id, story_members.c.document_id)
        .where(story_members.c.story_id.in_(ids))
        .subquery()
    )
    told = _tellers(inside).subquery()
    query = (
        select(
            told.c.story_id,
            told.c.source_id,
            sources.c.name.label("source"),
            documents.c.publisher,
            documents.c.description,
            documents.c.state,
            func.coalesce(documents.c.title, leads.c.title).label("title"),
            func.coalesce(documents.c.clean_url, leads.c.url).label("url"),
            func.coalesce(documents.c.published_at, leads.c.published_at).label("published_at"),
        )
        .join(sources, sources.c.id == told.c.source_id)
        .outerjoin(documents, documents.c.id == told.c.record_id)
        .outerjoin(leads, leads.c.id == told.c.record_id)
        .order_by(
            (func.coalesce(documents.c.state, "") == "kept").desc(),
            func.coalesce(documents.c.quality, 0.0).desc(),
            sources.c.credibility.desc(),
            func.coalesce(documents.c.published_at, leads.c.published_at),
            told.c.record_id,
        )
    )
    found: dict[str, list[Record]] = defaultdict(list)
    known: set[tuple[str, str]] = set()
    for row in connection.execute(query).mappings():
        if (row["story_id"], row["source_id"]) not in known:
            known.add((row["story_id"], row["source_id"]))
            found[row["story_id"]].append(_teller(row))
    return found


def _teller(row: Any) -> Record:
    return {
        "source": row["source"],
        "publisher": row["publisher"] or row["source"],
        "title": row["title"] or "",
        "description": row["description"] or "",
        "url": row["url"],
        "published_at": row["published_at"],
        "copy": row["state"] != "kept",
    }
