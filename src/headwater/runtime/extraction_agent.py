"""The extraction agent: takes documents from queues, has a model read them, acknowledges with what it made of them.

An item stays leased while it is worked on. Whoever is killed leaves it to the next once the lease ends; whoever is
stopped gives it back. Answers are stored by the item's id, so that a second one changes nothing.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import aiohttp
import msgspec
import structlog

from headwater.model.errors import Permanent, Temporary
from headwater.store.admin.queues import SqlQueues
from headwater.stories.llm.chat import RETRY_DELAY, ChatClient, ChatReply
from headwater.stories.llm.extraction import (
    ExtractionAnswer,
    ExtractionQuestion,
    InvalidAnswer,
    extraction_messages,
    parse_extraction,
    question_for_queue,
    retry_messages,
)

LEASE_MARGIN = timedelta(minutes=1)
NOW = timedelta(0)
LONGEST_REASON = 300
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class AgentTally:
    """What became of items; `wait` is how long the endpoint wants to be left alone."""

    done: int = 0
    failed: int = 0
    postponed: int = 0
    wait: timedelta = NOW

    def __add__(self, other: "AgentTally") -> "AgentTally":
        return AgentTally(
            self.done + other.done,
            self.failed + other.failed,
            self.postponed + other.postponed,
            max(self.wait, other.wait),
        )

    def __bool__(self) -> bool:
        return self.done + self.failed + self.postponed > 0


@dataclass(frozen=True, kw_only=True)
class ExtractionAgent:
    """`asks` is how often one item is asked about in a row, the first time included."""

    queues: SqlQueues
    chat: ChatClient
    owner: str
    max_calls: int = 3
    concurrency: int = 4

    @property
    def lease(self) -> timedelta:
        """Longer than an item can take."""
        return timedelta(seconds=self.chat.seconds) * self.max_calls + LEASE_MARGIN

    async def drain(self, session: aiohttp.ClientSession) -> AgentTally:
        """Until nothing is due, or the endpoint wants to be left alone."""
        total = AgentTally()
        while latest := await self.one_round(session):
            total += latest
            if total.wait:
                break
        return total

    async def one_round(self, session: aiohttp.ClientSession) -> AgentTally:
        """A handful from each queue that can be asked about."""
        total = AgentTally()
        for queue in await asyncio.to_thread(self._names):
            question = question_for_queue(queue)
            if question is not None and not total.wait:
                total += await self._handful(session, queue, question)
        return total

    def _names(self) -> Sequence[str]:
        return [row["queue"] for row in self.queues.counts()]

    async def _handful(
        self, session: aiohttp.ClientSession, queue: str, question: ExtractionQuestion
    ) -> AgentTally:
        items = await asyncio.to_thread(self.queues.pop, queue, self.owner, self.concurrency, self.lease)
        dealing = [self._deal_with(session, question, item) for item in items]
        total = AgentTally()
        for ended in await asyncio.gather(*dealing, return_exceptions=True):
            if isinstance(ended, BaseException):
                raise ended
            total += ended
        return total

    async def _deal_with(
        self, session: aiohttp.ClientSession, question: ExtractionQuestion, item: Mapping[str, Any]
    ) -> AgentTally:
        """One item, to its end or back into its queue."""
        name = str(item["id"])
        try:
            result = await self._result(session, question, item)
        except Temporary as trouble:
            if trouble.counts:
                return await self._failed(name, str(trouble))
            wait = trouble.delay or RETRY_DELAY
            await asyncio.to_thread(self.queues.later, name, self.owner, wait)
            _log.info("item postponed", item=name, reason=trouble.reason)
            return AgentTally(postponed=1, wait=wait)
        except (Permanent, InvalidAnswer) as trouble:
            return await self._failed(name, str(trouble))
        except BaseException:
            # Stopped, or not with these settings: no fault of the item. Not awaited, for we may be cancelled.
            self.queues.later(name, self.owner, NOW)
            raise
        await asyncio.to_thread(self.queues.ack, name, result)
        return AgentTally(done=1)

    async def _failed(self, name: str, why: str) -> AgentTally:
        reason = f"extraction_failed: {why}"[:LONGEST_REASON]
        await asyncio.to_thread(self.queues.fail, name, reason)
        _log.warning("item failed", item=name, reason=reason)
        return AgentTally(failed=1)

    async def _result(
        self, session: aiohttp.ClientSession, question: ExtractionQuestion, item: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Asked again with what was wrong, so often and no oftener."""
        conversation = extraction_messages(question, item)
        for ask in range(1, self.max_calls + 1):
            said = await self.chat.ask(session, conversation)
            try:
                return with_origin(parse_extraction(question, said.text), question, said, ask)
            except InvalidAnswer as why:
                if ask == self.max_calls:
                    raise
                complaint = f"it was cut off ({why})" if said.cut else str(why)
                conversation = [*extraction_messages(question, item), *retry_messages(said.text, complaint)]
        raise InvalidAnswer("nothing was asked")


def with_origin(
    answer: ExtractionAnswer, question: ExtractionQuestion, said: ChatReply, max_calls: int
) -> dict[str, Any]:
    """The answer with where it came from."""
    origin = {"model": said.model, "question": question.version, "asks": max_calls}
    return {**msgspec.to_builtins(answer), "origin": origin}
