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

from headwater.backends.sql.summary_batches import CREATING, PLANNED, SENT, UPLOADED, Planned, SummaryBatches
from headwater.backends.sql.summary_requests import CANCELLED, FAILED, QUEUE_FULL, WAITING, Settled
from headwater.fetch.batch_api import BatchApi, counts_of
from headwater.fetch.chat import AGAIN, Chat, said_in
from headwater.model.errors import Permanent, Temporary
from headwater.model.ports import Clock
from headwater.model.work import Later
from headwater.pure.batches import (
    ENDED,
    Batch,
    Heard,
    heard,
    is_crowded_out,
    line,
    refused_lines,
    whole_fault,
)
from headwater.pure.intelligence import Unusable
from headwater.pure.keys import key
from headwater.pure.spending import total
from headwater.worker.summary_questions import Asked, Questions, again, kept

GRACE = timedelta(minutes=2)
"""A batch that is being made may not be listed at once."""

REST = timedelta(hours=1)
FORGOTTEN = timedelta(days=1)
"""So long the other end may say that it knows nothing of a batch before that is believed: its answers may be paid."""

MISSING = "missing since "
Row = Mapping[str, Any]
_log = structlog.get_logger()


@dataclass
class Held:
    """A batch as it was read, or as it was noted since: what is noted next holds only if it is still so."""

    row: Row

    @property
    def id(self) -> str:
        return str(self.row["id"])


