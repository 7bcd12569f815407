"""What to copy for other programs: the payloads of polls, and the texts and records of documents."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Engine, and_, func, select

from headwater.model.http import Capture
from headwater.model.jobs import State
from headwater.model.recipe import CapturedPayload, ParsedDocument
from headwater.store.connect import read_transaction
from headwater.store.in_list import in_list
from headwater.store.rows import capture_from
from headwater.store.schema.flow import captures, documents, leads, polls, sources
from headwater.store.schema.knowledge import facts

AT_ONCE = 200
PARSER_OUTPUT = "parser_output"


@dataclass(frozen=True)
class ObjectCopies:
    engine: Engine

    def payloads(
        self, recipe: str, since: datetime | None
    ) -> Iterator[list[tuple[CapturedPayload, Capture]]]:
        """The payloads of every finished poll, in batches. A payload with the same bytes as an earlier one is stored
        once, with the poll that received it first."""
        query = _payloads_query().where(polls.c.recipe == recipe, polls.c.ended_at.is_not(None))
        if since is not None:
            query = query.where(polls.c.started_at >= since)
        pages: dict[str, int] = {}
        for rows in self._batches(query):
            yield [_payload(row, pages) for row in rows]

    def payloads_of(self, document_ids: Sequence[str]) -> list[tuple[CapturedPayload, Capture]]:
        """The payloads of the polls that listed these documents, with all pages of each."""
        listed = and_(
            polls.c.source_id == leads.c.source_id,
            polls.c.started_at <= leads.c.first_seen_at,
            leads.c.first_seen_at <= func.coalesce(polls.c.ended_at, leads.c.first_seen_at),
        )
        poll_ids = (
            select(polls.c.id)
            .select_from(documents)
            .join(leads, leads.c.id == documents.c.lead_id)
            .join(polls, listed)
            .where(in_list(documents.c.id, document_ids))
        )
        query = _payloads_query().where(polls.c.id.in_(poll_ids))
        pages: dict[str, int] = {}
        with read_transaction(self.engine) as connection:
            return [_payload(row, pages) for row in connection.execute(query).mappings()]

    def parsed_documents(self, recipe: str, since: datetime | None) -> Iterator[list[ParsedDocument]]:
        query = _parsed_query().where(documents.c.recipe == recipe)
        if since is not None:
            query = query.where(documents.c.updated_at >= since)
        for rows in self._batches(query):
            yield [_parsed(row) for row in rows]

    def parsed_of(self, document_ids: Sequence[str]) -> list[ParsedDocument]:
        query = _parsed_query().where(in_list(documents.c.id, document_ids))
        with read_transaction(self.engine) as connection:
            return [_parsed(row) for row in connection.execute(query).mappings()]

    def _batches(self, query: Any) -> Iterator[list[Any]]:
        with (
            read_transaction(self.engine) as connection,
            connection.execution_options(stream_results=True).execute(query) as result,
        ):
            records = result.mappings()
            while rows := records.fetchmany(AT_ONCE):
                yield list(rows)


def _is_during_poll(table: Any) -> Any:
    """A poll that goes on has no end yet."""
    return and_(
        table.c.source_id == polls.c.source_id,
        table.c.lead_id.is_(None),
        table.c.fetched_at >= polls.c.started_at,
        table.c.fetched_at <= func.coalesce(polls.c.ended_at, table.c.fetched_at),
    )


def _payloads_query() -> Any:
    return (
        select(captures, polls.c.id.label("poll_id"), sources.c.kind.label("kind"), sources.c.options)
        .join(polls, _is_during_poll(captures))
        .join(sources, sources.c.id == polls.c.source_id)
        .order_by(polls.c.started_at, polls.c.id, captures.c.fetched_at, captures.c.start)
    )


def _payload(row: Any, pages: dict[str, int]) -> tuple[CapturedPayload, Capture]:
    """`pages` counts the pages of the poll that is read."""
    page = pages.get(row["poll_id"], 0) + 1
    pages.clear()
    pages[row["poll_id"]] = page
    payload = CapturedPayload(
        kind=row["kind"],
        options=row["options"],
        at=row["fetched_at"],
        poll_id=row["poll_id"],
        page=page,
    )
    return payload, capture_from(row)


def _parsed_query() -> Any:
    return (
        select(documents.c.id, documents.c.text, documents.c.attributes, sources.c.kind, facts.c.value)
        .join(sources, sources.c.id == documents.c.source_id)
        .join(facts, and_(facts.c.record_id == documents.c.id, facts.c.name == PARSER_OUTPUT))
        .where(documents.c.state == State.KEPT)
        .order_by(documents.c.id)
    )


def _parsed(row: Any) -> ParsedDocument:
    return ParsedDocument(
        id=row["id"],
        kind=row["kind"],
        attributes=row["attributes"] or {},
        text=row["text"],
        record=row["value"],
    )
