"""Exports articles and bars: in order, in batches, from one consistent snapshot."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Engine, Select, or_, select

from headwater.model.jobs import State
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import documents, sources
from headwater.store.schema.knowledge import bars
from headwater.text.redaction import hide_secrets

AT_ONCE = 200
DateField = Literal["stored", "published"]
DATE_COLUMNS = {"stored": documents.c.updated_at, "published": documents.c.published_at}


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleFilter:
    """Kept articles of a recipe, of a source (its name or id) and in a language, from `since` to before `until`, by the time
    they were stored (or last changed) or published. A program that exports regularly uses the stored time, so that it does not miss what was published
    late."""

    recipe: str
    since: datetime | None = None
    until: datetime | None = None
    source: str | None = None
    language: str | None = None
    limit: int | None = None
    by: DateField = "stored"


def export_articles(engine: Engine, article_filter: ArticleFilter) -> Iterator[dict[str, Any]]:
    """Ordered by that time."""
    with read_transaction(engine) as connection:
        streaming = connection.execution_options(stream_results=True, yield_per=AT_ONCE)
        with streaming.execute(_query(article_filter)) as result:
            for row in result.mappings():
                yield _article(dict(row))


def _query(article_filter: ArticleFilter) -> Select[Any]:
    column = DATE_COLUMNS[article_filter.by]
    query = (
        select(documents, sources.c.name.label("source_name"), sources.c.url.label("source_url"))
        .join(sources, sources.c.id == documents.c.source_id)
        .where(documents.c.recipe == article_filter.recipe, documents.c.state == State.KEPT)
    )
    if article_filter.since is not None:
        query = query.where(column >= article_filter.since)
    if article_filter.until is not None:
        query = query.where(column < article_filter.until)
    if article_filter.source is not None:
        query = query.where(
            or_(sources.c.name == article_filter.source, sources.c.id == article_filter.source)
        )
    if article_filter.language is not None:
        query = query.where(documents.c.language == article_filter.language)
    return query.order_by(column).limit(article_filter.limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class BarFilter:
    """Bars of a recipe that began in that period, of one symbol and one span or of all."""

    recipe: str
    symbol: str | None = None
    span: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    limit: int | None = None


def export_bars(engine: Engine, bar_filter: BarFilter) -> Iterator[dict[str, Any]]:
    """Ordered by symbol, span and time."""
    query = select(bars).where(bars.c.recipe == bar_filter.recipe)
    if bar_filter.symbol is not None:
        query = query.where(bars.c.symbol == bar_filter.symbol)
    if bar_filter.span is not None:
        query = query.where(bars.c.span == bar_filter.span)
    if bar_filter.since is not None:
        query = query.where(bars.c.at >= bar_filter.since)
    if bar_filter.until is not None:
        query = query.where(bars.c.at < bar_filter.until)
    ordered = query.order_by(bars.c.symbol, bars.c.span, bars.c.at).limit(bar_filter.limit)
    with read_transaction(engine) as connection:
        streaming = connection.execution_options(stream_results=True, yield_per=AT_ONCE)
        with streaming.execute(ordered) as result:
            for row in result.mappings():
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
        "source_url": hide_secrets(row["source_url"]),
        "published_on": row["published_at"],
        "modified_on": row["modified_at"],
        "page": row["page"],
        "quality": row["quality"],
        "revision": row["revision"],
        "created_at": row["created_at"],
        "updated_at": row["updated_at"],
    }
