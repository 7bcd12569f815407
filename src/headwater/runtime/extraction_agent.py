"""The extraction agent: takes documents from queues, has a language model read them, and acknowledges each with the answer.

An item is leased while the model reads it. After a kill the lease runs out and another agent takes the item; a stopped
agent returns it at once. Answers are stored by the id of the item, so a second answer changes nothing.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import aiohttp
import msgspec
import structlog

from headwater.model.errors import Permanent, Temporary
from headwater.model.questions import ExtractionQuestion
from headwater.model.summaries import Messages, ModelReply
from headwater.store.changes.queues import WAITING, SqlQueues
from headwater.stories.llm.answers import RETRY_DELAY, InvalidAnswer, ask_until_valid
from headwater.stories.llm.chat import ChatClient
from headwater.stories.llm.extraction import (
    extraction_messages,
    parse_extraction,
    question_for_queue,
)

LEASE_MARGIN = timedelta(minutes=1)
NO_DELAY = timedelta(0)
MAX_REASON_CHARS = 300
MAX_WAIT = timedelta(minutes=10)
MAX_ROUNDS_WITHOUT_PROGRESS = 5
Sleep = Callable[[float], Awaitable[None]]
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class AgentTally:
    """Counts of items by outcome. `wait` is how long the endpoint wants to be left alone."""

    done: int = 0
    failed: int = 0
    postponed: int = 0
    wait: timedelta = NO_DELAY

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
    """`questions` are those of the recipes, by the last part of a queue's name. `max_calls` limits the calls for one item, the first included."""

    queues: SqlQueues
    questions: Mapping[str, ExtractionQuestion]
    chat: ChatClient
    owner: str
    max_calls: int = 3
    concurrency: int = 4

    @property
    def lease(self) -> timedelta:
        """Longer than an item can take."""
        return timedelta(seconds=self.chat.seconds) * self.max_calls + LEASE_MARGIN

    async def drain(self, session: aiohttp.ClientSession) -> AgentTally:
        """Works until nothing is due or the endpoint wants to be left alone."""
        total = AgentTally()
        while latest := await self.run_round(session):
            total += latest
            if total.wait:
                break
        return total

    async def drain_patiently(
        self, session: aiohttp.ClientSession, sleep: Sleep = asyncio.sleep
    ) -> AgentTally:
        """As `drain`, but waits when the endpoint wants to be left alone, and then continues. Gives up, with `wait` set, when
        it would have to wait for long or gets nowhere."""
        total, rounds_without_progress = AgentTally(), 0
        while True:
            latest = await self.drain(session)
            total = replace(total + latest, wait=latest.wait)
            rounds_without_progress = 0 if latest.done or latest.failed else rounds_without_progress + 1
            if (
                not latest.wait
                or latest.wait > MAX_WAIT
                or rounds_without_progress >= MAX_ROUNDS_WITHOUT_PROGRESS
            ):
                return total
            await sleep(latest.wait.total_seconds())

    def count_waiting(self) -> int:
        """The items that wait in the queues that have a question."""
        rows = self.queues.counts()
        return sum(
            row[WAITING] for row in rows if question_for_queue(self.questions, row["queue"]) is not None
        )

    async def run_round(self, session: aiohttp.ClientSession) -> AgentTally:
        """A few items from each queue that has a question."""
        total = AgentTally()
        for queue in await asyncio.to_thread(self._queue_names):
            question = question_for_queue(self.questions, queue)
            if question is not None and not total.wait:
                total += await self._process_some(session, queue, question)
        return total

    def _queue_names(self) -> Sequence[str]:
        return [row["queue"] for row in self.queues.counts()]

    async def _process_some(
        self, session: aiohttp.ClientSession, queue: str, question: ExtractionQuestion
    ) -> AgentTally:
        items = await asyncio.to_thread(self.queues.pop, queue, self.owner, self.concurrency, self.lease)
        tasks = [self._process(session, question, item) for item in items]
        total = AgentTally()
        for result in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(result, BaseException):
                raise result
            total += result
        return total

    async def _process(
        self, session: aiohttp.ClientSession, question: ExtractionQuestion, item: Mapping[str, Any]
    ) -> AgentTally:
        """Acknowledges the item, marks it as failed, or returns it to its queue."""
        name = str(item["id"])
        try:
            answer = await self._answer(session, question, item)
        except Temporary as error:
            if error.counts:
                return await self._fail(name, str(error))
            wait = error.delay or RETRY_DELAY
            await asyncio.to_thread(self.queues.postpone, name, self.owner, wait)
            _log.info("item postponed", item=name, reason=error.reason)
            return AgentTally(postponed=1, wait=wait)
        except (Permanent, InvalidAnswer) as error:
            return await self._fail(name, str(error))
        except BaseException:
            # Stopped, or refused with these settings: the item is not at fault. Not awaited: this task may be cancelled.
            self.queues.postpone(name, self.owner, NO_DELAY)
            raise
        await asyncio.to_thread(self.queues.ack, name, answer)
        return AgentTally(done=1)

    async def _fail(self, name: str, error: str) -> AgentTally:
        reason = f"extraction_failed: {error}"[:MAX_REASON_CHARS]
        await asyncio.to_thread(self.queues.fail, name, reason)
        _log.warning("item failed", item=name, reason=reason)
        return AgentTally(failed=1)

    async def _answer(
        self, session: aiohttp.ClientSession, question: ExtractionQuestion, item: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The answer with its origin."""

        async def ask(messages: Messages) -> ModelReply:
            return await self.chat.ask(session, messages)

        def parse(reply: ModelReply) -> tuple[msgspec.Struct, ModelReply]:
            return parse_extraction(question, reply.text), reply

        messages = extraction_messages(question, item)
        (answer, reply), calls = await ask_until_valid(ask, messages, parse, self.max_calls)
        origin = {"model": reply.model, "question": question.version, "calls": calls}
        return {**msgspec.to_builtins(answer), "origin": origin}
