"""What became of the entries of a run."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, func, select

from headwater.model.jobs import State
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import documents, leads, stories

ENDED = (State.DROPPED, State.ASIDE, State.QUARANTINED)


def held_back(connection: Connection, recipe: str, since: datetime) -> dict[str, int]:
    """The number of entries that were tried since then and are tried again later, by reason."""
    has_new_document = (
        select(documents.c.id)
        .where(documents.c.id == leads.c.document_id, documents.c.updated_at >= since)
        .exists()
    )
    of_leads = select(leads.c.reason, func.count()).where(
        leads.c.recipe == recipe,
        leads.c.state == State.WAITING,
        leads.c.updated_at >= since,
        leads.c.reason.is_not(None),
        ~has_new_document,
    )
    return {row[0]: row[1] for row in connection.execute(of_leads.group_by(leads.c.reason))}


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
    """What became of the entries since then. `waiting` are those that are held back."""
    by_state = select(documents.c.state, func.count()).where(
        documents.c.recipe == recipe, documents.c.updated_at >= since
    )
    document_counts = {row[0]: row[1] for row in connection.execute(by_state.group_by(documents.c.state))}
    lost_leads = connection.scalar(
        select(func.count()).where(
            leads.c.recipe == recipe,
            leads.c.updated_at >= since,
            leads.c.state.in_((State.QUARANTINED, State.DROPPED)),
        )
    )
    story_count = connection.scalar(
        select(func.count()).where(
            stories.c.recipe == recipe, stories.c.updated_at >= since, stories.c.state == "live"
        )
    )
    return {
        "total_count": sum(document_counts.values()) + (lost_leads or 0) + waiting,
        "processed_count": document_counts.get(State.KEPT, 0),
        "failed_count": sum(document_counts.get(state, 0) for state in ENDED) + (lost_leads or 0),
        "duplicate_count": document_counts.get(State.DUPLICATE, 0),
        "story_count": story_count or 0,
    }
