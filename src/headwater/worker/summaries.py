"""A round of summaries: open batches are followed, answers are put into the stories they were written for, what stories
want is planned, and what waits is asked. A story has its local summary before, and keeps it whenever something fails."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import aiohttp

from headwater.app import App
from headwater.backends.sql.retelling import StoryRows
from headwater.backends.sql.summary_batches import SummaryBatches
from headwater.backends.sql.summary_requests import (
    ASKED,
    DONE,
    FAILED,
    Candidate,
    Settled,
    SummaryRequests,
    Wanted,
)
from headwater.fetch.batch_api import BatchApi
from headwater.fetch.chat import Chat
from headwater.model.errors import Refused
from headwater.model.ports import Clock
from headwater.model.recipe import Retelling
from headwater.pure.spending import total
from headwater.pure.stories.hotspot import hottest
from headwater.pure.stories.retelling import Level, request_id
from headwater.settings.agent import address_of, checked, key_of, root_of
from headwater.settings.summaries import Summaries, prices_of
from headwater.worker.summary_asking import Asking, Tally
from headwater.worker.summary_batching import Batching
from headwater.worker.summary_questions import Asked, Questions
from headwater.worker.summary_recipes import left_recipes, retold_recipes

WHERE = "summaries"
AT_ONCE = 500
DAY = timedelta(days=1)
BRIEFLY = timedelta(minutes=1)
"""So long a worker asks before it goes back to its documents."""

Tell = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Figures:
    """What a round did. `cost` is the estimate in US dollars of what was asked in it; None where a price is missing."""

    planned: int = 0
    asked: int = 0
    answered: int = 0
    failed: int = 0
    postponed: int = 0
    batches_sent: int = 0
    batches_ended: int = 0
    retold: int = 0
    cost: float | None = 0.0


@dataclass(frozen=True, kw_only=True)
class Summarising:
    """`recipes` are those whose stories may be retold, with who is told; `left` those of which only what was asked before
    is followed and shown."""

    requests: SummaryRequests
    batches: SummaryBatches
    stories: StoryRows
    chat: Chat
    api: BatchApi
    told: Summaries
    recipes: Mapping[str, Retelling]
    clock: Clock
    tell: Tell
    until: datetime
    left: Mapping[str, Retelling] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)

    def estimate(self) -> Figures:
        """What would be asked now, and for how much; nothing is sent."""
        planned = sum(self._plan(recipe) for recipe in self.recipes)
        asked, _ = self._due()
        self._announce(asked)
        return Figures(planned=planned, cost=self._worth(asked))

    async def follow(self) -> Figures:
        """Only what was sent before; nothing is asked."""
        async with self.api.session() as session:
            ended = await self._batching.follow(session)
        return Figures(batches_ended=ended, retold=self._show())

    async def round(self) -> Figures:
        async with self.api.session() as session:
            ended = await self._batching.follow(session)
            retold = self._show()
            planned = sum(self._plan(recipe) for recipe in self.recipes)
            tally, count, worth = await self._ask(session)
        return Figures(
            planned=planned,
            asked=count,
            answered=tally.answered,
            failed=tally.failed,
            postponed=tally.postponed,
            batches_sent=tally.batches,
            batches_ended=ended,
            retold=retold + self._show(),
            cost=worth,
        )

    def _plan(self, recipe: str) -> int:
        now = self.clock()
        found = self._candidates(recipe)
        hot = self._hot(found)
        states = self.requests.states([request_id(c.story, c.content, "premium") for c in found])
        wanted = [w for c in found if (w := self._wanted(c, hot, states)) is not None]
        return self.requests.plan(recipe, wanted, now)

    def _candidates(self, recipe: str) -> list[Candidate]:
        since = self.clock() - timedelta(days=self.told.days)
        return [c for c in self.requests.candidates(recipe, since) if c.size >= self.told.smallest]

    def _hot(self, found: Sequence[Candidate]) -> frozenset[str]:
        if not self.told.premium_model or not found:
            return frozenset()
        return frozenset(hottest({c.story: c.score for c in found}, self.told.share))

    def _wanted(self, candidate: Candidate, hot: frozenset[str], premium: Mapping[str, str]) -> Wanted | None:
        """The hottest go to the better model, and to the other one if that fails. Whoever was asked about as one of them is
        not paid for again because it has cooled down."""
        best = request_id(candidate.story, candidate.content, "premium")
        usual = request_id(candidate.story, candidate.content, "standard")
        if premium.get(best) in {ASKED, DONE}:
            return None
        level: Level = "premium" if candidate.story in hot and premium.get(best) != FAILED else "standard"
        if candidate.shown == best or (candidate.shown == usual and level == "standard"):
            return None
        return Wanted(
            id=best if level == "premium" else usual,
            story=candidate.story,
            content=candidate.content,
            level=level,
            model=self.told.premium_model if level == "premium" else self.told.model,
            score=candidate.score,
        )

    def _show(self) -> int:
        """Put answers into stories that do not show them yet: also those that a new division of their group, or a kill,
        came in between."""
        either = {**self.left, **self.recipes}
        return sum(self._shown(recipe, retelling) for recipe, retelling in either.items())

    def _shown(self, recipe: str, retelling: Retelling) -> int:
        count = 0
        found = self._candidates(recipe)
        levels: tuple[Level, ...] = ("premium", "standard")
        names = {c.story: [request_id(c.story, c.content, level) for level in levels] for c in found}
        answers = self.requests.done([name for some in names.values() for name in some])
        for candidate in found:
            best = next((name for name in names[candidate.story] if name in answers), None)
            if best is None or candidate.shown in {best, names[candidate.story][0]}:
                continue
            count += self.stories.retell(
                candidate.story, candidate.content, answers[best], retelling.routes, self.clock()
            )
        if count:
            self.touched.add(recipe)
        return count

    async def _ask(self, session: aiohttp.ClientSession) -> tuple[Tally, int, float | None]:
        """How it went, about how many, and for how much at most."""
        tally, count = Tally(), 0
        costs: list[float | None] = []
        while self._may_ask() and not tally.wait and (asked := self._prepared()):
            self._announce(asked)
            self._refuse_what_is_dear(asked)
            costs.append(self._worth(asked))
            count += len(asked)
            if self.told.mode == "batch":
                self._batching.plan(asked)
                tally += Tally(batches=len({one.row["model"] for one in asked}))
                await self._batching.follow(session)
            else:
                tally += await self._asking.all(session, asked)
        return tally, count, total(costs)

    def _due(self) -> tuple[list[Asked], list[Settled]]:
        now = self.clock()
        return self._questions.of(self.requests.due(self.recipes, now, AT_ONCE), now)

    def _prepared(self) -> list[Asked]:
        ready, rest = self._due()
        self.requests.settle(rest, self.clock())
        return ready

    def _worth(self, asked: Sequence[Asked]) -> float | None:
        """At most: a direct call may have to be made as often as `asks` says."""
        once = total(one.cost for one in asked)
        return once if once is None or self.told.mode == "batch" else once * self.told.asks

    def _announce(self, asked: Sequence[Asked]) -> None:
        if asked:
            worth = self._worth(asked)
            price = "at a price that is not known" if worth is None else f"for about ${worth:.4f}"
            self.tell(f"{_many(asked)} to be summarised {price} ({self.told.mode}).")

    def _refuse_what_is_dear(self, asked: Sequence[Asked]) -> None:
        ceiling = self.told.ceiling
        if ceiling is None:
            return
        worth = self._worth(asked)
        if worth is None:
            model = next(str(one.row["model"]) for one in asked if one.cost is None)
            raise Refused(
                "unknown_price",
                f"{WHERE}.prices: there is a ceiling, but no price for '{model}'; give one, or no ceiling",
            )
        spent = self.requests.spent(self.clock() - DAY)
        if spent + worth > ceiling:
            raise Refused(
                "over_ceiling",
                f"{WHERE}.ceiling: {_many(asked)} would cost about ${worth:.4f}, and ${spent:.4f} of "
                f"${ceiling:g} in 24 hours are spent; wait, or raise the ceiling",
            )

    def _may_ask(self) -> bool:
        """No batch is sent after one for which the endpoint had no room."""
        crowded = self.told.mode == "batch" and self.requests.is_crowded(self.clock())
        return self._in_time() and not crowded

    def _in_time(self) -> bool:
        return self.clock() < self.until

    @property
    def _questions(self) -> Questions:
        return Questions(requests=self.requests, prices=prices_of(self.told), batch=self.told.mode == "batch")

    @property
    def _batching(self) -> Batching:
        return Batching(
            batches=self.batches,
            questions=self._questions,
            api=self.api,
            chat=self.chat,
            clock=self.clock,
            in_time=self._in_time,
        )

    @property
    def _asking(self) -> Asking:
        return Asking(
            requests=self.requests,
            chat=self.chat,
            clock=self.clock,
            in_time=self._in_time,
            asks=self.told.asks,
            at_once=self.told.at_once,
        )


def _many(asked: Sequence[Asked]) -> str:
    return "1 story" if len(asked) == 1 else f"{len(asked)} stories"


def summarising_of(app: App, tell: Tell = lambda _: None, longest: timedelta = BRIEFLY) -> Summarising:
    """As the settings want it, or Refused. Nothing new is begun after so long."""
    told = checked(app.settings.summaries, WHERE)
    engine, access = app.store.engine, _access(app, told)
    return Summarising(
        requests=SummaryRequests(engine),
        batches=SummaryBatches(engine),
        stories=StoryRows(engine),
        chat=Chat(address=address_of(told), model=told.model, options=told.options, **access),
        api=BatchApi(root=root_of(told), **access),
        told=told,
        recipes=retold_recipes(app),
        left=left_recipes(app),
        clock=app.clock,
        tell=tell,
        until=app.clock() + longest,
    )


def _access(app: App, told: Summaries) -> dict[str, Any]:
    return {"clock": app.clock, "key": key_of(told, WHERE), "seconds": told.seconds, "where": WHERE}
