"""The figures of the newest run, which alarm rules check, and when each subject was last in the news."""

from datetime import datetime, timedelta
from urllib.parse import urlsplit

from sqlalchemy import Connection, Engine, case, func, or_, select

from headwater.model.alarm import PipelineFigures
from headwater.model.jobs import State
from headwater.model.page import UNREAD_PAGES, PageState
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import documents, leads, sources, stories
from headwater.store.schema.operations import pipeline_runs

MAX_BLOCKED_LEADS = 10_000
UNFINISHED = ("pending", "running")
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
    """Figures of the newest run that goes on or had entries: one that found nothing new says nothing about the last that did.
    None if the recipe never had one."""
    says_something = or_(pipeline_runs.c.status.in_(UNFINISHED), pipeline_runs.c.total_count > 0)
    newest = select(pipeline_runs).where(pipeline_runs.c.recipe == recipe, says_something)
    newest = newest.order_by(pipeline_runs.c.created_at.desc()).limit(1)
    blocked = select(leads.c.url).where(leads.c.recipe == recipe, leads.c.reason == "breaker_open")
    with read_transaction(engine) as connection:
        run = connection.execute(newest).mappings().first()
        if run is None:
            return None
        started_at = run["started_at"] or run["created_at"]
        page_count, unread_count = _page_counts(connection, recipe, started_at)
        story_counts = connection.execute(
            select(func.count(), func.sum(case((stories.c.size == 1, 1), else_=0))).where(
                stories.c.recipe == recipe, stories.c.state == "live", stories.c.updated_at >= started_at
            )
        ).one()
        hosts = {urlsplit(url).hostname for url in connection.scalars(blocked.limit(MAX_BLOCKED_LEADS))}
    return PipelineFigures(
        duration=now - started_at if run["status"] in UNFINISHED else timedelta(0),
        entries=run["total_count"],
        failed=run["failed_count"],
        read=page_count,
        unreadable=unread_count,
        breakers=len(hosts),
        stories=story_counts[0],
        single=story_counts[1] or 0,
    )


def _page_counts(connection: Connection, recipe: str, since: datetime) -> tuple[int, int]:
    """How many pages were wanted, and how many of them brought no text: those of documents that end for that reason or are
    made of what their source provided, and those of leads without a document."""
    unread = or_(documents.c.reason.in_(UNREADABLE), documents.c.page.in_(UNREAD_PAGES))
    of_documents = select(func.count(), func.sum(case((unread, 1), else_=0))).where(
        documents.c.recipe == recipe, documents.c.updated_at >= since, documents.c.state != State.WAITING
    )
    without_document = select(func.count()).where(
        leads.c.recipe == recipe,
        leads.c.updated_at >= since,
        leads.c.state.in_((State.DROPPED, State.QUARANTINED)),
        leads.c.reason != PageState.NOT_FETCHED,
        ~select(documents.c.id).where(documents.c.id == leads.c.document_id).exists(),
    )
    count, unread_count = connection.execute(of_documents).one()
    lost = connection.scalar(without_document) or 0
    return count + lost, (unread_count or 0) + lost


def last_seen(engine: Engine, recipe: str) -> dict[str, datetime]:
    """The time of the newest entry about each subject."""
    subject = func.coalesce(leads.c.subject_id, sources.c.subject_id)
    query = (
        select(subject, func.max(leads.c.first_seen_at))
        .join(sources, sources.c.id == leads.c.source_id)
        .where(leads.c.recipe == recipe, subject.is_not(None))
        .group_by(subject)
    )
    with read_transaction(engine) as connection:
        return {row[0]: row[1] for row in connection.execute(query)}
