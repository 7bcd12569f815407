"""Stored records, read whole."""

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import Connection, select

from headwater.backends.sql.among import among
from headwater.backends.sql.rows import DOCUMENT_COLUMNS, document_from, story_from
from headwater.backends.sql.schema import documents, facts, members, stories
from headwater.model.document import Document
from headwater.model.fact import Finding
from headwater.model.story import Member, Story


def documents_by_id(connection: Connection, ids: Sequence[str]) -> dict[str, Document]:
    if not ids:
        return {}
    rows = connection.execute(select(*DOCUMENT_COLUMNS).where(among(documents.c.id, ids))).mappings().all()
    return {row["id"]: document_from(row) for row in rows}


def stories_by_id(connection: Connection, ids: Sequence[str]) -> dict[str, Story]:
    if not ids:
        return {}
    rows = connection.execute(select(stories).where(among(stories.c.id, ids))).mappings().all()
    inside = defaultdict(list)
    for row in connection.execute(
        select(members)
        .where(among(members.c.story_id, ids))
        .order_by(members.c.story_id, members.c.document_id)
    ):
        inside[row.story_id].append(Member(row.document_id, row.similarity))
    said: dict[str, dict[str, Finding]] = defaultdict(dict)
    for row in connection.execute(select(facts).where(among(facts.c.record_id, ids))):
        said[row.record_id][row.name] = Finding(row.value, row.step, row.version)
    return {row["id"]: story_from(row, tuple(inside[row["id"]]), said[row["id"]]) for row in rows}
