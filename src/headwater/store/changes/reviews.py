"""Samples for reviews, and the verdicts of people."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, select, update

from headwater.model.document import CONTENT_FIELDS
from headwater.model.errors import Refused
from headwater.model.jobs import State
from headwater.model.review import ReviewVerdict, draw_sample
from headwater.store.bulk import insert_rows
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.in_list import in_list
from headwater.store.reads.catalogue import match_key_or_url
from headwater.store.schema.flow import documents
from headwater.store.schema.knowledge import facts
from headwater.store.schema.operations import reviews

SHOWN = ("title", "url", "publisher", "published_at", "language", "duplicate_of")


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleRequest:
    """Which documents a sample is drawn from. `seed` makes it reproducible."""

    recipe: str
    share: float
    seed: str
    states: tuple[State, ...] = (State.KEPT,)
    since: datetime | None = None
    until: datetime | None = None

    @property
    def name(self) -> str:
        return f"{self.recipe}-{self.seed}"


@dataclass(frozen=True)
class ReviewStore:
    engine: Engine

    def draw(self, request: SampleRequest, now: datetime) -> int:
        """Draws a sample and returns how many of its documents are new. Drawn again, it keeps its documents and their
        verdicts."""
        columns = (documents.c.id, documents.c.state, documents.c.revision)
        query = select(*columns).where(
            documents.c.recipe == request.recipe,
            documents.c.state.in_(request.states),
            *_within(request),
        )
        with write_transaction(self.engine) as connection:
            rows_by_id = {row.id: row for row in connection.execute(query)}
            sample = draw_sample(rows_by_id, request.share, request.seed) if rows_by_id else []
            rows = [
                {
                    "sample": request.name,
                    "document_id": document,
                    "recipe": request.recipe,
                    "revision": rows_by_id[document].revision,
                    "state": rows_by_id[document].state,
                    "created_at": now,
                }
                for document in sample
            ]
            return insert_rows(connection, reviews, rows) if rows else 0

    def give_verdict(
        self,
        document: str,
        verdict: ReviewVerdict,
        *,
        reviewer: str,
        reason: str,
        fields: Sequence[str],
        now: datetime,
    ) -> list[str]:
        """Stores the verdict in every sample with the document; returns their names. A second verdict replaces the first."""
        with write_transaction(self.engine) as connection:
            matching = select(documents.c.id).where(match_key_or_url(documents, document))
            ids = list(connection.scalars(matching.limit(2)))
            drawn = in_list(reviews.c.document_id, ids)
            names = list(connection.scalars(select(reviews.c.sample).where(drawn))) if len(ids) == 1 else []
            if not names:
                raise Refused(
                    "not_in_a_sample",
                    f"no sample has a document '{document}'; list them with `headwater sample list`",
                )
            _check_fields(connection, ids[0], fields)
            values = {
                "verdict": verdict,
                "fields": list(fields),
                "reason": reason or None,
                "reviewer": reviewer,
                "reviewed_at": now,
            }
            connection.execute(update(reviews).where(drawn).values(**values))
        return sorted(names)

    def list_reviews(self, sample: str | None = None, *, open_only: bool = False) -> list[dict[str, Any]]:
        """The drawn documents with their verdicts, by sample and in the order in which they were drawn."""
        query = (
            select(reviews, *(documents.c[name] for name in SHOWN))
            .join(documents, documents.c.id == reviews.c.document_id)
            .order_by(reviews.c.sample, reviews.c.created_at, reviews.c.document_id)
        )
        if sample is not None:
            query = query.where(reviews.c.sample == sample)
        if open_only:
            query = query.where(reviews.c.verdict.is_(None))
        with read_transaction(self.engine) as connection:
            return [dict(row) for row in connection.execute(query).mappings()]


def _check_fields(connection: Connection, document: str, fields: Sequence[str]) -> None:
    """Refused for a field that the document does not have: neither of its own, nor from its source, nor as a fact."""
    if not fields:
        return
    attributes = connection.scalar(select(documents.c.attributes).where(documents.c.id == document)) or {}
    names = {*CONTENT_FIELDS, *attributes}
    for row in connection.execute(select(facts.c.name, facts.c.value).where(facts.c.record_id == document)):
        names |= {row.name, *(row.value if isinstance(row.value, dict) else ())}
    if unknown := sorted(set(fields) - names):
        choices = ", ".join(sorted(names))
        raise Refused("unknown_field", f"the document has no field '{unknown[0]}'; it has: {choices}")


def _within(request: SampleRequest) -> list[ColumnElement[bool]]:
    bounds: list[ColumnElement[bool]] = []
    if request.since is not None:
        bounds.append(documents.c.created_at >= request.since)
    if request.until is not None:
        bounds.append(documents.c.created_at < request.until)
    return bounds
