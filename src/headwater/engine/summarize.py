"""Stories to summaries: plan requests to a language model, ask, and show the answers.

A story has its local summary before that, and keeps it whenever something fails. The rows of requests and batches are
claimed one by one (`model.ports.SummaryStore`), so this job may be killed anywhere and run again.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

from headwater.engine.context import JobContext, SummaryTools
from headwater.model.errors import Refused
from headwater.model.jobs import Job
from headwater.model.ports import Clock
from headwater.model.recipe import Recipe, always
from headwater.model.summaries import SummaryCandidate, SummaryFigures
from headwater.stories.llm.batches import BatchSummarizer
from headwater.stories.llm.direct import CallTally, DirectSummarizer
from headwater.stories.llm.plan import answers_to_show, plan_requests, request_ids
from headwater.stories.llm.prices import total_cost
from headwater.stories.llm.requests import PreparedRequest, RequestBuilder

REQUESTS_PER_STEP = 500
BUDGET_PERIOD = timedelta(days=1)
T = TypeVar("T")


def summarize(context: JobContext, job: Job) -> int:
    """Show answers of a recipe's stories, plan and ask what is new; returns how many stories were asked about or changed.
    A recipe without permission for summaries is not asked about: only its earlier answers are shown."""
    tools = context.summaries
    if tools is None:
        return 0
    recipe, figures = context.recipe(job), tools.figures
    asked_before, updated_before = figures.asked, figures.stories_updated
    show_answers(context, recipe)
    if tools.ask and may_ask_about(recipe):
        figures.planned += _plan(context.clock, tools, recipe.name)
        _run(tools, lambda: RecipeRequests(context.clock, tools, recipe.name).ask_due())
        show_answers(context, recipe)
    return figures.asked - asked_before + figures.stories_updated - updated_before


def follow_batches(context: JobContext) -> int:
    """Take open batches of all recipes as far as they get; returns how many ended. A batch that was sent is paid, so it is
    followed even if no recipe has summaries any more."""
    tools = context.summaries
    if tools is None:
        return 0
    ended = _run(tools, lambda: _batch_summarizer(context.clock, tools).follow())
    tools.figures.batches_ended += ended
    return ended


def estimate(context: JobContext, recipe: str) -> SummaryFigures:
    """What would be asked now, and the cost. Sends nothing."""
    tools = context.summaries
    if tools is None:
        return SummaryFigures()
    planned = _plan(context.clock, tools, recipe)
    requests = RecipeRequests(context.clock, tools, recipe)
    prepared = requests.preview()
    requests.announce(prepared)
    return SummaryFigures(planned=planned, cost=requests.max_cost(prepared))


def may_ask_about(recipe: Recipe) -> bool:
    return recipe.grouping is not None and recipe.grouping.summary_permission is not None


def show_answers(context: JobContext, recipe: Recipe) -> None:
    """Put answers into stories that do not show them: new ones, and those that a kill or a gather job came between."""
    tools = context.summaries
    assert tools is not None
    candidates = _candidates(context.clock, tools, recipe.name)
    ids = [name for candidate in candidates for name in request_ids(candidate)]
    routes, updated = _routes(recipe), 0
    for candidate, answer in answers_to_show(candidates, tools.store.answers(ids)):
        updated += tools.store.replace_summary(
            candidate.story, candidate.content, answer, routes, context.clock()
        )
    if updated:
        tools.figures.stories_updated += updated
        tools.updated_recipes.add(recipe.name)


def _routes(recipe: Recipe) -> tuple[str, ...]:
    """Without permission: the routes that receive every story. A conditional route (an alert) is not used again."""
    if recipe.grouping is not None and recipe.grouping.summary_permission is not None:
        return recipe.grouping.summary_permission.routes
    return tuple(route.name for route in recipe.routes if route.of == "story" and route.when is always)


def _candidates(clock: Clock, tools: SummaryTools, recipe: str) -> list[SummaryCandidate]:
    since = clock() - tools.policy.max_age
    candidates = tools.store.candidates(recipe, since)
    return [candidate for candidate in candidates if candidate.size >= tools.policy.min_articles]


def _plan(clock: Clock, tools: SummaryTools, recipe: str) -> int:
    candidates = _candidates(clock, tools, recipe)
    premium_ids = [request_ids(candidate)[0] for candidate in candidates]
    planned = plan_requests(candidates, tools.store.request_states(premium_ids), tools.policy)
    return tools.store.plan_requests(recipe, planned, clock())


@dataclass(frozen=True)
class RecipeRequests:
    """The due requests of one recipe: prepared, checked against the budget, and asked."""

    clock: Clock
    tools: SummaryTools
    recipe: str

    async def ask_due(self) -> None:
        figures, tally = self.tools.figures, CallTally()
        while self._may_continue() and not tally.wait and (prepared := self._prepare()):
            self.announce(prepared)
            self._check_budget(prepared)
            figures.cost = total_cost((figures.cost, self.max_cost(prepared)))
            figures.asked += len(prepared)
            if self._is_batch:
                batches = _batch_summarizer(self.clock, self.tools)
                figures.batches_sent += batches.plan(prepared)
                await batches.follow()
            else:
                tally += await self._direct.ask_all(prepared)
        figures.answered += tally.answered
        figures.failed += tally.failed
        figures.postponed += tally.postponed

    def preview(self) -> list[PreparedRequest]:
        """The due requests; changes nothing."""
        now = self.clock()
        due = self.tools.store.due_requests(self.recipe, now, REQUESTS_PER_STEP)
        return _builder(self.tools).prepare(due, now)[0]

    def _prepare(self) -> list[PreparedRequest]:
        now = self.clock()
        due = self.tools.store.due_requests(self.recipe, now, REQUESTS_PER_STEP)
        prepared, outcomes = _builder(self.tools).prepare(due, now)
        self.tools.store.settle(outcomes, self.clock())
        return prepared

    def announce(self, prepared: Sequence[PreparedRequest]) -> None:
        if prepared:
            cost = self.max_cost(prepared)
            price = "at an unknown price" if cost is None else f"for about ${cost:.4f}"
            self.tools.announce(f"{_count(prepared)} to be summarised {price} ({self.tools.policy.mode}).")

    def max_cost(self, prepared: Sequence[PreparedRequest]) -> float | None:
        """A direct request may take `max_calls` calls."""
        once = total_cost(request.cost for request in prepared)
        return once if once is None or self._is_batch else once * self.tools.policy.max_calls

    def _check_budget(self, prepared: Sequence[PreparedRequest]) -> None:
        budget = self.tools.policy.daily_budget
        if budget is None:
            return
        cost = self.max_cost(prepared)
        if cost is None:
            model = next(request.prompt.model for request in prepared if request.cost is None)
            raise Refused(
                "unknown_price",
                f"summaries.prices: there is a daily budget, but no price for '{model}'; set its price, or remove "
                "summaries.daily_budget",
            )
        spent = self.tools.store.spent_since(self.clock() - BUDGET_PERIOD)
        if spent + cost > budget:
            raise Refused(
                "over_budget",
                f"summaries.daily_budget: {_count(prepared)} would cost about ${cost:.4f}, and ${spent:.4f} of "
                f"${budget:g} were spent in the last 24 hours; wait, or raise the budget",
            )

    def _may_continue(self) -> bool:
        """After a batch that found the queue full, no further batch is sent for a while."""
        full = self._is_batch and self.tools.store.is_queue_full(self.clock())
        return self.clock() < self.tools.deadline and not full

    @property
    def _is_batch(self) -> bool:
        return self.tools.policy.mode == "batch"

    @property
    def _direct(self) -> DirectSummarizer:
        return DirectSummarizer(
            store=self.tools.store,
            model=self.tools.model,
            clock=self.clock,
            in_time=_in_time(self.clock, self.tools),
            max_calls=self.tools.policy.max_calls,
            concurrency=self.tools.policy.concurrency,
        )


def _batch_summarizer(clock: Clock, tools: SummaryTools) -> BatchSummarizer:
    return BatchSummarizer(
        store=tools.store,
        model=tools.model,
        builder=_builder(tools),
        clock=clock,
        in_time=_in_time(clock, tools),
    )


def _builder(tools: SummaryTools) -> RequestBuilder:
    return RequestBuilder(store=tools.store, prices=tools.policy.prices, batch=tools.policy.mode == "batch")


def _in_time(clock: Clock, tools: SummaryTools) -> Callable[[], bool]:
    return lambda: clock() < tools.deadline


def _run(tools: SummaryTools, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    async def closing() -> T:
        try:
            return await work()
        finally:
            await tools.model.close()

    return asyncio.run(closing())


def _count(prepared: Sequence[PreparedRequest]) -> str:
    return "1 story" if len(prepared) == 1 else f"{len(prepared)} stories"
