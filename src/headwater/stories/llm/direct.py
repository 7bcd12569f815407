"""Summaries by direct calls, a few at a time. An invalid answer is asked for again, up to a limit."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import structlog

from headwater.model.errors import Permanent, Refused, Temporary
from headwater.model.ports import Clock, LanguageModel, SummaryStore
from headwater.model.summaries import Messages, ModelReply, RequestOutcome, RequestState
from headwater.stories.llm.answers import RETRY_DELAY, UNAVAILABLE_REASONS, InvalidAnswer, ask_until_valid
from headwater.stories.llm.requests import (
    PreparedRequest,
    answered_outcome,
    failed_outcome,
    retry_outcome,
    uncounted_outcome,
)

NO_DELAY = timedelta(0)
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class CallTally:
    """`wait` is how long the endpoint wants to be left alone."""

    answered: int = 0
    failed: int = 0
    postponed: int = 0
    wait: timedelta = NO_DELAY

    def __add__(self, other: "CallTally") -> "CallTally":
        return CallTally(
            self.answered + other.answered,
            self.failed + other.failed,
            self.postponed + other.postponed,
            max(self.wait, other.wait),
        )


@dataclass
class RequestCalls:
    """The calls for one request. Every call after the first adds its cost before it is made."""

    prepared: PreparedRequest
    model: LanguageModel
    store: SummaryStore
    started: int = 0
    answered: int = 0

    async def ask(self, messages: Messages) -> ModelReply:
        if self.started:
            await asyncio.to_thread(self.store.add_cost, self.prepared.id, self.prepared.cost)
        self.started += 1
        reply = await self.model.ask(replace(self.prepared.prompt, messages=messages))
        self.answered += 1
        return reply


@dataclass(frozen=True, kw_only=True)
class DirectSummarizer:
    store: SummaryStore
    model: LanguageModel
    clock: Clock
    in_time: Callable[[], bool]
    max_calls: int
    concurrency: int

    async def ask_all(self, prepared: Sequence[PreparedRequest]) -> CallTally:
        """Stops early when the endpoint wants to be left alone or the time is up."""
        total = CallTally()
        for start in range(0, len(prepared), self.concurrency):
            if total.wait or not self.in_time():
                break
            group = [self._process(request) for request in prepared[start : start + self.concurrency]]
            for result in await asyncio.gather(*group, return_exceptions=True):
                if isinstance(result, BaseException):
                    raise result
                total += result
        return total

    async def _process(self, prepared: PreparedRequest) -> CallTally:
        marked = await asyncio.to_thread(
            self.store.mark_asked, prepared.id, prepared.cost, prepared.sources, self.clock()
        )
        if not marked:
            return CallTally()
        calls = RequestCalls(prepared, self.model, self.store)
        try:
            outcome = await self._answer(prepared, calls)
        except Temporary as error:
            return await self._postpone(prepared, error, calls)
        except InvalidAnswer as error:
            return await self._settle(self._retry(prepared, str(error), RETRY_DELAY))
        except Permanent as error:
            return await self._settle(failed_outcome(prepared.request, str(error)))
        except Refused:
            self.store.settle([self._uncharged(prepared, "stopped", NO_DELAY, calls)], self.clock())
            raise
        except BaseException:
            # Stopped during a call, which may be charged. Not awaited, because this task may be cancelled.
            self.store.settle([self._retry(prepared, "stopped", NO_DELAY)], self.clock())
            raise
        return await self._settle(outcome)

    async def _answer(self, prepared: PreparedRequest, calls: RequestCalls) -> RequestOutcome:
        def parse(reply: ModelReply) -> RequestOutcome:
            return answered_outcome(prepared.request, reply, prepared.articles)

        messages = prepared.prompt.messages
        outcome, _ = await ask_until_valid(calls.ask, messages, parse, self.max_calls, self.in_time)
        return outcome

    async def _postpone(self, prepared: PreparedRequest, error: Temporary, calls: RequestCalls) -> CallTally:
        wait = error.delay or RETRY_DELAY
        if not error.counts:
            tally = await self._settle(self._uncharged(prepared, error.reason, wait, calls))
            return replace(tally, wait=wait)
        tally = await self._settle(self._retry(prepared, error.reason, wait))
        return replace(tally, wait=wait) if error.reason in UNAVAILABLE_REASONS else tally

    def _retry(self, prepared: PreparedRequest, reason: str, wait: timedelta) -> RequestOutcome:
        attempts = prepared.request.attempts + 1
        return retry_outcome(prepared.request, reason, self.clock() + wait, attempts=attempts)

    def _uncharged(
        self, prepared: PreparedRequest, reason: str, wait: timedelta, calls: RequestCalls
    ) -> RequestOutcome:
        """The last call cost nothing. The attempt still counts if an earlier call was answered."""
        refund = prepared.cost or 0.0
        if calls.answered:
            return replace(self._retry(prepared, reason, wait), refund=refund)
        return uncounted_outcome(prepared.request, reason, self.clock() + wait, refund)

    async def _settle(self, outcome: RequestOutcome) -> CallTally:
        await asyncio.to_thread(self.store.settle, [outcome], self.clock())
        if outcome.state != RequestState.DONE:
            _log.info("story not summarised", request=outcome.id, reason=outcome.reason)
        return CallTally(
            answered=outcome.state == RequestState.DONE,
            failed=outcome.state == RequestState.FAILED,
            postponed=outcome.state == RequestState.WAITING,
        )
