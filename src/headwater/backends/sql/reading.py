"""Stored records, read whole."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, select, union_all

from headwater.backends.sql.among import among
from headwater.backends.sql.rows import DOCUMENT_COLUMNS, alarm_from, document_from, story_from
from headwater.backends.sql.schema import alarms, documents, edges, facts, leads, members, stories
from headwater.model.alarm import Alarm
from headwater.model.document import Document
from headwater.model.fact import Finding
from headwater.model.story import Member, Story


def documents_by_id(connection: Connection, ids: Sequence[str]) -> dict[str, Document]:
    if not ids:
        return {}
    rows = connection.execute(select(*DOCUMENT_COLUMNS).where(among(documents.c.id, ids))).mappings().all()
    return {row["id"]: document_from(row) for row in rows}


def told_about(connection: Connection, ids: Sequence[str]) -> dict[str, list[Mapping[str, Any]]]:
    """The hints of every lead that led to each document, with its title."""
    told: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    if not ids:
        return told
    first = select(documents.c.lead_id).where(among(documents.c.id, ids))
    others = select(edges.c.from_id).where(among(edges.c.to_id, ids), edges.c.relation == "duplicate")
    query = (
        select(leads.c.document_id, leads.c.title, leads.c.hints)
        .where(leads.c.id.in_(union_all(first, others)), among(leads.c.document_id, ids))
        .order_by(leads.c.first_seen_at, leads.c.id)
    )
    for row in connection.execute(query):
        told[row.document_id].append({"title": row.title or ""} | dict(row.hints or {}))
    return told


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


def alarms_by_id(connection: Connection, ids: Sequence[str]) -> dict[str, Alarm]:
    if not ids:
        return {}
    rows = connection.execute(select(alarms).where(alarms.c.id.in_(ids))).mappings()
    return {row["id"]: alarm_from(row) for row in rows}
