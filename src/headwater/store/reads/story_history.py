"""What happened to a story, read from the rows of its documents, of their copies and of their revisions."""

from collections.abc import Iterator

from sqlalchemy import Connection, Engine, select

from headwater.model.jobs import State
from headwater.store.connect import read_transaction
from headwater.store.in_list import in_list
from headwater.store.schema.flow import documents, revisions, story_members
from headwater.store.schema.knowledge import edges
from headwater.stories.history import HistoryEvent

NAMES = ("id", "title", "publisher", "language", "url", "created_at", "updated_at", "revision")


def history_events(engine: Engine, story: str) -> list[HistoryEvent]:
    """Events are dated by when Headwater learnt of them."""
    with read_transaction(engine) as connection:
        members = select(story_members.c.document_id).where(story_members.c.story_id == story)
        ids = list(connection.scalars(members))
        return [*_reports(connection, ids), *_copies(connection, ids)] if ids else []


def _reports(connection: Connection, ids: list[str]) -> Iterator[HistoryEvent]:
    """Each document when it arrived, and its later revisions."""
    columns = (documents.c[name] for name in NAMES)
    rows = connection.execute(select(*columns).where(in_list(documents.c.id, ids))).mappings().all()
    columns_of_revisions = (
        revisions.c.document_id,
        revisions.c.revision,
        revisions.c.title,
        revisions.c.created_at,
    )
    earlier = connection.execute(
        select(*columns_of_revisions).where(
            in_list(revisions.c.document_id, ids), revisions.c.state == State.KEPT
        )
    ).all()
    titles = {(row.document_id, row.revision): (row.title, row.created_at) for row in earlier}
    for row in rows:
        numbers = sorted({row["revision"], *(number for document, number in titles if document == row["id"])})
        for place, number in enumerate(numbers):
            title, changed_at = titles.get((row["id"], number), (row["title"], row["updated_at"]))
            yield HistoryEvent(
                at=row["created_at"] if place == 0 else changed_at,
                kind="report" if place == 0 else "revision",
                document=row["id"],
                title=title,
                publisher=row["publisher"],
                language=row["language"],
                url=row["url"],
                revision=number,
            )


def _copies(connection: Connection, ids: list[str]) -> Iterator[HistoryEvent]:
    columns = (documents.c[name] for name in NAMES)
    query = (
        select(edges.c.to_id, *columns)
        .join(documents, documents.c.id == edges.c.from_id)
        .where(in_list(edges.c.to_id, ids), edges.c.relation == "duplicate")
        .where(documents.c.state == State.DUPLICATE)
    )
    for row in connection.execute(query.distinct()).mappings():
        yield HistoryEvent(
            at=row["created_at"],
            kind="copy",
            document=row["id"],
            title=row["title"],
            publisher=row["publisher"],
            language=row["language"],
            url=row["url"],
            revision=row["revision"],
            of=row["to_id"],
        )
