"""What health rules about a pipeline are held against."""

from datetime import datetime, timedelta
from urllib.parse import urlsplit

from sqlalchemy import Engine, case, func, select

from headwater.model.jobs import State
from headwater.ops.alarms.pipeline_rules import PipelineFigures
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import documents, leads, sources, stories
from headwater.store.schema.operations import pipeline_runs

MOST_HELD_UP = 10_000
GOING = ("pending", "running")
UNREADABLE = (
    "js_required",
    "paywall",
    "consent",
    "login",
    "error_page",
    "soft_404",
    "no_text",
    "malformed",
    "encrypted",
    "requires_ocr",
)


def pipeline_figures(engine: Engine, recipe: str, now: datetime) -> PipelineFigures | None:
    """Of the newest run; None where a recipe never had one."""
    newest = select(pipeline_runs).where(pipeline_runs.c.recipe == recipe)
    newest = newest.order_by(pipeline_runs.c.created_at.desc()).limit(1)
    unread = func.sum(case((documents.c.reason.in_(UNREADABLE), 1), else_=0))
    closed = select(leads.c.url).where(leads.c.recipe == recipe, leads.c.reason == "breaker_open")
    with read_transaction(engine) as connection:
        run = connection.execute(newest).mappings().first()
        if run is None:
            return None
        begun = run["started_at"] or run["created_at"]
        read = connection.execute(
            select(func.count(), unread).where(
                documents.c.recipe == recipe,
                documents.c.updated_at >= begun,
                documents.c.state != State.WAITING,
            )
        ).one()
        told = connection.execute(
            select(func.count(), func.sum(case((stories.c.size == 1, 1), else_=0))).where(
                stories.c.recipe == recipe, stories.c.state == "live", stories.c.updated_at >= begun
            )
        ).one()
        hosts = {urlsplit(url).hostname for url in connection.scalars(closed.limit(MOST_HELD_UP))}
    going = run["status"] in GOING
    return PipelineFigures(
        lasted=now - begun if going else timedelta(0),
        entries=run["total"],
        failed=run["failed"],
        read=read[0],
        unreadable=read[1] or 0,
        breakers=len(hosts),
        stories=told[0],
        single=told[1] or 0,
    )


def last_seen(engine: Engine, recipe: str) -> dict[str, datetime]:
    """When something about each subject came in last."""
    whose = func.coalesce(leads.c.subject_id, sources.c.subject_id)
    query = (
        select(whose, func.max(leads.c.first_seen_at))
        .join(sources, sources.c.id == leads.c.source_id)
        .where(leads.c.recipe == recipe, whose.is_not(None))
        .group_by(whose)
    )
    with read_transaction(engine) as connection:
        return {row[0]: row[1] for row in connection.execute(query)}
