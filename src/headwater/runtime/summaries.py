"""A round of summaries: follow open batches, then one SUMMARIZE job for each recipe, then deliver what changed.

The maintenance task `summaries` holds the lease of a round. One round at a time keeps the daily budget: each round compares
its estimate with what the rounds before it spent.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from typing import Any

from headwater.app import App
from headwater.engine.context import JobContext, SummaryTools
from headwater.engine.engine import Engine
from headwater.engine.summarize import estimate, follow_batches, may_ask_about
from headwater.liveness import owner_name
from headwater.model.jobs import Job, Task
from headwater.model.summaries import SummaryFigures
from headwater.settings.llm import api_root, chat_url, check_endpoint, read_api_key, summary_policy
from headwater.stories.llm.batch_api import BatchApi
from headwater.stories.llm.chat import ChatClient
from headwater.stories.llm.openai import OpenAiModel
from headwater.stories.llm.prices import total_cost

SETTING = "summaries"
WORKER_ROUND_TIME = timedelta(minutes=1)
"""After this time a worker starts no further request and returns to its documents."""

Announce = Callable[[str], None]


def summarized_recipes(app: App) -> list[str]:
    """The recipes whose stories a language model may summarise."""
    return [name for name, recipe in app.recipes.items() if may_ask_about(recipe)]


def summary_hints(app: App) -> list[str]:
    """How to permit summaries, for the recipes that could be summarised."""
    groupings = {name: recipe.grouping for name, recipe in app.recipes.items()}
    return [
        f"for {name}, {grouping.summary_hint}"
        for name, grouping in groupings.items()
        if grouping is not None and grouping.summary_hint
    ]


def followed_recipes(app: App) -> list[str]:
    """Recipes that these settings do not summarise but others did, such as the options of a single run. Their answers are
    paid, so they are shown."""
    answered = app.summaries.recipes_with_answers() - set(summarized_recipes(app))
    return sorted(answered & app.recipes.keys())


def has_unfinished_summaries(app: App) -> bool:
    """Whether batches are open or answers remain to be shown although no recipe is summarised."""
    return bool(app.summaries.open_batches() or followed_recipes(app))


def summaries_enabled(app: App) -> bool:
    """Whether there is an endpoint, and something to ask or to follow."""
    return bool(app.settings.summaries.endpoint) and (
        bool(summarized_recipes(app)) or has_unfinished_summaries(app)
    )


def summarize_stories(
    app: App,
    announce: Announce = lambda _: None,
    *,
    max_time: timedelta = WORKER_ROUND_TIME,
    ask: bool = True,
) -> dict[str, Any]:
    """One round; returns its figures. With `ask=False` it only follows what was sent."""
    if not summaries_enabled(app):
        return {"off": True}
    context = summary_context(app, announce, app.clock() + max_time, ask=ask)
    try:
        return asdict(run_summary_round(context, [*followed_recipes(app), *summarized_recipes(app)]))
    finally:
        for recipe in sorted(_tools(context).updated_recipes):
            _deliver(app, context, recipe)


def run_summary_round(context: JobContext, recipes: Sequence[str]) -> SummaryFigures:
    follow_batches(context)
    engine = Engine(context)
    for recipe in recipes:
        engine.run(Job(recipe, Task.SUMMARIZE))
    return _tools(context).figures


def estimate_round(app: App, announce: Announce) -> SummaryFigures:
    """What a round would ask, and the cost. Sends nothing."""
    context = summary_context(app, announce, app.clock() + WORKER_ROUND_TIME)
    estimates = [estimate(context, recipe) for recipe in summarized_recipes(app)]
    return SummaryFigures(
        planned=sum(figures.planned for figures in estimates),
        cost=total_cost(figures.cost for figures in estimates),
    )


def summary_context(app: App, announce: Announce, deadline: datetime, *, ask: bool = True) -> JobContext:
    """A worker's context with an endpoint as the settings name it, or Refused."""
    settings = check_endpoint(app.settings.summaries, SETTING)
    access: dict[str, Any] = {
        "clock": app.clock,
        "key": read_api_key(settings, SETTING),
        "seconds": settings.seconds,
        "where": SETTING,
    }
    chat = ChatClient(address=chat_url(settings), model=settings.model, options=settings.options, **access)
    tools = SummaryTools(
        store=app.summaries,
        model=OpenAiModel(chat=chat, api=BatchApi(root=api_root(settings), **access)),
        policy=summary_policy(settings),
        deadline=deadline,
        ask=ask,
        announce=announce,
    )
    return replace(app.context(owner_name("summaries"), fetching=False), summaries=tools)


def _tools(context: JobContext) -> SummaryTools:
    assert context.summaries is not None
    return context.summaries


def _deliver(app: App, context: JobContext, recipe: str) -> None:
    engine = Engine(context)
    while engine.run(Job(recipe, Task.DELIVER)):
        pass
    app.close_run(recipe)
