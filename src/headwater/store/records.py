"""Reads complete records."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection, Select, select, union_all

from headwater.model.alarm import Alarm
from headwater.model.document import Document, FactValue
from headwater.model.story import Member, Story
from headwater.store.in_list import in_list, in_named_list
from headwater.store.rows import DOCUMENT_COLUMNS, alarm_from, document_from, story_from
from headwater.store.schema.flow import documents, leads, stories, story_members
from headwater.store.schema.knowledge import edges, facts
from headwater.store.schema.operations import alarms


def documents_by_id(connection: Connection, ids: Sequence[str]) -> dict[str, Document]:
    if not ids:
        return {}
    rows = connection.execute(_documents_of_ids(), {"ids": ids}).mappings()
    return {row["id"]: document_from(row) for row in rows}


@cache
def _documents_of_ids() -> Select[Any]:
    return select(*DOCUMENT_COLUMNS).where(in_named_list(documents.c.id, "ids"))


def lead_hints(connection: Connection, ids: Sequence[str]) -> dict[str, list[Mapping[str, Any]]]:
    """The hints of every lead of each document, with its title."""
    hints_by_document: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    if not ids:
        return hints_by_document
    first = select(documents.c.lead_id).where(in_list(documents.c.id, ids))
    duplicates = select(edges.c.from_id).where(in_list(edges.c.to_id, ids), edges.c.relation == "duplicate")
    query = (
        select(leads.c.document_id, leads.c.title, leads.c.hints)
        .where(leads.c.id.in_(union_all(first, duplicates)), in_list(leads.c.document_id, ids))
        .order_by(leads.c.first_seen_at, leads.c.id)
    )
    for row in connection.execute(query):
        hints_by_document[row.document_id].append({"title": row.title or ""} | dict(row.hints or {}))
    return hints_by_document


def stories_by_id(connection: Connection, ids: Sequence[str]) -> dict[str, Story]:
    if not ids:
        return {}
    rows = connection.execute(select(stories).where(in_list(stories.c.id, ids))).mappings().all()
    members_by_story = defaultdict(list)
    for row in connection.execute(
        select(story_members)
        .where(in_list(story_members.c.story_id, ids))
        .order_by(story_members.c.story_id, story_members.c.document_id)
    ):
        members_by_story[row.story_id].append(Member(row.document_id, row.similarity))
    facts_by_story = facts_by_record(connection, ids)
    return {
        row["id"]: story_from(row, tuple(members_by_story[row["id"]]), facts_by_story[row["id"]])
        for row in rows
    }


def facts_by_record(connection: Connection, ids: Sequence[str]) -> Mapping[str, Mapping[str, FactValue]]:
    """With an empty mapping for a record without facts."""
    facts_by_id: defaultdict[str, dict[str, FactValue]] = defaultdict(dict)
    for row in connection.execute(select(facts).where(in_list(facts.c.record_id, ids))):
        facts_by_id[row.record_id][row.name] = FactValue(row.value, row.step, row.version)
    return facts_by_id


def alarms_by_id(connection: Connection, ids: Sequence[str]) -> dict[str, Alarm]:
    if not ids:
        return {}
    rows = connection.execute(select(alarms).where(alarms.c.id.in_(ids))).mappings()
    return {row["id"]: alarm_from(row) for row in rows}
