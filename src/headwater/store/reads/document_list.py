"""Documents by recipe, source, language, state and time, newest first, in pages of any number."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Engine, Float, Integer, and_, func, or_, select

from headwater.model.jobs import State
from headwater.store.connect import read_transaction
from headwater.store.schema.columns import UtcDateTime
from headwater.store.schema.flow import documents, sources

PAGE = 500
# Work in progress, and how long it took, is no part of a document.
HIDDEN = frozenset(
    {
        "due_at",
        "lease_owner",
        "lease_until",
        "attempts",
        "step_ms",
        "next_capture_id",
        "number",
        "source_number",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentQuery:
    """`source` is a name or an id. Times compare with the publication, or the arrival of a document without a date."""

    recipe: str | None = None
    source: str | None = None
    language: str | None = None
    states: Sequence[State] = (State.KEPT,)
    since: datetime | None = None
    until: datetime | None = None
    limit: int | None = None


def iterate_documents(engine: Engine, query: DocumentQuery) -> Iterator[dict[str, Any]]:
    """Each page is read in its own short transaction, so that a slow reader blocks nobody."""
    moment = func.coalesce(documents.c.published_at, documents.c.created_at)
    columns = [column for column in documents.c if column.name not in HIDDEN]
    base = (
        select(*columns, sources.c.name.label("source"), moment.label("moment"))
        .join(sources, sources.c.id == documents.c.source_id, isouter=True)
        .where(*_conditions(query, moment))
        .order_by(moment.desc(), documents.c.id)
    )
    left, last = query.limit, None
    while left is None or left > 0:
        size = PAGE if left is None else min(PAGE, left)
        page = (
            base
            if last is None
            else base.where(or_(moment < last[0], and_(moment == last[0], documents.c.id > last[1])))
        )
        with read_transaction(engine) as connection:
            rows = [dict(row) for row in connection.execute(page.limit(size)).mappings()]
        for row in rows:
            last = (row.pop("moment"), row["id"])
            yield row
        if len(rows) < size:
            return
        left = None if left is None else left - len(rows)


def document_columns() -> dict[str, str]:
    """The columns of these rows with their types: time, int, float, or text for texts and for nested values as JSON."""
    kinds = {UtcDateTime: "time", Integer: "int", BigInteger: "int", Float: "float"}
    columns = [column for column in documents.c if column.name not in HIDDEN]
    return {column.name: kinds.get(type(column.type), "text") for column in columns} | {"source": "text"}


def _conditions(query: DocumentQuery, moment: Any) -> Iterator[Any]:
    if query.states:
        yield documents.c.state.in_(list(query.states))
    if query.recipe is not None:
        yield documents.c.recipe == query.recipe
    if query.source is not None:
        yield or_(sources.c.name == query.source, documents.c.source_id == query.source)
    if query.language is not None:
        yield documents.c.language == query.language
    if query.since is not None:
        yield moment >= query.since
    if query.until is not None:
        yield moment < query.until
