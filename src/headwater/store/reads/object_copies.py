"""What to copy for other programs: the payloads of polls, and the texts and records of documents."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Engine, and_, select

from headwater.model.http import Capture
from headwater.model.jobs import State
from headwater.model.recipe import CapturedPayload
from headwater.store.connect import read_transaction
from headwater.store.rows import capture_from
from headwater.store.schema.flow import captures, documents, polls, sources
from headwater.store.schema.knowledge import facts

AT_ONCE = 200
PARSER_OUTPUT = "parser_output"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedDocument:
    """A kept document as other programs read it."""

    id: str
    kind: str
    label: str | None
    text: str
    record: Any


@dataclass(frozen=True)
class ObjectCopies:
    engine: Engine

    def payloads(
        self, recipe: str, since: datetime | None, label: str
    ) -> Iterator[list[tuple[CapturedPayload, Capture]]]:
        """The payloads of every finished poll, in batches; `label` names the option of their sources that labels them. A payload
        with the same bytes as an earlier one is stored once, with the poll that received it first."""
        during_poll = and_(
            captures.c.source_id == polls.c.source_id,
            captures.c.lead_id.is_(None),
            captures.c.fetched_at >= polls.c.started_at,
            captures.c.fetched_at <= polls.c.ended_at,
        )
        query = (
            select(captures, polls.c.id.label("poll_id"), sources.c.kind.label("kind"), sources.c.options)
            .join(polls, during_poll)
            .join(sources, sources.c.id == polls.c.source_id)
            .where(polls.c.recipe == recipe, polls.c.ended_at.is_not(None))
            .order_by(polls.c.started_at, polls.c.id, captures.c.fetched_at, captures.c.start)
        )
        if since is not None:
            query = query.where(polls.c.started_at >= since)
        pages: dict[str, int] = {}
        for rows in self._batches(query):
            batch = []
            for row in rows:
                pages = {row["poll_id"]: pages.get(row["poll_id"], 0) + 1}
                payload = CapturedPayload(
                    kind=row["kind"],
                    label=row["options"].get(label),
                    at=row["fetched_at"],
                    poll_id=row["poll_id"],
                    page=pages[row["poll_id"]],
                )
                batch.append((payload, capture_from(row)))
            yield batch

    def parsed_documents(
        self, recipe: str, since: datetime | None, label: str
    ) -> Iterator[list[ParsedDocument]]:
        query = (
            select(documents.c.id, documents.c.text, documents.c.attributes, sources.c.kind, facts.c.value)
            .join(sources, sources.c.id == documents.c.source_id)
            .join(facts, and_(facts.c.record_id == documents.c.id, facts.c.name == PARSER_OUTPUT))
            .where(documents.c.recipe == recipe, documents.c.state == State.KEPT)
            .order_by(documents.c.id)
        )
        if since is not None:
            query = query.where(documents.c.updated_at >= since)
        for rows in self._batches(query):
            yield [
                ParsedDocument(
                    id=row["id"],
                    kind=row["kind"],
                    label=(row["attributes"] or {}).get(label),
                    text=row["text"],
                    record=row["value"],
                )
                for row in rows
            ]

    def _batches(self, query: Any) -> Iterator[list[Any]]:
        with (
            read_transaction(self.engine) as connection,
            connection.execution_options(stream_results=True).execute(query) as result,
        ):
            records = result.mappings()
            while rows := records.fetchmany(AT_ONCE):
                yield list(rows)
