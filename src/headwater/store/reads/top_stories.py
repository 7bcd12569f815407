"""The stories that most sources reported in the last hours, with these sources."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, Select, func, or_, select, union

from headwater.store.connect import read_transaction
from headwater.store.rows import Record
from headwater.store.schema.flow import documents, leads, sources, stories, story_members
from headwater.store.schema.knowledge import edges


@dataclass(frozen=True, slots=True, kw_only=True)
class TopFilter:
    """Stories whose last document is from before `until`, with a document of this source (its name or id), in this language."""

    until: datetime | None = None
    source: str | None = None
    language: str | None = None


ALL = TopFilter()


def top_stories(
    engine: Engine, recipe: str, since: datetime, limit: int, top_filter: TopFilter = ALL
) -> list[Record]:
    """Best first: by score if there is one, then by the number of sources including copies, then by size and recency.
    The first source of each story is the one to link to."""
    with read_transaction(engine) as connection:
        ranked = connection.execute(_ranked(recipe, since, limit, top_filter)).mappings().all()
        sources_by_story = _sources_of(connection, [row["id"] for row in ranked])
        return [_top_record(row, sources_by_story[row["id"]]) for row in ranked]


def _top_record(row: Any, sources_of_story: list[Record]) -> Record:
    """With the reasons of its score and of its last alert in words, where the recipe gives them."""
    attributes = row["attributes"] or {}
    reasons = {name: list(attributes.get(name) or ()) for name in ("score_reasons", "alert_reasons")}
    story = {name: value for name, value in row.items() if name != "attributes"}
    return story | reasons | {"sources": sources_of_story}


def _recent(recipe: str, since: datetime) -> Any:
    return (stories.c.recipe == recipe, stories.c.state == "live", stories.c.last_at >= since)


def _having(top_filter: TopFilter) -> Iterator[Any]:
    if top_filter.until is not None:
        yield stories.c.last_at < top_filter.until
    members = (
        select(story_members.c.story_id)
        .join(documents, documents.c.id == story_members.c.document_id)
        .join(sources, sources.c.id == documents.c.source_id)
    )
    if top_filter.source is not None:
        is_source = or_(sources.c.name == top_filter.source, sources.c.id == top_filter.source)
        yield stories.c.id.in_(members.where(is_source))
    if top_filter.language is not None:
        yield stories.c.id.in_(members.where(documents.c.language == top_filter.language))


def _ranked(recipe: str, since: datetime, limit: int, top_filter: TopFilter) -> Select[Any]:
    story_documents = (
        select(story_members.c.story_id, story_members.c.document_id)
        .join(stories)
        .where(*_recent(recipe, since))
    )
    tellers = _reports_of(story_documents.subquery()).subquery()
    counted = (
        select(tellers.c.story_id, func.count(func.distinct(tellers.c.source_id)).label("told_by"))
        .group_by(tellers.c.story_id)
        .subquery()
    )
    fields = ("id", "title", "summary", "size", "score", "first_at", "last_at", "attributes")
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
        .where(*_having(top_filter))
        .order_by(*order)
        .limit(limit)
    )


def _reports_of(story_documents: Any) -> Any:
    """(story, document or lead, source) for the members of each story and all copies of them."""
    is_copy = edges.c.relation == "duplicate"
    originals = select(
        story_documents.c.story_id, documents.c.id.label("record_id"), documents.c.source_id
    ).join(documents, documents.c.id == story_documents.c.document_id)
    copies = (
        select(story_documents.c.story_id, documents.c.id, documents.c.source_id)
        .join(edges, (edges.c.to_id == story_documents.c.document_id) & is_copy)
        .join(documents, documents.c.id == edges.c.from_id)
    )
    duplicate_leads = (
        select(story_documents.c.story_id, leads.c.id, leads.c.source_id)
        .join(edges, (edges.c.to_id == story_documents.c.document_id) & is_copy)
        .join(leads, leads.c.id == edges.c.from_id)
    )
    return union(originals, copies, duplicate_leads)


def _sources_of(connection: Connection, ids: Sequence[str]) -> dict[str, list[Record]]:
    """Each source of a story once, with its best text: kept ones first, then by quality, then by date."""
    story_documents = (
        select(story_members.c.story_id, story_members.c.document_id)
        .where(story_members.c.story_id.in_(ids))
        .subquery()
    )
    tellers = _reports_of(story_documents).subquery()
    query = (
        select(
            tellers.c.story_id,
            tellers.c.source_id,
            sources.c.name.label("source"),
            documents.c.publisher,
            documents.c.description,
            documents.c.state,
            func.coalesce(documents.c.title, leads.c.title).label("title"),
            func.coalesce(documents.c.clean_url, leads.c.url).label("url"),
            func.coalesce(documents.c.published_at, leads.c.published_at).label("published_at"),
        )
        .join(sources, sources.c.id == tellers.c.source_id)
        .outerjoin(documents, documents.c.id == tellers.c.record_id)
        .outerjoin(leads, leads.c.id == tellers.c.record_id)
        .order_by(
            (func.coalesce(documents.c.state, "") == "kept").desc(),
            func.coalesce(documents.c.quality, 0.0).desc(),
            sources.c.credibility.desc(),
            func.coalesce(documents.c.published_at, leads.c.published_at),
            tellers.c.record_id,
        )
    )
    sources_by_story: dict[str, list[Record]] = defaultdict(list)
    listed_sources: set[tuple[str, str]] = set()
    for row in connection.execute(query).mappings():
        if (row["story_id"], row["source_id"]) not in listed_sources:
            listed_sources.add((row["story_id"], row["source_id"]))
            sources_by_story[row["story_id"]].append(_source_record(row))
    return sources_by_story


def _source_record(row: Any) -> Record:
    return {
        "source": row["source"],
        "publisher": row["publisher"] or row["source"],
        "title": row["title"] or "",
        "description": row["description"] or "",
        "url": row["url"],
        "published_at": row["published_at"],
        "copy": row["state"] != "kept",
    }
