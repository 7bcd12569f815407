"""The lists of the API: documents, captures, stories, quarantined records, alarms and runs, page by page."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Column, ColumnElement, Engine, Table, literal, select

from headwater.model.jobs import State
from headwater.store.connect import read_transaction
from headwater.store.reads.document_list import HIDDEN
from headwater.store.reads.pages import IndexOrder, Position, RowPage, read_page
from headwater.store.rows import Record
from headwater.store.schema.flow import (
    captures,
    documents,
    polls,
    quarantine,
    revisions,
    sources,
    stories,
    story_members,
)
from headwater.store.schema.knowledge import mentions, subjects
from headwater.store.schema.operations import alarms, pipeline_runs

DocumentSort = Literal["created", "published", "updated"]
StorySort = Literal["last", "first", "updated", "size", "heat"]
RunSort = Literal["created", "entries", "failed"]
QuarantineSort = Literal["created", "reason", "recipe"]
SourceSort = Literal["created", "polled"]
Direction = Literal["desc", "asc"]


@dataclass(frozen=True, slots=True)
class ListedTable:
    """A table as a list: its columns by the names of the API, in order; those that a list shows by default; the columns by
    which it is ordered; and by name the columns that may take the place of the first of them. Each of those orders has an index
    that begins with the recipe."""

    table: Table
    columns: Mapping[str, Column[Any]]
    shown: tuple[str, ...]
    order: tuple[Column[Any], ...]
    sortable: Mapping[str, tuple[Column[Any], ...]] = field(default_factory=dict)

    def order_by(self, sort: str) -> tuple[Column[Any], ...]:
        return (*self.sortable[sort], *self.order[1:]) if sort else self.order

    def select_columns(self, names: Sequence[str]) -> list[Column[Any]]:
        return [self.columns[name] for name in names]


def _columns(table: Table, *, without: frozenset[str] = frozenset()) -> Mapping[str, Column[Any]]:
    return {column.name: column for column in table.c if column.name not in without}


def _listed(
    table: Table,
    hidden: str,
    order: tuple[Column[Any], ...],
    rare: str = "",
    sortable: Mapping[str, tuple[Column[Any], ...]] | None = None,
) -> ListedTable:
    columns = _columns(table, without=frozenset(hidden.split()))
    shown = tuple(name for name in columns if name not in rare.split())
    return ListedTable(table, columns, shown, order, sortable or {})


DOCUMENTS = ListedTable(
    documents,
    _columns(documents, without=HIDDEN),
    (
        "id", "recipe", "source_id", "state", "reason", "revision", "url", "title", "description", "publisher", "authors",
        "published_at", "language", "page", "quality", "duplicate_of", "group_id", "created_at", "updated_at",
    ),
    (documents.c.created_at, documents.c.id),
    {"created": (documents.c.created_at,), "published": (documents.c.published_at,), "updated": (documents.c.updated_at,)},
)  # fmt: skip
REVISIONS = _listed(revisions, "", (revisions.c.revision,), "text trail")
CAPTURES = _listed(
    captures,
    "pack start length url_number final_url_number",
    (captures.c.fetched_at, captures.c.id),
    "headers",
)
STORIES = _listed(
    stories,
    "",
    (stories.c.last_at, stories.c.id),
    sortable={
        "last": (stories.c.last_at,),
        "first": (stories.c.first_at,),
        "updated": (stories.c.updated_at,),
        "size": (stories.c.size,),
        "heat": (stories.c.score,),
    },
)
QUARANTINE = _listed(
    quarantine,
    "",
    (quarantine.c.created_at, quarantine.c.record_id, quarantine.c.task),
    "evidence",
    {
        "created": (quarantine.c.created_at,),
        "reason": (quarantine.c.reason, quarantine.c.created_at),
        "recipe": (quarantine.c.recipe, quarantine.c.created_at),
    },
)
ALARMS = _listed(alarms, "", (alarms.c.raised_at, alarms.c.id), "evidence")
RUNS = _listed(
    pipeline_runs,
    "",
    (pipeline_runs.c.created_at, pipeline_runs.c.id),
    "metrics",
    {
        "created": (pipeline_runs.c.created_at,),
        "entries": (pipeline_runs.c.total_count,),
        "failed": (pipeline_runs.c.failed_count,),
    },
)
POLLS = _listed(polls, "number source_number", (polls.c.started_at, polls.c.id), "warnings detail")
SOURCES = _listed(
    sources,
    "number lease_owner lease_until attempts",
    (sources.c.created_at, sources.c.id),
    "watermark options",
    {"created": (sources.c.created_at,), "polled": (sources.c.last_polled_at,)},
)
SUBJECTS = _listed(subjects, "", (subjects.c.name, subjects.c.id))


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """`sort` names a column of the list's table, `""` its usual order, newest first."""

    names: Sequence[str]
    sort: str = ""
    is_ascending: bool = False
    after: Position | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentConditions:
    """`source`, `story` and `subject` are ids. Times compare with the column by which the list is sorted."""

    recipes: Sequence[str]
    states: Sequence[State] = (State.KEPT,)
    source: str | None = None
    story: str | None = None
    subject: str | None = None
    language: str | None = None
    since: datetime | None = None
    until: datetime | None = None


