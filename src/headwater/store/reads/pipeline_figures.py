"""The figures of the newest run, which alarm rules check, and when each subject was last in the news."""

from dataclasses import replace
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from sqlalchemy import Connection, Engine, RowMapping, case, func, or_, select, union_all

from headwater.model.alarm import MIN_COUNT, PipelineFigures
from headwater.model.http import BREAKER_OPEN
from headwater.model.jobs import State
from headwater.model.page import UNREAD_PAGES, PageState
from headwater.store.changes.pipeline_runs import CONTINUOUS, OPEN_STATUSES
from headwater.store.connect import read_transaction
from headwater.store.reads.run_counts import held_back, run_counts
from headwater.store.schema.flow import documents, leads, sources, stories
from headwater.store.schema.operations import pipeline_runs

MAX_BLOCKED = 10_000
# A run whose entries all wait says nothing about failures.
_ENDED_COUNT = (
    pipeline_runs.c.processed_count + pipeline_runs.c.failed_count + pipeline_runs.c.duplicate_count
)
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


def pipeline_figures(engine: Engine, recipe: str, now: datetime) -> PipelineFigures:
    """Figures of the newest run that has entries enough to judge it, and the time that the open one has taken: one that has
    just begun says less than the last one that ended. Hosts that are not fetched need no run."""
    of_recipe = select(pipeline_runs).where(pipeline_runs.c.recipe == recipe)
    newest_first = of_recipe.order_by(pipeline_runs.c.created_at.desc()).limit(1)
    is_open = pipeline_runs.c.status.in_(OPEN_STATUSES)
    with read_transaction(engine) as connection:
        hosts = _hosts_not_fetched(connection, recipe)
        open_run = connection.execute(newest_first.where(is_open)).mappings().first()
        ended_run = connection.execute(newest_first.where(~is_open, _ENDED_COUNT > 0)).mappings().first()
        figures = None if open_run is None else _figures_since(connection, recipe, _start(open_run))
        if ended_run is not None and (figures is None or figures.entries < MIN_COUNT):
            figures = replace(
                _figures_since(connection, recipe, _start(ended_run)),
                entries=ended_run["total_count"],
                failed=ended_run["failed_count"],
            )
    return replace(figures or PipelineFigures(), duration=_duration(open_run, now), open_breakers=hosts)


def _duration(open_run: RowMapping | None, now: datetime) -> timedelta:
    """A run of workers that never end stays open as long as there is work: it is not slow."""
    if open_run is None or open_run["metrics"].get(CONTINUOUS):
        return timedelta(0)
    return now - _start(open_run)


def _start(run: RowMapping) -> datetime:
    started_at: datetime = run["started_at"] or run["created_at"]
    return started_at


def _figures_since(connection: Connection, recipe: str, since: datetime) -> PipelineFigures:
    counts = run_counts(connection, recipe, since, sum(held_back(connection, recipe, since).values()))
    page_count, unread_count = _page_counts(connection, recipe, since)
    story_counts = connection.execute(
        select(func.count(), func.sum(case((stories.c.size == 1, 1), else_=0))).where(
            stories.c.recipe == recipe, stories.c.state == "live", stories.c.updated_at >= since
        )
    ).one()
    return PipelineFigures(
        entries=counts["total_count"],
        failed=counts["failed_count"],
        read=page_count,
        unreadable=unread_count,
        stories=story_counts[0],
        single=story_counts[1] or 0,
    )


def _hosts_not_fetched(connection: Connection, recipe: str) -> tuple[str, ...]:
    """The hosts whose pages or feeds wait because their circuit breaker is open."""
    waiting_pages = select(leads.c.url).where(leads.c.recipe == recipe, leads.c.reason == BREAKER_OPEN)
    waiting_sources = select(sources.c.url).where(
        sources.c.recipe == recipe, sources.c.active, sources.c.reason == BREAKER_OPEN
    )
    urls = connection.scalars(union_all(waiting_pages, waiting_sources).limit(MAX_BLOCKED))
    return tuple(sorted({urlsplit(url).hostname or url for url in urls}))


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
