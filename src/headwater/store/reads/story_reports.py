"""The reports of a story with their texts, for what changed in it."""

from sqlalchemy import Engine, select

from headwater.store.connect import read_transaction
from headwater.store.reads.catalogue import begins_with
from headwater.store.rows import Record
from headwater.store.schema.flow import documents, stories, story_members
from headwater.stories.changes import StoryReport

LIVE = "live"


def find_live_story(engine: Engine, story: str) -> Record | None:
    """The live story with this id, or with an id that begins so (8 characters or more)."""
    query = select(stories).where(begins_with(stories.c.id, story), stories.c.state == LIVE)
    with read_transaction(engine) as connection:
        row = connection.execute(query.order_by(stories.c.id).limit(1)).mappings().first()
    return None if row is None else dict(row)


def story_reports(engine: Engine, story: str) -> list[StoryReport]:
    names = ("id", "title", "text", "publisher", "language", "published_at", "created_at")
    query = (
        select(*(documents.c[name] for name in names))
        .join(story_members, story_members.c.document_id == documents.c.id)
        .where(story_members.c.story_id == story)
    )
    with read_transaction(engine) as connection:
        rows = connection.execute(query).mappings().all()
    return [
        StoryReport(
            id=row["id"],
            title=row["title"],
            text=row["text"],
            publisher=row["publisher"],
            language=row["language"],
            at=row["published_at"] or row["created_at"],
        )
        for row in rows
    ]
