"""Of which recipes stories are summarised by a language model, and of which only what was sent before is followed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import aiohttp

from headwater.app import App
from headwater.model.errors import Refused
from headwater.model.ports import Clock
from headwater.model.recipe import LlmSummary, Recipe, always
from headwater.settings.llm import (
    SummarySettings,
    api_root,
    chat_url,
    check_endpoint,
    price_table,
    read_api_key,
)
from headwater.store.summaries.batches import SummaryBatches
from headwater.store.summaries.requests import (
    ASKED,
    DONE,
    FAILED,
    PlannedRequest,
    RequestOutcome,
    SummaryCandidate,
    SummaryRequests,
)
from headwater.store.summaries.stories import StoryUpdates
from headwater.stories.llm.batch_api import BatchApi
from headwater.stories.llm.batches import BatchSummarizer
from headwater.stories.llm.chat import ChatClient
from headwater.stories.llm.direct import AskTally, DirectSummarizer
from headwater.stories.llm.prices import total_cost
from headwater.stories.llm.requests import PreparedRequest, RequestBuilder
from headwater.stories.llm.story_prompt import Level, request_id
from headwater.stories.scoring import top_share


def llm_summary_recipes(app: App) -> dict[str, LlmSummary]:
    found = {name: recipe.grouping.llm_summary for name, recipe in app.recipes.items() if recipe.grouping}
    return {name: llm_summary for name, llm_summary in found.items() if llm_summary is not None}


def followed_recipes(app: App) -> dict[str, LlmSummary]:
    """Those that are not retold by these settings, but were by others, such as the tier of a single run: what was sent is
    paid, so it is followed and shown all the same."""
    asked = SummaryRequests(app.store.engine).asked_recipes() - llm_summary_recipes(app).keys()
    return {name: _usual(app.recipes[name]) for name in sorted(asked & app.recipes.keys())}


def _usual(recipe: Recipe) -> LlmSummary:
    """Who is told of every story. An alert is not sent again because of a summary."""
    return LlmSummary(tuple(r.name for r in recipe.routes if r.of == "story" and r.when is always))


def has_unfinished_summaries(app: App) -> bool:
    """Whether something was sent whose answers nobody else would get."""
    return bool(SummaryBatches(app.store.engine).open() or followed_recipes(app))


SETTING = "summaries"
MAX_REQUESTS = 500
DAY = timedelta(days=1)
WORKER_ROUND_TIME = timedelta(minutes=1)
"""So long a worker asks before it goes back to its documents."""

Announce = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class SummaryFigures:
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
class SummaryRound:
    """`recipes` are those whose stories may be retold, with who is told; `left` those of which only what was asked before
    is followed and shown."""

    requests: SummaryRequests
    batches: SummaryBatches
    stories: StoryUpdates
    chat: ChatClient
    api: BatchApi
    told: SummarySettings
    recipes: Mapping[str, LlmSummary]
    clock: Clock
    tell: Announce
    until: datetime
    left: Mapping[str, LlmSummary] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)

    def estimate(self) -> SummaryFigures:
        """What would be asked now, and for how much; nothing is sent."""
        planned = sum(self._plan(recipe) for recipe in self.recipes)
        asked, _ = self._due()
        self._announce(asked)
        return SummaryFigures(planned=planned, cost=self._worth(asked))

    async def follow(self) -> SummaryFigures:
        """Only what was sent before; nothing is asked."""
        async with self.api.session() as session:
            ended = await self._batching.follow(session)
        return SummaryFigures(batches_ended=ended, retold=self._show())

    async def round(self) -> SummaryFigures:
        async with self.api.session() as session:
            ended = await self._batching.follow(session)
            retold = self._show()
            planned = sum(self._plan(recipe) for recipe in self.recipes)
            tally, count, worth = await self._ask(session)
        return SummaryFigures(
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

    def _candidates(self, recipe: str) -> list[SummaryCandidate]:
        since = self.clock() - timedelta(days=self.told.days)
        return [c for c in self.requests.candidates(recipe, since) if c.size >= self.told.min_articles]

    def _hot(self, found: Sequence[SummaryCandidate]) -> frozenset[str]:
        if not self.told.premium_model or not found:
            return frozenset()
        return frozenset(top_share({c.story: c.score for c in found}, self.told.premium_share))

    def _wanted(
        self, candidate: SummaryCandidate, hot: frozenset[str], premium: Mapping[str, str]
    ) -> PlannedRequest | None:
        """The hottest go to the better model, and to the other one if that fails. Whoever was asked about as one of them is
        not paid for again because it has cooled down."""
        best = request_id(candidate.story, candidate.content, "premium")
        usual = request_id(candidate.story, candidate.content, "standard")
        if premium.get(best) in {ASKED, DONE}:
            return None
        level: Level = "premium" if candidate.story in hot and premium.get(best) != FAILED else "standard"
        if candidate.shown == best or (candidate.shown == usual and level == "standard"):
            return None
        return PlannedRequest(
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
        return sum(self._shown(recipe, llm_summary) for recipe, llm_summary in either.items())

    def _shown(self, recipe: str, llm_summary: LlmSummary) -> int:
        count = 0
        found = self._candidates(recipe)
        levels: tuple[Level, ...] = ("premium", "standard")
        names = {c.story: [request_id(c.story, c.content, level) for level in levels] for c in found}
        answers = self.requests.done([name for some in names.values() for name in some])
        for candidate in found:
            best = next((name for name in names[candidate.story] if name in answers), None)
            if best is None or candidate.shown in {best, names[candidate.story][0]}:
                continue
            count += self.stories.replace_summary(
                candidate.story, candidate.content, answers[best], llm_summary.routes, self.clock()
            )
        if count:
            self.touched.add(recipe)
        return count

    async def _ask(self, session: aiohttp.ClientSession) -> tuple[AskTally, int, float | None]:
        """How it went, about how many, and for how much at most."""
        tally, count = AskTally(), 0
        costs: list[float | None] = []
        while self._may_ask() and not tally.wait and (asked := self._prepared()):
            self._announce(asked)
            self._refuse_what_is_dear(asked)
            costs.append(self._worth(asked))
            count += len(asked)
            if self.told.mode == "batch":
                self._batching.plan(asked)
                tally += AskTally(batches=len({one.row["model"] for one in asked}))
                await self._batching.follow(session)
            else:
                tally += await self._asking.all(session, asked)
        return tally, count, total_cost(costs)

    def _due(self) -> tuple[list[PreparedRequest], list[RequestOutcome]]:
        now = self.clock()
        return self._questions.of(self.requests.due(self.recipes, now, MAX_REQUESTS), now)

    def _prepared(self) -> list[PreparedRequest]:
        ready, rest = self._due()
        self.requests.settle(rest, self.clock())
        return ready

    def _worth(self, asked: Sequence[PreparedRequest]) -> float | None:
        """At most: a direct call may have to be made as often as `asks` says."""
        once = total_cost(one.cost for one in asked)
        return once if once is None or self.told.mode == "batch" else once * self.told.max_calls

    def _announce(self, asked: Sequence[PreparedRequest]) -> None:
        if asked:
            worth = self._worth(asked)
            price = "at a price that is not known" if worth is None else f"for about ${worth:.4f}"
            self.tell(f"{_many(asked)} to be summarised {price} ({self.told.mode}).")

    def _refuse_what_is_dear(self, asked: Sequence[PreparedRequest]) -> None:
        daily_budget = self.told.daily_budget
        if daily_budget is None:
            return
        worth = self._worth(asked)
        if worth is None:
            model = next(str(one.row["model"]) for one in asked if one.cost is None)
            raise Refused(
                "unknown_price",
                f"{SETTING}.prices: there is a ceiling, but no price for '{model}'; give one, or no ceiling",
            )
        spent = self.requests.spent(self.clock() - DAY)
        if spent + worth > daily_budget:
            raise Refused(
                "over_budget",
                f"{SETTING}.ceiling: {_many(asked)} would cost about ${worth:.4f}, and ${spent:.4f} of "
                f"${daily_budget:g} in 24 hours are spent; wait, or raise the ceiling",
            )

    def _may_ask(self) -> bool:
        """No batch is sent after one for which the endpoint had no room."""
        crowded = self.told.mode == "batch" and self.requests.is_crowded(self.clock())
        return self._in_time() and not crowded

    def _in_time(self) -> bool:
        return self.clock() < self.until

    @property
    def _questions(self) -> RequestBuilder:
        return RequestBuilder(
            requests=self.requests, prices=price_table(self.told), batch=self.told.mode == "batch"
        )

    @property
    def _batching(self) -> BatchSummarizer:
        return BatchSummarizer(
            batches=self.batches,
            questions=self._questions,
            api=self.api,
            chat=self.chat,
            clock=self.clock,
            in_time=self._in_time,
        )

    @property
    def _asking(self) -> DirectSummarizer:
        return DirectSummarizer(
            requests=self.requests,
            chat=self.chat,
            clock=self.clock,
            in_time=self._in_time,
            max_calls=self.told.max_calls,
            concurrency=self.told.concurrency,
        )


def _many(asked: Sequence[PreparedRequest]) -> str:
    return "1 story" if len(asked) == 1 else f"{len(asked)} stories"


def open_summary_round(
    app: App, tell: Announce = lambda _: None, longest: timedelta = WORKER_ROUND_TIME
) -> SummaryRound:
    """As the settings want it, or Refused. Nothing new is begun after so long."""
    told = check_endpoint(app.settings.summaries, SETTING)
    engine, access = app.store.engine, _access(app, told)
    return SummaryRound(
        requests=SummaryRequests(engine),
        batches=SummaryBatches(engine),
        stories=StoryUpdates(engine),
        chat=ChatClient(address=chat_url(told), model=told.model, options=told.options, **access),
        api=BatchApi(root=api_root(told), **access),
        told=told,
        recipes=llm_summary_recipes(app),
        left=followed_recipes(app),
        clock=app.clock,
        tell=tell,
        until=app.clock() + longest,
    )


def _access(app: App, told: SummarySettings) -> dict[str, Any]:
    return {"clock": app.clock, "key": read_api_key(told, SETTING), "seconds": told.seconds, "where": SETTING}
