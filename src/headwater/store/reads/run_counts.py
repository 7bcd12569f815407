"""What became of the entries of a run."""

from collections import Counter
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, and_, func, or_, select

from headwater.model.jobs import State
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import documents, leads, sources, stories

ENDED = (State.DROPPED, State.ASIDE, State.QUARANTINED)
QUEUED = "queued"
"""What an entry waits for that was not tried yet."""


def held_back(connection: Connection, recipe: str, since: datetime) -> dict[str, int]:
    """The number of entries that were tried since then and are tried again later, by reason."""
    return _waiting_leads(connection, recipe, _is_put_off(since))


def waiting_entries(connection: Connection, recipe: str, since: datetime) -> dict[str, int]:
    """The number of entries that a run which began then leaves for later, by reason: those that it put off, and all that have
    no finished document yet, whenever they came in."""
    has_document = select(documents.c.id).where(documents.c.id == leads.c.document_id).exists()
    waiting_drafts = select(func.count()).where(
        documents.c.recipe == recipe, documents.c.state == State.WAITING
    )
    counts = Counter(_waiting_leads(connection, recipe, or_(_is_put_off(since), ~has_document)))
    counts[QUEUED] += connection.scalar(waiting_drafts) or 0
    return dict(+counts)


def _is_put_off(since: datetime) -> ColumnElement[bool]:
    has_new_document = (
        select(documents.c.id)
        .where(documents.c.id == leads.c.document_id, documents.c.updated_at >= since)
        .exists()
    )
    return and_(leads.c.updated_at >= since, leads.c.reason.is_not(None), ~has_new_document)


def _waiting_leads(connection: Connection, recipe: str, condition: ColumnElement[bool]) -> dict[str, int]:
    query = select(leads.c.reason, func.count()).where(
        leads.c.recipe == recipe, leads.c.state == State.WAITING, condition
    )
    return {row[0] or QUEUED: row[1] for row in connection.execute(query.group_by(leads.c.reason))}


def waiting_reasons(engine: Engine, recipe: str) -> list[dict[str, Any]]:
    """Why entries are tried again later: each reason with its count and the time of the next try, most frequent first."""
    of_leads = (
        select(leads.c.reason, func.count().label("count"), func.min(leads.c.due_at).label("next"))
        .where(leads.c.recipe == recipe, leads.c.state == State.WAITING, leads.c.reason.is_not(None))
        .group_by(leads.c.reason)
        .order_by(func.count().desc(), leads.c.reason)
    )
    with read_transaction(engine) as connection:
        return [dict(row) for row in connection.execute(of_leads).mappings()]


def count_revised(engine: Engine, recipe: str, since: datetime) -> int:
    """The kept documents that have a new revision since then; new documents do not count. A document is written when a
    revision of it is decided; one that is rejected leaves it as it was."""
    revised = select(func.count()).where(
        documents.c.recipe == recipe,
        documents.c.created_at < since,
        documents.c.updated_at >= since,
        documents.c.state == State.KEPT,
        documents.c.revision > 1,
    )
    with read_transaction(engine) as connection:
        return connection.scalar(revised) or 0


def run_counts(connection: Connection, recipe: str, since: datetime, waiting: int) -> dict[str, int]:
    """What became of the entries since then. `waiting` are those that are left for later; a duplicate is one by its content or
    by its address."""
    by_state = select(documents.c.state, func.count()).where(
        documents.c.recipe == recipe, documents.c.updated_at >= since, documents.c.state != State.WAITING
    )
    document_counts = {row[0]: row[1] for row in connection.execute(by_state.group_by(documents.c.state))}
    lost_leads = connection.scalar(
        select(func.count()).where(
            leads.c.recipe == recipe,
            leads.c.updated_at >= since,
            leads.c.state.in_((State.QUARANTINED, State.DROPPED)),
        )
    )
    of_recipe = select(sources.c.id).where(sources.c.recipe == recipe)
    duplicate_leads = connection.scalar(
        select(func.count()).where(
            leads.c.source_id.in_(of_recipe),
            leads.c.first_seen_at >= since,
            leads.c.state == State.DUPLICATE,
        )
    )
    duplicate_count = document_counts.pop(State.DUPLICATE, 0) + (duplicate_leads or 0)
    story_count = connection.scalar(
        select(func.count()).where(
            stories.c.recipe == recipe, stories.c.updated_at >= since, stories.c.state == "live"
        )
    )
    return {
        "total_count": sum(document_counts.values()) + duplicate_count + (lost_leads or 0) + waiting,
        "processed_count": document_counts.get(State.KEPT, 0),
        "failed_count": sum(document_counts.get(state, 0) for state in ENDED) + (lost_leads or 0),
        "duplicate_count": duplicate_count,
        "story_count": story_count or 0,
    }