@dataclass(frozen=True, kw_only=True)
class Batching:
    batches: SummaryBatches
    questions: Questions
    api: BatchApi
    chat: Chat
    clock: Clock
    in_time: Callable[[], bool]

    def plan(self, asked: Sequence[Asked]) -> None:
        """One batch per model: a file may name one only."""
        for model in sorted({str(one.row["model"]) for one in asked}):
            some = [one for one in asked if one.row["model"] == model]
            now = self.clock()
            name = key("batch", self.api.root, model, now.isoformat(), *(one.id for one in some))
            questions = {one.id: (one.cost, one.sources) for one in some}
            planned = Planned(id=name, endpoint=self.api.root, model=model, questions=questions)
            self.batches.plan(planned, total(one.cost for one in some), now)

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
        held = Held(row)
        try:
            return await self._advanced(session, held)
        except Temporary as trouble:
            _log.info("batch waits", batch=row["id"], reason=trouble.reason)
            self.batches.note(held.row, reason=trouble.reason)
            return False
        except Permanent as trouble:
            _log.warning("batch failed", batch=row["id"], reason=trouble.reason)
            return self._end(held, self._all_again(row, trouble), trouble.reason)

    def _all_again(self, row: Row, trouble: Permanent) -> list[Settled]:
        """What was not taken may be sent once more; what was taken and lost is an operator's decision: it was paid."""
        inside = self.batches.inside(row["id"])
        if row["state"] in {CREATING, SENT}:
            return [Settled(id=one["id"], state=FAILED, reason=trouble.reason) for one in inside]
        later = self.clock() + REST
        return unpaid(
            row, inside, [again(one, trouble.reason, later, tried=one["attempts"]) for one in inside]
        )

    async def _advanced(self, session: aiohttp.ClientSession, held: Held) -> bool:
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

    def _note(self, held: Held, **values: Any) -> None:
        """Temporary if somebody else is at this batch: they go on with it."""
        noted = self.batches.note(held.row, **values)
        if noted is None:
            raise Temporary("batch_taken", "another worker has brought it further", delay=AGAIN, counts=False)
        held.row = noted

    async def _uploaded(self, session: aiohttp.ClientSession, held: Held) -> bool:
        """False if nothing is left to ask."""
        ready, rest = self.questions.of(self.batches.inside(held.id), self.clock())
        self.batches.settle(held.id, rest, self.clock())
        if not ready:
            return False
        lines = b"".join(line(one.id, one.body(self.chat)) for one in ready)
        file = await self.api.upload(session, f"headwater-{held.id}.jsonl", lines)
        self._note(held, state=UPLOADED, file=file, requests=len(ready))
        return True

    async def _made(self, session: aiohttp.ClientSession, held: Held) -> Batch | None:
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

    async def _looked_at(self, session: aiohttp.ClientSession, held: Held) -> bool:
        batch = await self._found(session, held)
        if batch.status not in ENDED and held.row["cancelling"] and batch.status != "cancelling":
            batch = await self._told_to_end(session, held.row, batch)
        if batch.status not in ENDED:
            self._note(held, status=batch.status, counts=counts_of(batch), reason=None)
            return False
        inside = self.batches.inside(held.id)
        if is_crowded_out(batch):
            settled = self._crowded_out(held.row, inside)
        elif batch.status == "failed":
            settled = unpaid(held.row, inside, self._invalid(batch, inside))
        else:
            settled = self._answers(batch, inside, await self._lines(session, batch))
        reason = whole_fault(batch) if batch.status == "failed" else None
        return self._end(held, settled, reason, status=batch.status, counts=counts_of(batch))

    async def _found(self, session: aiohttp.ClientSession, held: Held) -> Batch:
        """Permanent only after a day in which the other end did not know it; since when is noted as its status."""
        try:
            return await self.api.look(session, held.row["remote"])
        except Permanent as trouble:
            since = missing_since(held.row["status"]) or self.clock()
            if self.clock() - since >= FORGOTTEN:
                raise
            self._note(held, status=f"{MISSING}{since.isoformat()}")
            raise Temporary(trouble.reason, trouble.detail, delay=AGAIN, counts=False) from trouble

    async def _told_to_end(self, session: aiohttp.ClientSession, row: Row, batch: Batch) -> Batch:
        """A refusal says that it has ended meanwhile: the next look sees how."""
        try:
            return await self.api.cancel(session, row["remote"])
        except Permanent as trouble:
            _log.info("batch not cancelled", batch=row["id"], reason=trouble.reason)
            return batch

    async def _lines(self, session: aiohttp.ClientSession, batch: Batch) -> Mapping[str, Heard]:
        """Answers are paid and come first; a file of errors that is not to be had says nothing."""
        good = await self._file(session, batch.output_file_id)
        try:
            return await self._file(session, batch.error_file_id) | good
        except Permanent as trouble:
            _log.warning("no file of errors", remote=batch.id, reason=trouble.reason)
            return good

    async def _file(self, session: aiohttp.ClientSession, file: str | None) -> dict[str, Heard]:
        return {one.id: one for one in heard(await self.api.content(session, file))} if file else {}

    def _invalid(self, batch: Batch, inside: Sequence[Row]) -> list[Settled]:
        """Nothing was done. Lines that are to blame are given up, the others go out with another batch."""
        blamed = refused_lines(batch, [one["id"] for one in inside])
        later = self.clock() + REST
        return [
            Settled(id=one["id"], state=FAILED, reason=blamed[one["id"]])
            if one["id"] in blamed
            else again(one, whole_fault(batch), later, tried=one["attempts"])
            for one in inside
        ]

    def _crowded_out(self, batch: Row, inside: Sequence[Row]) -> list[Settled]:
        """Nothing was taken: no try is counted, and what was reckoned for this batch is given back."""
        if batch["cancelling"]:
            return self._cancelled(batch)
        later = Later(at=self.clock() + REST, reason=QUEUE_FULL, counts=False)
        waiting = [Settled(id=one["id"], state=WAITING, reason=QUEUE_FULL, later=later) for one in inside]
        return unpaid(batch, inside, waiting)

    def _answers(self, batch: Batch, inside: Sequence[Row], lines: Mapping[str, Heard]) -> list[Settled]:
        return [self._answer(batch, one, lines.get(one["id"])) for one in inside]

    def _answer(self, batch: Batch, row: Row, found: Heard | None) -> Settled:
        now = self.clock()
        if found is not None and found.kind == "answered":
            try:
                return kept(row, said_in(found.body), self.questions.quoted(row))
            except (Unusable, Temporary) as trouble:
                return again(row, str(trouble), now, tried=row["attempts"])
            except Permanent as trouble:
                return Settled(id=row["id"], state=FAILED, reason=str(trouble))
        if batch.status == "cancelled" and (found is None or found.reason == "batch_cancelled"):
            return Settled(id=row["id"], state=CANCELLED, reason="cancelled")
        reason = found.reason if found else "no_line"
        if found is None or found.passing:
            return again(row, reason, now + AGAIN, tried=row["attempts"])
        return Settled(id=row["id"], state=FAILED, reason=reason)

    def _cancelled(self, row: Row) -> list[Settled]:
        """Of a batch that was never taken."""
        inside = self.batches.inside(row["id"])
        ended = [Settled(id=one["id"], state=CANCELLED, reason="cancelled") for one in inside]
        return unpaid(row, inside, ended)

    def _end(self, held: Held, settled: Sequence[Settled], reason: str | None, **values: Any) -> bool:
        return self.batches.end(held.row, settled, self.clock(), reason=reason, **values)


def unpaid(batch: Row, inside: Sequence[Row], settled: Sequence[Settled]) -> list[Settled]:
    """What was reckoned for a batch is given back to its questions, in proportion to what all tries of each cost: no more
    is known of one."""
    costs = {one["id"]: one["cost"] or 0.0 for one in inside}
    whole = sum(costs.values())
    part = min(1.0, (batch["cost"] or 0.0) / whole) if whole else 0.0
    return [replace(one, unspent=costs[one.id] * part) for one in settled]


def missing_since(status: str | None) -> datetime | None:
    """Since when the other end does not know a batch, from what was noted."""
    if status is None or not status.startswith(MISSING):
        return None
    return datetime.fromisoformat(status.removeprefix(MISSING))
