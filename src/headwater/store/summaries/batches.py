"""Batches of questions, as rows. Each stage of a batch is noted before or right after it happens, so that whoever comes
after a kill knows what may have happened at the other end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Engine, select, update

from headwater.store.connect import read_transaction, write_transaction
from headwater.store.schema.summaries import summary_batches, summary_requests
from headwater.store.summaries.requests import ASKED, WAITING, RequestOutcome, asking_columns, settle_requests

batches = summary_batches
PLANNED, UPLOADED, CREATING, SENT, ENDED = "planned", "uploaded", "creating", "sent", "ended"
MAX_LISTED = 50
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedBatch:
    """A batch that is to be sent: its questions in the order of its lines, each with what it costs and the documents
    that it quotes."""

    id: str
    endpoint: str
    model: str
    questions: Mapping[str, tuple[float | None, Sequence[str]]]


@dataclass(frozen=True)
class SummaryBatches:
    engine: Engine

    def plan(self, planned: PlannedBatch, cost: float | None, now: datetime) -> None:
        """From now on these questions belong to this batch and to no other."""
        row: dict[str, Any] = {"id": planned.id, "endpoint": planned.endpoint, "model": planned.model}
        row |= {"state": PLANNED, "requests": len(planned.questions), "cost": cost, "created_at": now}
        with write_transaction(self.engine) as connection:
            connection.execute(batches.insert().values(**row))
            for place, (name, (one, sources)) in enumerate(planned.questions.items(), 1):
                mine = update(summary_requests).where(
                    summary_requests.c.id == name, summary_requests.c.state == WAITING
                )
                inside = {"state": ASKED, "batch_id": planned.id, "place": place, "due_at": None}
                connection.execute(mine.values(**inside, **asking_columns(one, sources, now)))

    def open(self) -> list[Mapping[str, Any]]:
        """Those that have not ended, oldest first."""
        query = select(batches).where(batches.c.state != ENDED).order_by(batches.c.created_at, batches.c.id)
        with read_transaction(self.engine) as connection:
            return [dict(row) for row in connection.execute(query).mappings()]

    def listed(self) -> list[Mapping[str, Any]]:
        """The newest first."""
        query = select(batches).order_by(batches.c.created_at.desc(), batches.c.id).limit(MAX_LISTED)
        with read_transaction(self.engine) as connection:
            return [dict(row) for row in connection.execute(query).mappings()]

    def inside(self, batch: str) -> list[Mapping[str, Any]]:
        """Its questions in the order of its lines; those that were answered or dropped meanwhile are not among them."""
        query = select(summary_requests).where(
            summary_requests.c.batch_id == batch, summary_requests.c.state == ASKED
        )
        with read_transaction(self.engine) as connection:
            rows = connection.execute(query.order_by(summary_requests.c.place)).mappings()
            return [dict(row) for row in rows]

    def note(self, row: Row, **values: Any) -> Row | None:
        """The row as it is then; None if somebody else has brought the batch further since `row` was read: it is theirs."""
        with write_transaction(self.engine) as connection:
            done = connection.execute(update(batches).where(*_as_read(row)).values(**values)).rowcount
        return {**row, **values} if done else None

    def settle(self, batch: str, settled: Sequence[RequestOutcome], now: datetime) -> None:
        with write_transaction(self.engine) as connection:
            settle_requests(connection, settled, now, batch)

    def end(self, row: Row, settled: Sequence[RequestOutcome], now: datetime, **values: Any) -> bool:
        """All of its questions and the batch itself, or nothing; nothing also if it is no longer as it was read."""
        ended = update(batches).where(*_as_read(row), batches.c.state != ENDED)
        with write_transaction(self.engine) as connection:
            if not connection.execute(ended.values(state=ENDED, ended_at=now, **values)).rowcount:
                return False
            settle_requests(connection, settled, now, row["id"])
            return True

    def cancel(self, now: datetime) -> int:
        """Ask for the end of all that are open; the next round passes it on."""
        wished = update(batches).where(batches.c.state != ENDED, batches.c.cancelling.is_(None))
        with write_transaction(self.engine) as connection:
            return connection.execute(wished.values(cancelling=now)).rowcount


def _as_read(row: Row) -> tuple[ColumnElement[bool], ...]:
    """A batch that is made a second time has the same state, but another time."""
    since = batches.c.creating_at.is_not_distinct_from(row["creating_at"])
    return batches.c.id == row["id"], batches.c.state == row["state"], since
