"""Summaries by the Batch API. What is known of a batch stands in its row, so that any process can go on with it.

    planned ──upload──► uploaded ──note, create──► creating ──note──► sent ──look, fetch files──► ended

A kill after `creating` was noted leaves it open whether the batch exists: it is looked for by its mark, for a while, before
another one is made. Everything before costs nothing, everything after can be done again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import aiohttp
import structlog

from headwater.model.errors import Permanent, Temporary
from headwater.model.jobs import Postponement
from headwater.model.keys import key
from headwater.model.ports import Clock
from headwater.store.summaries.batches import CREATING, PLANNED, SENT, UPLOADED, PlannedBatch, SummaryBatches
from headwater.store.summaries.requests import CANCELLED, FAILED, QUEUE_FULL, WAITING, RequestOutcome
from headwater.stories.llm.batch_api import (
    FINAL_STATUSES,
    Batch,
    BatchApi,
    LineResult,
    batch_counts,
    batch_error_code,
    is_queue_full,
    parse_result_lines,
    rejected_lines,
    request_line,
)
from headwater.stories.llm.chat import RETRY_DELAY, ChatClient, parse_completion
from headwater.stories.llm.extraction import InvalidAnswer
from headwater.stories.llm.prices import total_cost
from headwater.stories.llm.requests import PreparedRequest, RequestBuilder, answered_outcome, retry_outcome

GRACE = timedelta(minutes=2)
"""A batch that is being made may not be listed at once."""

RESEND_AFTER = timedelta(hours=1)
LOST_AFTER = timedelta(days=1)
"""So long the other end may say that it knows nothing of a batch before that is believed: its answers may be paid."""

MISSING = "missing since "
Row = Mapping[str, Any]
_log = structlog.get_logger()


@dataclass
class OpenBatch:
    """A batch as it was read, or as it was noted since: what is noted next holds only if it is still so."""

    row: Row

    @property
    def id(self) -> str:
        return str(self.row["id"])


@dataclass(frozen=True, kw_only=True)
class BatchSummarizer:
    batches: SummaryBatches
    questions: RequestBuilder
    api: BatchApi
    chat: ChatClient
    clock: Clock
    in_time: Callable[[], bool]

    def plan(self, asked: Sequence[PreparedRequest]) -> None:
        """One batch per model: a file may name one only."""
        for model in sorted({str(one.row["model"]) for one in asked}):
            some = [one for one in asked if one.row["model"] == model]
            now = self.clock()
            name = key("batch", self.api.root, model, now.isoformat(), *(one.id for one in some))
            questions = {one.id: (one.cost, one.sources) for one in some}
            planned = PlannedBatch(id=name, endpoint=self.api.root, model=model, questions=questions)
            self.batches.plan(planned, total_cost(one.cost for one in some), now)

    async def follow(self, session: aiohttp.ClientSession) -> int:
        """Bring every open batch as far as it comes now; gives how many ended."""
        ended = 0
        for row in self.batches.open():
            if row["endpoint"] != self.api.root:
                _log.warning("batch of another endpoint left alone", batch=row["id"])
            elif self.in_time():
                ended += await self._one(session, row)
        return ended

    async def _one(self, session: aiohttp.ClientSession, row: Row) -> bool:
        """Whether it ended. What is not to be had now is tried in the next round."""
        held = OpenBatch(row)
        try:
            return await self._advanced(session, held)
        except Temporary as trouble:
            _log.info("batch waits", batch=row["id"], reason=trouble.reason)
            self.batches.note(held.row, reason=trouble.reason)
            return False
        except Permanent as trouble:
            _log.warning("batch failed", batch=row["id"], reason=trouble.reason)
            return self._end(held, self._all_again(row, trouble), trouble.reason)

    def _all_again(self, row: Row, trouble: Permanent) -> list[RequestOutcome]:
        """What was not taken may be sent once more; what was taken and lost is an operator's decision: it was paid."""
        inside = self.batches.inside(row["id"])
        if row["state"] in {CREATING, SENT}:
            return [RequestOutcome(id=one["id"], state=FAILED, reason=trouble.reason) for one in inside]
        later = self.clock() + RESEND_AFTER
        return with_refunds(
            row, inside, [retry_outcome(one, trouble.reason, later, tried=one["attempts"]) for one in inside]
        )

    async def _advanced(self, session: aiohttp.ClientSession, held: OpenBatch) -> bool:
        state, wanted = held.row["state"], not held.row["cancelling"]
        if state == SENT:
            return await self._looked_at(session, held)
        if not wanted and state in {PLANNED, UPLOADED}:
            return self._end(held, self._cancelled(held.row), "cancelled")
        if state == PLANNED and not await self._uploaded(session, held):
            return self._end(held, (), "empty")
        batch = await self._made(session, held)
        if batch is None:
            return self._end(held, self._cancelled(held.row), "cancelled")
        self._note(held, state=SENT, remote=batch.id, status=batch.status, reason=None)
        _log.info("batch sent", batch=held.id, remote=batch.id, requests=held.row["requests"])
        return False

    def _note(self, held: OpenBatch, **values: Any) -> None:
        """Temporary if somebody else is at this batch: they go on with it."""
        noted = self.batches.note(held.row, **values)
        if noted is None:
            raise Temporary(
                "batch_taken", "another worker has brought it further", delay=RETRY_DELAY, counts=False
            )
        held.row = noted

    async def _uploaded(self, session: aiohttp.ClientSession, held: OpenBatch) -> bool:
        """False if nothing is left to ask."""
        ready, rest = self.questions.of(self.batches.inside(held.id), self.clock())
        self.batches.settle(held.id, rest, self.clock())
        if not ready:
            return False
        lines = b"".join(request_line(one.id, one.body(self.chat)) for one in ready)
        file = await self.api.upload(session, f"headwater-{held.id}.jsonl", lines)
        self._note(held, state=UPLOADED, file=file, requests=len(ready))
        return True

    async def _made(self, session: aiohttp.ClientSession, held: OpenBatch) -> Batch | None:
        """The batch at the other end, made now unless it is there; None if it is neither there nor wanted."""
        if held.row["state"] == CREATING:
            found = await self.api.find(session, held.id)
            if found is not None:
                return found
            if self.clock() < held.row["creating_at"] + self.grace:
                raise Temporary(
                    "batch_may_come", "it may have been made just now", delay=self.grace, counts=False
                )
            if held.row["cancelling"]:
                return None
        self._note(held, state=CREATING, creating_at=self.clock())
        return await self.api.create(session, held.row["file"], held.id)

    @property
    def grace(self) -> timedelta:
        """The request that makes it may be under way for as long as any may."""
        return GRACE + timedelta(seconds=self.api.seconds)

    async def _looked_at(self, session: aiohttp.ClientSession, held: OpenBatch) -> bool:
        batch = await self._found(session, held)
        if batch.status not in FINAL_STATUSES and held.row["cancelling"] and batch.status != "cancelling":
            batch = await self._told_to_end(session, held.row, batch)
        if batch.status not in FINAL_STATUSES:
            self._note(held, status=batch.status, counts=batch_counts(batch), reason=None)
            return False
        inside = self.batches.inside(held.id)
        if is_queue_full(batch):
            settled = self._crowded_out(held.row, inside)
        elif batch.status == "failed":
            settled = with_refunds(held.row, inside, self._invalid(batch, inside))
        else:
            settled = self._answers(batch, inside, await self._lines(session, batch))
        reason = batch_error_code(batch) if batch.status == "failed" else None
        return self._end(held, settled, reason, status=batch.status, counts=batch_counts(batch))

    async def _found(self, session: aiohttp.ClientSession, held: OpenBatch) -> Batch:
        """Permanent only after a day in which the other end did not know it; since when is noted as its status."""
        try:
            return await self.api.retrieve(session, held.row["remote"])
        except Permanent as trouble:
            since = missing_since(held.row["status"]) or self.clock()
            if self.clock() - since >= LOST_AFTER:
                raise
            self._note(held, status=f"{MISSING}{since.isoformat()}")
            raise Temporary(trouble.reason, trouble.detail, delay=RETRY_DELAY, counts=False) from trouble

    async def _told_to_end(self, session: aiohttp.ClientSession, row: Row, batch: Batch) -> Batch:
        """A refusal says that it has ended meanwhile: the next look sees how."""
        try:
            return await self.api.cancel(session, row["remote"])
        except Permanent as trouble:
            _log.info("batch not cancelled", batch=row["id"], reason=trouble.reason)
            return batch

    async def _lines(self, session: aiohttp.ClientSession, batch: Batch) -> Mapping[str, LineResult]:
        """Answers are paid and come first; a file of errors that is not to be had says nothing."""
        good = await self._file(session, batch.output_file_id)
        try:
            return await self._file(session, batch.error_file_id) | good
        except Permanent as trouble:
            _log.warning("no file of errors", remote=batch.id, reason=trouble.reason)
            return good

    async def _file(self, session: aiohttp.ClientSession, file: str | None) -> dict[str, LineResult]:
        return (
            {one.id: one for one in parse_result_lines(await self.api.content(session, file))} if file else {}
        )

    def _invalid(self, batch: Batch, inside: Sequence[Row]) -> list[RequestOutcome]:
        """Nothing was done. Lines that are to blame are given up, the others go out with another batch."""
        blamed = rejected_lines(batch, [one["id"] for one in inside])
        later = self.clock() + RESEND_AFTER
        return [
            RequestOutcome(id=one["id"], state=FAILED, reason=blamed[one["id"]])
            if one["id"] in blamed
            else retry_outcome(one, batch_error_code(batch), later, tried=one["attempts"])
            for one in inside
        ]

    def _crowded_out(self, batch: Row, inside: Sequence[Row]) -> list[RequestOutcome]:
        """Nothing was taken: no try is counted, and what was reckoned for this batch is given back."""
        if batch["cancelling"]:
            return self._cancelled(batch)
        later = Postponement(at=self.clock() + RESEND_AFTER, reason=QUEUE_FULL, counts=False)
        waiting = [
            RequestOutcome(id=one["id"], state=WAITING, reason=QUEUE_FULL, later=later) for one in inside
        ]
        return with_refunds(batch, inside, waiting)

    def _answers(
        self, batch: Batch, inside: Sequence[Row], lines: Mapping[str, LineResult]
    ) -> list[RequestOutcome]:
        return [self._answer(batch, one, lines.get(one["id"])) for one in inside]

    def _answer(self, batch: Batch, row: Row, found: LineResult | None) -> RequestOutcome:
        now = self.clock()
        if found is not None and found.kind == "answered":
            try:
                return answered_outcome(row, parse_completion(found.body), self.questions.quoted(row))
            except (InvalidAnswer, Temporary) as trouble:
                return retry_outcome(row, str(trouble), now, tried=row["attempts"])
            except Permanent as trouble:
                return RequestOutcome(id=row["id"], state=FAILED, reason=str(trouble))
        if batch.status == "cancelled" and (found is None or found.reason == "batch_cancelled"):
            return RequestOutcome(id=row["id"], state=CANCELLED, reason="cancelled")
        reason = found.reason if found else "no_line"
        if found is None or found.transient:
            return retry_outcome(row, reason, now + RETRY_DELAY, tried=row["attempts"])
        return RequestOutcome(id=row["id"], state=FAILED, reason=reason)

    def _cancelled(self, row: Row) -> list[RequestOutcome]:
        """Of a batch that was never taken."""
        inside = self.batches.inside(row["id"])
        ended = [RequestOutcome(id=one["id"], state=CANCELLED, reason="cancelled") for one in inside]
        return with_refunds(row, inside, ended)

    def _end(
        self, held: OpenBatch, settled: Sequence[RequestOutcome], reason: str | None, **values: Any
    ) -> bool:
        return self.batches.end(held.row, settled, self.clock(), reason=reason, **values)


def with_refunds(
    batch: Row, inside: Sequence[Row], settled: Sequence[RequestOutcome]
) -> list[RequestOutcome]:
    """What was reckoned for a batch is given back to its questions, in proportion to what all tries of each cost: no more
    is known of one."""
    costs = {one["id"]: one["cost"] or 0.0 for one in inside}
    whole = sum(costs.values())
    part = min(1.0, (batch["cost"] or 0.0) / whole) if whole else 0.0
    return [replace(one, refund=costs[one.id] * part) for one in settled]


def missing_since(status: str | None) -> datetime | None:
    """Since when the other end does not know a batch, from what was noted."""
    if status is None or not status.startswith(MISSING):
        return None
    return datetime.fromisoformat(status.removeprefix(MISSING))
