"""Stored documents and stories as queries see them, batch by batch: for trying a search on the past."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, Engine, func, select

from headwater.model.document import Document, Mention
from headwater.model.jobs import State
from headwater.model.story import Story
from headwater.search.matching import SearchedDocument, searched_document, searched_story
from headwater.store.connect import read_transaction
from headwater.store.in_list import in_list
from headwater.store.records import stories_by_id
from headwater.store.rows import DOCUMENT_COLUMNS, document_from
from headwater.store.schema.flow import documents, sources, stories, story_members
from headwater.store.schema.knowledge import mentions

AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record with what queries are compared with."""

    record: Document | Story
    searched: SearchedDocument


def stored_documents(
    engine: Engine, recipes: Sequence[str], since: datetime | None = None
) -> Iterator[list[StoredRecord]]:
    """The kept documents of these recipes, in batches ordered by id; each batch is read when it is requested."""
    last_id = ""
    moment = func.coalesce(documents.c.published_at, documents.c.created_at)
    query = select(*DOCUMENT_COLUMNS, documents.c.created_at).where(
        documents.c.state == State.KEPT, in_list(documents.c.recipe, recipes)
    )
    if since is not None:
        query = query.where(moment >= since)
    while True:
        with read_transaction(engine) as connection:
            batch = query.where(documents.c.id > last_id).order_by(documents.c.id).limit(AT_ONCE)
            rows = connection.execute(batch).mappings().all()
            if not rows:
                return
            last_id = rows[-1]["id"]
            arrivals = {row["id"]: row["created_at"] for row in rows}
            records = _searched(connection, [document_from(row) for row in rows], arrivals)
        yield records


def _searched(
    connection: Connection, batch: Sequence[Document], arrivals: dict[str, datetime]
) -> list[StoredRecord]:
    ids = [document.id for document in batch]
    names = {row.id: row.name for row in connection.execute(select(sources.c.id, sources.c.name))}
    mentions_by_id: defaultdict[str, list[Mention]] = defaultdict(list)
    stored_mentions = select(mentions).where(in_list(mentions.c.document_id, ids))
    for row in connection.execute(stored_mentions).mappings():
        mention = Mention(row["subject_id"], row["kind"], row["confidence"], row["count"])
        mentions_by_id[row["document_id"]].append(mention)
    stories_by_document: defaultdict[str, list[str]] = defaultdict(list)
    members = select(story_members).where(in_list(story_members.c.document_id, ids))
    for member in connection.execute(members):
        stories_by_document[member.document_id].append(member.story_id)
    return [
        StoredRecord(
            document,
            searched_document(
                document.with_changes(mentions=tuple(mentions_by_id[document.id])),
                source_name=names.get(document.source, ""),
                stories=stories_by_document[document.id],
                arrived=arrivals[document.id],
            ),
        )
        for document in batch
    ]


def stored_stories(
    engine: Engine, recipes: Sequence[str], since: datetime | None = None
) -> Iterator[list[StoredRecord]]:
    """The current stories of these recipes, in the same way."""
    last_id = ""
    query = select(stories.c.id).where(stories.c.state == "live", in_list(stories.c.recipe, recipes))
    if since is not None:
        query = query.where(stories.c.last_at >= since)
    while True:
        with read_transaction(engine) as connection:
            batch = query.where(stories.c.id > last_id).order_by(stories.c.id).limit(AT_ONCE)
            ids = list(connection.scalars(batch))
            if not ids:
                return
            last_id = ids[-1]
            by_id = stories_by_id(connection, ids)
        yield [StoredRecord(by_id[story_id], searched_story(by_id[story_id])) for story_id in ids]
