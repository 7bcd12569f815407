"""Batches of requests, as rows. A batch changes only if its row is still as it was read, so of two processes that follow
the same batch one wins and the other changes nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Engine, RowMapping, Select, select, update

from headwater.model.summaries import (
    BatchState,
    PlannedBatch,
    RequestOutcome,
    RequestState,
    SummaryBatch,
    SummaryRequest,
)
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.schema.summaries import summary_batches, summary_requests
from headwater.store.summaries.requests import attempt_columns, request_record, settle_requests

batches, requests = summary_batches, summary_requests
MAX_LISTED = 50


@dataclass(frozen=True)
class BatchRows:
    engine: Engine

    def plan_batch(self, planned: PlannedBatch, now: datetime) -> None:
        row: dict[str, Any] = {"id": planned.id, "endpoint": planned.endpoint, "model": planned.model}
        row |= {"state": BatchState.PLANNED, "request_count": len(planned.requests), "cost": planned.cost}
        with write_transaction(self.engine) as connection:
            connection.execute(batches.insert().values(**row, created_at=now))
            for place, (name, (cost, sources)) in enumerate(planned.requests.items(), 1):
                waiting = (requests.c.id == name, requests.c.state == RequestState.WAITING)
                columns = {
                    "state": RequestState.ASKED,
                    "batch_id": planned.id,
                    "place": place,
                    "due_at": None,
                }
                columns |= attempt_columns(cost, sources, now)
                connection.execute(update(requests).where(*waiting).values(**columns))

    def open_batches(self) -> list[SummaryBatch]:
        unended = select(batches).where(batches.c.state != BatchState.ENDED)
        return self._read(unended.order_by(batches.c.created_at, batches.c.id))

    def recent_batches(self) -> list[SummaryBatch]:
        """The newest first."""
        return self._read(
            select(batches).order_by(batches.c.created_at.desc(), batches.c.id).limit(MAX_LISTED)
        )

    def _read(self, query: Select[Any]) -> list[SummaryBatch]:
        with read_transaction(self.engine) as connection:
            return [_batch_record(row) for row in connection.execute(query).mappings()]

    def requests_in(self, batch: str) -> list[SummaryRequest]:
        query = select(requests).where(requests.c.batch_id == batch, requests.c.state == RequestState.ASKED)
        with read_transaction(self.engine) as connection:
            rows = connection.execute(query.order_by(requests.c.place)).mappings()
            return [request_record(row) for row in rows]

    def advance_batch(self, batch: SummaryBatch, **values: Any) -> SummaryBatch | None:
        statement = update(batches).where(*_unchanged(batch)).values(**values)
        with write_transaction(self.engine) as connection:
            changed = connection.execute(statement).rowcount
        return replace(batch, **values) if changed else None

    def end_batch(
        self, batch: SummaryBatch, outcomes: Sequence[RequestOutcome], now: datetime, **values: Any
    ) -> bool:
        unended = update(batches).where(*_unchanged(batch), batches.c.state != BatchState.ENDED)
        with write_transaction(self.engine) as connection:
            ended = unended.values(state=BatchState.ENDED, ended_at=now, **values)
            if not connection.execute(ended).rowcount:
                return False
            settle_requests(connection, outcomes, now, batch.id)
            return True

    def cancel_batches(self, now: datetime) -> int:
        """Mark all open batches; the next round cancels them at the endpoint. Returns their number."""
        unmarked = (batches.c.state != BatchState.ENDED, batches.c.cancel_requested_at.is_(None))
        with write_transaction(self.engine) as connection:
            return connection.execute(
                update(batches).where(*unmarked).values(cancel_requested_at=now)
            ).rowcount


def _batch_record(row: RowMapping) -> SummaryBatch:
    values = {field.name: row[field.name] for field in fields(SummaryBatch)}
    return SummaryBatch(**values | {"state": BatchState(row["state"])})


def _unchanged(batch: SummaryBatch) -> tuple[ColumnElement[bool], ...]:
    """A batch that is created a second time has the same state, but another time."""
    created = batches.c.creation_started_at.is_not_distinct_from(batch.creation_started_at)
    return batches.c.id == batch.id, batches.c.state == batch.state, created
