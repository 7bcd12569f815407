"""Articles and bars on their way out: read in order, a few at a time, from one consistent view."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Engine, Select, select

from headwater.model.jobs import State
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import documents, sources
from headwater.store.schema.knowledge import bars

AT_ONCE = 200
DateField = Literal["stored", "published"]
DATE_COLUMNS = {"stored": documents.c.updated_at, "published": documents.c.published_at}


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleFilter:
    """Kept articles of a recipe from `since` on and before `until`, by the moment they were stored (or changed last) or
    published. Whoever fetches regularly asks for stored ones: what is published late is not missed."""

    recipe: str
    since: datetime | None = None
    until: datetime | None = None
    by: DateField = "stored"


def export_articles(engine: Engine, wanted: ArticleFilter) -> Iterator[dict[str, Any]]:
    """In the order of that moment."""
    with read_transaction(engine) as connection:
        streaming = connection.execution_options(stream_results=True, yield_per=AT_ONCE)
        with streaming.execute(_query(wanted)) as found:
            for row in found.mappings():
                yield _article(dict(row))


def _query(wanted: ArticleFilter) -> Select[Any]:
    column = DATE_COLUMNS[wanted.by]
    query = (
        select(documents, sources.c.name.label("source_name"), sources.c.url.label("source_url"))
        .join(sources, sources.c.id == documents.c.source_id)
        .where(documents.c.recipe == wanted.recipe, documents.c.state == State.KEPT)
    )
    if wanted.since is not None:
        query = query.where(column >= wanted.since)
    if wanted.until is not None:
        query = query.where(column < wanted.until)
    return query.order_by(column)


@dataclass(frozen=True, slots=True, kw_only=True)
class BarFilter:
    """Bars of a recipe, of one symbol and one span unless all are wanted, that began within that time."""

    recipe: str
    symbol: str | None = None
    span: str | None = None
    since: datetime | None = None
    until: datetime | None = None


def export_bars(engine: Engine, wanted: BarFilter) -> Iterator[dict[str, Any]]:
    """By symbol, span and time."""
    query = select(bars).where(bars.c.recipe == wanted.recipe)
    if wanted.symbol is not None:
        query = query.where(bars.c.symbol == wanted.symbol)
    if wanted.span is not None:
        query = query.where(bars.c.span == wanted.span)
    if wanted.since is not None:
        query = query.where(bars.c.at >= wanted.since)
    if wanted.until is not None:
        query = query.where(bars.c.at < wanted.until)
    with read_transaction(engine) as connection:
        streaming = connection.execution_options(stream_results=True, yield_per=AT_ONCE)
        with streaming.execute(query.order_by(bars.c.symbol, bars.c.span, bars.c.at)) as found:
            for row in found.mappings():
                yield {name: value for name, value in row.items() if name not in {"recipe", "capture_id"}}


def _article(row: dict[str, Any]) -> dict[str, Any]:
    attributes = row["attributes"] or {}
    return {
        "id": row["id"],
        "external_id": row["external_id"],
        "guid": row["guid"] or row["clean_url"],
        "url": row["clean_url"],
        "title": row["title"],
        "subtitle": str(attributes.get("subtitle") or row["description"]),
        "authors": list(row["authors"] or ()),
        "body": row["text"],
        "keywords": list(row["keywords"] or ()),
        "language": row["language"],
        "image_url": row["image"],
        "publisher": row["publisher"],
        "source": row["source_name"],
        "source_url": row["source_url"],
        "published_on": row["published_at"],
        "modified_on": row["modified_at"],
        "quality": row["quality"],
        "revision": row["revision"],
        "created_at": row["created_at"],
        "updated_at": row["updated_at"],
    }
