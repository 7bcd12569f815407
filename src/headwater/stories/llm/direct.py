"""Summaries by direct calls: a handful at once, each asked again with what was wrong, so often and no oftener."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import aiohttp
import structlog

from headwater.model.errors import Permanent, Refused, Temporary
from headwater.model.jobs import Postponement
from headwater.model.ports import Clock
from headwater.store.summaries.requests import FAILED, WAITING, RequestOutcome, SummaryRequests
from headwater.stories.llm.chat import RETRY_DELAY, UNAVAILABLE_REASONS, ChatClient
from headwater.stories.llm.extraction import InvalidAnswer, retry_messages
from headwater.stories.llm.requests import PreparedRequest, answered_outcome, retry_outcome

NOW = timedelta(0)
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class AskTally:
    """`wait` is how long the endpoint wants to be left alone."""

    answered: int = 0
    failed: int = 0
    postponed: int = 0
    batches: int = 0
    wait: timedelta = NOW

    def __add__(self, other: "AskTally") -> "AskTally":
        return AskTally(
            self.answered + other.answered,
            self.failed + other.failed,
            self.postponed + other.postponed,
            self.batches + other.batches,
            max(self.wait, other.wait),
        )


@dataclass
class CallCount:
    """How many calls about one question were answered, well or badly."""

    answered: int = 0


@dataclass(frozen=True, kw_only=True)
class DirectSummarizer:
    requests: SummaryRequests
    chat: ChatClient
    clock: Clock
    in_time: Callable[[], bool]
    max_calls: int
    concurrency: int

    async def all(self, session: aiohttp.ClientSession, asked: Sequence[PreparedRequest]) -> AskTally:
        """Until all are asked, the endpoint wants to be left alone, or the time is over."""
        total = AskTally()
        for start in range(0, len(asked), self.concurrency):
            if total.wait or not self.in_time():
                break
            handful = [self._deal_with(session, one) for one in asked[start : start + self.concurrency]]
            for ended in await asyncio.gather(*handful, return_exceptions=True):
                if isinstance(ended, BaseException):
                    raise ended
                total += ended
        return total

    async def _deal_with(self, session: aiohttp.ClientSession, one: PreparedRequest) -> AskTally:
        if not await asyncio.to_thread(self.requests.mark_asked, one.id, one.cost, one.sources, self.clock()):
            return AskTally()
        calls = CallCount()
        try:
            settled = await self._answer(session, one, calls)
        except Temporary as trouble:
            return await self._put_off(one, trouble, calls)
        except InvalidAnswer as trouble:
            return await self._settled(self._again(one, str(trouble), RETRY_DELAY))
        except Permanent as trouble:
            return await self._settled(RequestOutcome(id=one.id, state=FAILED, reason=str(trouble)))
        except Refused:
            self.requests.settle([self._not_taken(one, "stopped", NOW, calls)], self.clock())
            raise
        except BaseException:
            # Stopped in the middle of a call, which may be paid. Not awaited, for we may be cancelled.
            self.requests.settle([self._again(one, "stopped", NOW)], self.clock())
            raise
        return await self._settled(settled)

    async def _put_off(self, one: PreparedRequest, trouble: Temporary, calls: CallCount) -> AskTally:
        wait = trouble.delay or RETRY_DELAY
        if not trouble.counts:
            tally = await self._settled(self._not_taken(one, trouble.reason, wait, calls))
            return replace(tally, wait=wait)
        tally = await self._settled(self._again(one, trouble.reason, wait))
        return replace(tally, wait=wait) if trouble.reason in UNAVAILABLE_REASONS else tally

    async def _answer(
        self, session: aiohttp.ClientSession, one: PreparedRequest, calls: CallCount
    ) -> RequestOutcome:
        chat = replace(self.chat, model=one.row["model"])
        messages = list(one.messages)
        for ask in range(1, self.max_calls + 1):
            if ask > 1:
                await asyncio.to_thread(self.requests.add_cost, one.id, one.cost)
            said = await chat.ask(session, messages, max_tokens=one.longest)
            calls.answered += 1
            try:
                return answered_outcome(one.row, said, one.articles)
            except InvalidAnswer as why:
                if ask == self.max_calls or not self.in_time():
                    raise
                complaint = f"it was cut off ({why})" if said.cut else str(why)
                messages = [*one.messages, *retry_messages(said.text, complaint)]
        raise InvalidAnswer("nothing was asked")

    def _again(self, one: PreparedRequest, reason: str, wait: timedelta) -> RequestOutcome:
        return retry_outcome(one.row, reason, self.clock() + wait, tried=one.row["attempts"] + 1)

    def _not_taken(
        self, one: PreparedRequest, reason: str, wait: timedelta, calls: CallCount
    ) -> RequestOutcome:
        """The last call cost nothing; the try counts all the same if one before it was answered."""
        refund = one.cost or 0.0
        if calls.answered:
            return replace(self._again(one, reason, wait), refund=refund)
        later = Postponement(at=self.clock() + wait, reason=reason, counts=False)
        return RequestOutcome(id=one.id, state=WAITING, reason=reason, later=later, refund=refund)

    async def _settled(self, settled: RequestOutcome) -> AskTally:
        await asyncio.to_thread(self.requests.settle, [settled], self.clock())
        if settled.state != "done":
            _log.info("story not summarised", request=settled.id, reason=settled.reason)
        return AskTally(
            answered=settled.state == "done",
            failed=settled.state == FAILED,
            postponed=settled.state == WAITING,
        )
