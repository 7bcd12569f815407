"""Summaries by the Batch API. The row of a batch holds all that is known about it, so any process can continue it.

    planned ──upload──► uploaded ──store, create──► creating ──store──► sent ──poll, read files──► ended

After a kill in `creating` the batch may or may not exist at the endpoint: it is searched by its tag for a while before
another one is created. Everything before that step costs nothing, everything after it can be repeated.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import structlog

from headwater.model.errors import Permanent, Temporary
from headwater.model.keys import key
from headwater.model.ports import Clock, LanguageModel, SummaryStore
from headwater.model.summaries import (
    QUEUE_FULL,
    BatchState,
    LineResult,
    PlannedBatch,
    RemoteBatch,
    RequestOutcome,
    RequestState,
    SummaryBatch,
    SummaryRequest,
)
from headwater.stories.llm.answers import RETRY_DELAY, InvalidAnswer
from headwater.stories.llm.batch_status import FINAL_STATUSES, batch_error_code, is_queue_full, rejected_lines
from headwater.stories.llm.prices import total_cost
from headwater.stories.llm.requests import (
    PreparedRequest,
    RequestBuilder,
    answered_outcome,
    failed_outcome,
    retry_outcome,
    uncounted_outcome,
)

LISTING_DELAY = timedelta(minutes=2)
"""The endpoint may not list a new batch at once."""

RESEND_AFTER = timedelta(hours=1)
LOST_AFTER = timedelta(days=1)
"""The endpoint may report a batch as unknown for this long before it counts as lost: its answers may be paid."""

MISSING_SINCE = "missing since "
_log = structlog.get_logger()


@dataclass
class OpenBatch:
    """A batch as it was read or last changed. The next change applies only if the row is still like this."""

    batch: SummaryBatch

    @property
    def id(self) -> str:
        return self.batch.id


@dataclass(frozen=True, kw_only=True)
class BatchSummarizer:
    store: SummaryStore
    model: LanguageModel
    builder: RequestBuilder
    clock: Clock
    in_time: Callable[[], bool]

    def plan(self, prepared: Sequence[PreparedRequest]) -> int:
        """Plan one batch per model, because a file may name only one; returns their number."""
        models = sorted({request.prompt.model for request in prepared})
        for model in models:
            requests = [request for request in prepared if request.prompt.model == model]
            self._plan_one(model, requests)
        return len(models)

    def _plan_one(self, model: str, prepared: Sequence[PreparedRequest]) -> None:
        now, endpoint = self.clock(), self.model.endpoint
        planned = PlannedBatch(
            id=key("batch", endpoint, model, now.isoformat(), *(request.id for request in prepared)),
            endpoint=endpoint,
            model=model,
            requests={request.id: (request.cost, request.sources) for request in prepared},
            cost=total_cost(request.cost for request in prepared),
        )
        self.store.plan_batch(planned, now)

    async def follow(self) -> int:
        """Take every open batch as far as it gets now; returns how many ended."""
        ended = 0
        for batch in self.store.open_batches():
            if batch.endpoint != self.model.endpoint:
                _log.warning("batch of another endpoint skipped", batch=batch.id)
            elif self.in_time():
                ended += await self._follow_one(OpenBatch(batch))
        return ended

    async def _follow_one(self, open_batch: OpenBatch) -> bool:
        """Whether it ended. After a temporary error the next round tries again."""
        batch = open_batch.batch
        try:
            return await self._advance(open_batch)
        except Temporary as error:
            _log.info("batch waits", batch=batch.id, reason=error.reason)
            self.store.advance_batch(open_batch.batch, reason=error.reason)
            return False
        except Permanent as error:
            _log.warning("batch failed", batch=batch.id, reason=error.reason)
            return self._end(open_batch, self._failed_outcomes(batch, error), error.reason)

    def _failed_outcomes(self, batch: SummaryBatch, error: Permanent) -> list[RequestOutcome]:
        """A batch that was not accepted may be sent again. One that was accepted and lost is paid: the operator decides."""
        requests = self.store.requests_in(batch.id)
        if batch.state in {BatchState.CREATING, BatchState.SENT}:
            return [failed_outcome(request, error.reason) for request in requests]
        later = self.clock() + RESEND_AFTER
        outcomes = [
            retry_outcome(request, error.reason, later, attempts=request.attempts) for request in requests
        ]
        return with_refunds(batch, requests, outcomes)

    async def _advance(self, open_batch: OpenBatch) -> bool:
        batch = open_batch.batch
        if batch.state == BatchState.SENT:
            return await self._poll(open_batch)
        if batch.cancel_requested_at and batch.state in {BatchState.PLANNED, BatchState.UPLOADED}:
            return self._end(open_batch, self._cancelled_outcomes(batch), "cancelled")
        if batch.state == BatchState.PLANNED and not await self._upload(open_batch):
            return self._end(open_batch, (), "empty")
        remote = await self._create(open_batch)
        if remote is None:
            return self._end(open_batch, self._cancelled_outcomes(open_batch.batch), "cancelled")
        self._store(open_batch, state=BatchState.SENT, remote_id=remote.id, status=remote.status, reason=None)
        _log.info(
            "batch sent", batch=open_batch.id, remote=remote.id, requests=open_batch.batch.request_count
        )
        return False

    def _store(self, open_batch: OpenBatch, **values: Any) -> None:
        """Temporary if another process has changed this batch: that process continues it."""
        changed = self.store.advance_batch(open_batch.batch, **values)
        if changed is None:
            raise Temporary(
                "batch_taken", "another worker continues this batch", delay=RETRY_DELAY, counts=False
            )
        open_batch.batch = changed

    async def _upload(self, open_batch: OpenBatch) -> bool:
        """False if no request is left."""
        prepared, outcomes = self.builder.prepare(self.store.requests_in(open_batch.id), self.clock())
        self.store.settle(outcomes, self.clock(), open_batch.id)
        if not prepared:
            return False
        prompts = {request.id: request.prompt for request in prepared}
        file = await self.model.upload(f"headwater-{open_batch.id}.jsonl", prompts)
        self._store(open_batch, state=BatchState.UPLOADED, file_id=file, request_count=len(prepared))
        return True

    async def _create(self, open_batch: OpenBatch) -> RemoteBatch | None:
        """The batch at the endpoint, created unless it exists; None if it does not exist and is cancelled."""
        batch = open_batch.batch
        if batch.state == BatchState.CREATING:
            remote = await self.model.find_batch(batch.id)
            if remote is not None:
                return remote
            if (
                batch.creation_started_at is not None
                and self.clock() < batch.creation_started_at + self.search_time
            ):
                raise Temporary(
                    "batch_may_appear",
                    "it may have been created just now",
                    delay=self.search_time,
                    counts=False,
                )
            if batch.cancel_requested_at:
                return None
        self._store(open_batch, state=BatchState.CREATING, creation_started_at=self.clock())
        return await self.model.create_batch(open_batch.batch.file_id or "", open_batch.id)

    @property
    def search_time(self) -> timedelta:
        """The call that creates the batch may still be under way for as long as any call."""
        return LISTING_DELAY + self.model.timeout

    async def _poll(self, open_batch: OpenBatch) -> bool:
        remote = await self._get(open_batch)
        batch = open_batch.batch
        if (
            remote.status not in FINAL_STATUSES
            and batch.cancel_requested_at
            and remote.status != "cancelling"
        ):
            remote = await self._cancel(batch, remote)
        if remote.status not in FINAL_STATUSES:
            self._store(open_batch, status=remote.status, counts=remote.counts, reason=None)
            return False
        outcomes = await self._outcomes(batch, remote)
        reason = batch_error_code(remote) if remote.status == "failed" else None
        return self._end(open_batch, outcomes, reason, status=remote.status, counts=remote.counts)

    async def _get(self, open_batch: OpenBatch) -> RemoteBatch:
        """Permanent only if the endpoint has not known it for a day. The status holds since when."""
        batch = open_batch.batch
        try:
            return await self.model.get_batch(batch.remote_id or "")
        except Permanent as error:
            since = missing_since(batch.status) or self.clock()
            if self.clock() - since >= LOST_AFTER:
                raise
            self._store(open_batch, status=f"{MISSING_SINCE}{since.isoformat()}")
            raise Temporary(error.reason, error.detail, delay=RETRY_DELAY, counts=False) from error

    async def _cancel(self, batch: SummaryBatch, remote: RemoteBatch) -> RemoteBatch:
        """A refusal means that it has just ended: the next poll shows how."""
        try:
            return await self.model.cancel_batch(remote.id)
        except Permanent as error:
            _log.info("batch not cancelled", batch=batch.id, reason=error.reason)
            return remote

    async def _outcomes(self, batch: SummaryBatch, remote: RemoteBatch) -> list[RequestOutcome]:
        requests = self.store.requests_in(batch.id)
        if is_queue_full(remote):
            return self._queue_full_outcomes(batch, requests)
        if remote.status == "failed":
            return with_refunds(batch, requests, self._rejected_outcomes(remote, requests))
        lines = await self._results(remote)
        return [self._line_outcome(remote, request, lines.get(request.id)) for request in requests]

    async def _results(self, remote: RemoteBatch) -> Mapping[str, LineResult]:
        """Answers are paid and come first. An error file that cannot be read does not hold them up."""
        answers = await self.model.batch_results(remote.output_file) if remote.output_file else {}
        if not remote.error_file:
            return answers
        try:
            return {**await self.model.batch_results(remote.error_file), **answers}
        except Permanent as error:
            _log.warning("error file unreadable", remote=remote.id, reason=error.reason)
            return answers

    def _rejected_outcomes(
        self, remote: RemoteBatch, requests: Sequence[SummaryRequest]
    ) -> list[RequestOutcome]:
        """The endpoint did nothing. Lines at fault fail, the others go into another batch."""
        rejected = rejected_lines(remote, [request.id for request in requests])
        later, reason = self.clock() + RESEND_AFTER, batch_error_code(remote)
        return [
            failed_outcome(request, rejected[request.id])
            if request.id in rejected
            else retry_outcome(request, reason, later, attempts=request.attempts)
            for request in requests
        ]

    def _queue_full_outcomes(
        self, batch: SummaryBatch, requests: Sequence[SummaryRequest]
    ) -> list[RequestOutcome]:
        if batch.cancel_requested_at:
            return self._cancelled_outcomes(batch)
        later = self.clock() + RESEND_AFTER
        outcomes = [uncounted_outcome(request, QUEUE_FULL, later) for request in requests]
        return with_refunds(batch, requests, outcomes)

    def _line_outcome(
        self, remote: RemoteBatch, request: SummaryRequest, line: LineResult | None
    ) -> RequestOutcome:
        if line is not None and (line.reply is not None or line.error is not None):
            return self._reply_outcome(request, line)
        if remote.status == "cancelled" and (line is None or line.reason == "batch_cancelled"):
            return _cancelled_outcome(request)
        reason = line.reason if line else "no_line"
        if line is None or line.transient:
            return retry_outcome(request, reason, self.clock() + RETRY_DELAY, attempts=request.attempts)
        return failed_outcome(request, reason)

    def _reply_outcome(self, request: SummaryRequest, line: LineResult) -> RequestOutcome:
        if isinstance(line.error, Permanent):
            return failed_outcome(request, str(line.error))
        if line.reply is None:
            return self._ask_again(request, str(line.error))
        try:
            return answered_outcome(request, line.reply, self.builder.quoted_articles(request))
        except InvalidAnswer as error:
            return self._ask_again(request, str(error))

    def _ask_again(self, request: SummaryRequest, reason: str) -> RequestOutcome:
        return retry_outcome(request, reason, self.clock(), attempts=request.attempts)

    def _cancelled_outcomes(self, batch: SummaryBatch) -> list[RequestOutcome]:
        """For a batch that the endpoint never accepted."""
        requests = self.store.requests_in(batch.id)
        return with_refunds(batch, requests, [_cancelled_outcome(request) for request in requests])

    def _end(
        self, open_batch: OpenBatch, outcomes: Sequence[RequestOutcome], reason: str | None, **values: Any
    ) -> bool:
        return self.store.end_batch(open_batch.batch, outcomes, self.clock(), reason=reason, **values)


def with_refunds(
    batch: SummaryBatch, requests: Sequence[SummaryRequest], outcomes: Sequence[RequestOutcome]
) -> list[RequestOutcome]:
    """Give the estimated cost of a batch back to its requests. Only the sum of all attempts is known for a request, so the
    refund is in proportion to it."""
    costs = {request.id: request.cost or 0.0 for request in requests}
    total = sum(costs.values())
    share = min(1.0, (batch.cost or 0.0) / total) if total else 0.0
    return [replace(outcome, refund=costs[outcome.id] * share) for outcome in outcomes]


def missing_since(status: str | None) -> datetime | None:
    """Since when the endpoint has not known a batch, from the stored status."""
    if status is None or not status.startswith(MISSING_SINCE):
        return None
    return datetime.fromisoformat(status.removeprefix(MISSING_SINCE))


def _cancelled_outcome(request: SummaryRequest) -> RequestOutcome:
    return RequestOutcome(id=request.id, state=RequestState.CANCELLED, reason="cancelled")
