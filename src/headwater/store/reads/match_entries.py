"""The records that met saved searches, as feeds and digests list them."""

from collections.abc import Iterator

from sqlalchemy import ColumnElement, Connection, RowMapping, func, literal, select

from headwater.model.saved_search import MatchEntry
from headwater.store.schema.flow import documents, stories, story_members
from headwater.store.schema.searches import matches

SUMMARY_LENGTH = 1_000
_CENTRAL_URL = (
    select(documents.c.url)
    .join(story_members, story_members.c.document_id == documents.c.id)
    .where(story_members.c.story_id == stories.c.id)
    .order_by(story_members.c.similarity.desc(), documents.c.id)
    .limit(1)
    .scalar_subquery()
)
"""A story has no address of its own: that of the document nearest to it."""


def match_entries(
    connection: Connection, where: ColumnElement[bool], limit: int | None = None
) -> Iterator[tuple[str | None, MatchEntry]]:
    """The entries with the ids of their digests, newest first. A record that was removed is left out."""
    match_columns = (matches.c.record_kind, matches.c.recipe, matches.c.digest_id, matches.c.matched_at)
    of_documents = (
        select(
            *match_columns,
            documents.c.id,
            documents.c.title,
            documents.c.url,
            documents.c.description,
            documents.c.text,
            documents.c.publisher,
            documents.c.language,
            documents.c.published_at,
        )
        .join(documents, documents.c.id == matches.c.record_id)
        .where(where, matches.c.record_kind == "document")
    )
    of_stories = (
        select(
            *match_columns,
            stories.c.id,
            stories.c.title,
            func.coalesce(_CENTRAL_URL, "").label("url"),
            stories.c.summary.label("description"),
            literal("").label("text"),
            literal("").label("publisher"),
            literal("").label("language"),
            stories.c.last_at.label("published_at"),
        )
        .join(stories, stories.c.id == matches.c.record_id)
        .where(where, matches.c.record_kind == "story")
    )
    rows: list[RowMapping] = []
    for query in (of_documents, of_stories):
        newest = query.order_by(matches.c.matched_at.desc(), matches.c.record_id).limit(limit)
        rows += connection.execute(newest).mappings().all()
    rows.sort(key=lambda row: (-row["matched_at"].timestamp(), row["id"]))
    for row in rows[:limit]:
        yield (
            row["digest_id"],
            MatchEntry(
                record_id=row["id"],
                record_kind=row["record_kind"],
                recipe=row["recipe"],
                title=row["title"] or row["url"],
                url=row["url"],
                text=(row["description"] or row["text"])[:SUMMARY_LENGTH],
                publisher=row["publisher"],
                language=row["language"],
                published=row["published_at"],
                matched_at=row["matched_at"],
            ),
        )