def list_documents(engine: Engine, selection: DocumentConditions, page: PageRequest) -> RowPage:
    order = DOCUMENTS.order_by(page.sort)
    moment = order[0]
    conditions = [*_period(moment, selection.since, selection.until)]
    if selection.source is not None:
        conditions.append(documents.c.source_id == selection.source)
    if selection.language is not None:
        conditions.append(documents.c.language == selection.language)
    for table, key, value in (
        (story_members, story_members.c.story_id, selection.story),
        (mentions, mentions.c.subject_id, selection.subject),
    ):
        if value is not None:
            conditions.append(documents.c.id.in_(select(table.c.document_id).where(key == value)))
    ranges = _document_ranges(selection, is_usual=page.sort in {"", "created"})
    return read_page(
        engine,
        DOCUMENTS.select_columns(page.names),
        IndexOrder(columns=order, ranges=ranges, is_ascending=page.is_ascending),
        conditions=conditions,
        after=page.after,
        limit=page.limit,
    )


def _document_ranges(
    selection: DocumentConditions, *, is_usual: bool
) -> list[tuple[ColumnElement[bool], ...]]:
    """One for each recipe and state: then the index has the rows in order. A source or a language has its own index."""
    if not is_usual or selection.source or selection.language:
        # The empty text keeps the databases from taking the index of states instead.
        states = (documents.c.state + literal("")).in_(list(selection.states))
        return [(documents.c.recipe == recipe, states) for recipe in selection.recipes]
    return [
        (documents.c.recipe == recipe, documents.c.state == state)
        for recipe in selection.recipes
        for state in selection.states
    ]


def _period(moment: Column[Any], since: datetime | None, until: datetime | None) -> list[ColumnElement[bool]]:
    return [
        *([moment >= since] if since is not None else []),
        *([moment < until] if until is not None else []),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListConditions:
    """What every other list can be limited to; `more` are conditions of that list alone."""

    recipes: Sequence[str]
    since: datetime | None = None
    until: datetime | None = None
    more: Sequence[ColumnElement[bool]] = ()


def list_rows(engine: Engine, listed: ListedTable, selection: ListConditions, page: PageRequest) -> RowPage:
    """Rows of a table with a recipe. Times compare with the column of its usual order."""
    conditions = [*_period(listed.order[0], selection.since, selection.until), *selection.more]
    ranges = [(listed.table.c.recipe == recipe,) for recipe in selection.recipes]
    return read_page(
        engine,
        listed.select_columns(page.names),
        IndexOrder(columns=listed.order_by(page.sort), ranges=ranges, is_ascending=page.is_ascending),
        conditions=conditions,
        after=page.after,
        limit=page.limit,
    )


def list_of(
    engine: Engine, listed: ListedTable, condition: ColumnElement[bool], page: PageRequest
) -> RowPage:
    """Rows of a table that meet a condition on an indexed column: the captures of a lead, the polls of a source."""
    order = IndexOrder(columns=listed.order, ranges=[(condition,)])
    return read_page(engine, listed.select_columns(page.names), order, after=page.after, limit=page.limit)


def find_row(engine: Engine, listed: ListedTable, *condition: ColumnElement[bool]) -> Record | None:
    """The whole row, by the names of the API."""
    query = select(*listed.columns.values()).where(*condition).limit(1)
    with read_transaction(engine) as connection:
        row = connection.execute(query).mappings().first()
        return None if row is None else dict(row)


def story_timeline(engine: Engine, story: str, limit: int) -> list[Record]:
    """The documents of a story in the order of their publication, each with its similarity to the story."""
    names = (
        "id",
        "title",
        "url",
        "publisher",
        "source_id",
        "published_at",
        "created_at",
        "language",
        "revision",
        "capture_id",
    )
    query = (
        select(*(documents.c[name] for name in names), story_members.c.similarity)
        .join(story_members, story_members.c.document_id == documents.c.id)
        .where(story_members.c.story_id == story)
    )
    with read_transaction(engine) as connection:
        rows = [dict(row) for row in connection.execute(query).mappings()]
    rows.sort(key=lambda row: (row["published_at"] or row["created_at"], row["id"]))
    return rows[:limit]


ReadPage = Callable[[PageRequest], RowPage]
