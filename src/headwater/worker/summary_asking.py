"""Summaries by direct calls: a handful at once, each asked again with what was wrong, so often and no oftener."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import aiohttp
import structlog

from headwater.backends.sql.summary_requests import FAILED, WAITING, Settled, SummaryRequests
from headwater.fetch.chat import AGAIN, AWAY, Chat
from headwater.model.errors import Permanent, Refused, Temporary
from headwater.model.ports import Clock
from headwater.model.work import Later
from headwater.pure.intelligence import Unusable, asked_again
from headwater.worker.summary_questions import Asked, again, kept

NOW = timedelta(0)
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Tally:
    """`wait` is how long the endpoint wants to be left alone."""

    answered: int = 0
    failed: int = 0
    postponed: int = 0
    batches: int = 0
    wait: timedelta = NOW

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.answered + other.answered,
            self.failed + other.failed,
            self.postponed + other.postponed,
            self.batches + other.batches,
            max(self.wait, other.wait),
        )


@dataclass
class Calls:
    """How many calls about one question were answered, well or badly."""

    answered: int = 0


@dataclass(frozen=True, kw_only=True)
class Asking:
    requests: SummaryRequests
    chat: Chat
    clock: Clock
    in_time: Callable[[], bool]
    asks: int
    at_once: int

    async def all(self, session: aiohttp.ClientSession, asked: Sequence[Asked]) -> Tally:
        """Until all are asked, the endpoint wants to be left alone, or the time is over."""
        total = Tally()
        for start in range(0, len(asked), self.at_once):
            if total.wait or not self.in_time():
                break
            handful = [self._deal_with(session, one) for one in asked[start : start + self.at_once]]
            for ended in await asyncio.gather(*handful, return_exceptions=True):
                if isinstance(ended, BaseException):
                    raise ended
                total += ended
        return total

    async def _deal_with(self, session: aiohttp.ClientSession, one: Asked) -> Tally:
        if not await asyncio.to_thread(self.requests.asking, one.id, one.cost, one.sources, self.clock()):
            return Tally()
        calls = Calls()
        try:
            settled = await self._answer(session, one, calls)
        except Temporary as trouble:
            return await self._put_off(one, trouble, calls)
        except Unusable as trouble:
            return await self._settled(self._again(one, str(trouble), AGAIN))
        except Permanent as trouble:
            return await self._settled(Settled(id=one.id, state=FAILED, reason=str(trouble)))
        except Refused:
            self.requests.settle([self._not_taken(one, "stopped", NOW, calls)], self.clock())
            raise
        except BaseException:
            # Stopped in the middle of a call, which may be paid. Not awaited, for we may be cancelled.
            self.requests.settle([self._again(one, "stopped", NOW)], self.clock())
            raise
        return await self._settled(settled)

    async def _put_off(self, one: Asked, trouble: Temporary, calls: Calls) -> Tally:
        wait = trouble.delay or AGAIN
        if not trouble.counts:
            tally = await self._settled(self._not_taken(one, trouble.reason, wait, calls))
            return replace(tally, wait=wait)
        tally = await self._settled(self._again(one, trouble.reason, wait))
        return replace(tally, wait=wait) if trouble.reason in AWAY else tally

    async def _answer(self, session: aiohttp.ClientSession, one: Asked, calls: Calls) -> Settled:
        chat = replace(self.chat, model=one.row["model"])
        messages = list(one.messages)
        for ask in range(1, self.asks + 1):
            if ask > 1:
                await asyncio.to_thread(self.requests.paying, one.id, one.cost)
            said = await chat.ask(session, messages, max_tokens=one.longest)
            calls.answered += 1
            try:
                return kept(one.row, said, one.articles)
            except Unusable as why:
                if ask == self.asks or not self.in_time():
                    raise
                complaint = f"it was cut off ({why})" if said.cut else str(why)
                messages = [*one.messages, *asked_again(said.text, complaint)]
        raise Unusable("nothing was asked")

    def _again(self, one: Asked, reason: str, wait: timedelta) -> Settled:
        return again(one.row, reason, self.clock() + wait, tried=one.row["attempts"] + 1)

    def _not_taken(self, one: Asked, reason: str, wait: timedelta, calls: Calls) -> Settled:
        """The last call cost nothing; the try counts all the same if one before it was answered."""
        unspent = one.cost or 0.0
        if calls.answered:
            return replace(self._again(one, reason, wait), unspent=unspent)
        later = Later(at=self.clock() + wait, reason=reason, counts=False)
        return Settled(id=one.id, state=WAITING, reason=reason, later=later, unspent=unspent)

    async def _settled(self, settled: Settled) -> Tally:
        await asyncio.to_thread(self.requests.settle, [settled], self.clock())
        if settled.state != "done":
            _log.info("story not summarised", request=settled.id, reason=settled.reason)
        return Tally(
            answered=settled.state == "done",
            failed=settled.state == FAILED,
            postponed=settled.state == WAITING,
        )
