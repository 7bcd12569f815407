"""What happens to stories without new documents: their scores grow older, and a language model summarises them."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from headwater.app import App
from headwater.engine.engine import Engine
from headwater.engine.summarize import (
    WORKER_ROUND_TIME,
    Announce,
    has_unfinished_summaries,
    llm_summary_recipes,
    open_summary_round,
)
from headwater.liveness import owner_name
from headwater.model.jobs import Job, Task
from headwater.store.summaries.stories import StoryUpdates


def rescore_stories(app: App, recipes: Sequence[str] | None = None) -> dict[str, Any]:
    """Score the stories of recipes whose scores depend on the time; again at the same time, it changes nothing."""
    rows, found = StoryUpdates(app.store.engine), {}
    for name, recipe in app.recipes.items():
        age = recipe.grouping.age if recipe.grouping else None
        if age is not None and (recipes is None or name in recipes):
            found[name] = rows.age(name, age, app.clock())
    return found


def summaries_enabled(app: App) -> bool:
    """Whether there is somebody to ask and something to ask about, or to get that was asked before."""
    return bool(app.settings.summaries.endpoint) and (
        bool(llm_summary_recipes(app)) or has_unfinished_summaries(app)
    )


def summarize_stories(
    app: App, tell: Announce = lambda _: None, *, longest: timedelta = WORKER_ROUND_TIME, ask: bool = True
) -> dict[str, Any]:
    """One round; what changed is passed on. Nothing happens where no endpoint is set, and nothing new is asked unless
    that is wanted and some recipe is retold."""
    if not summaries_enabled(app):
        return {"off": True}
    summarising = open_summary_round(app, tell, longest)
    try:
        return asdict(
            asyncio.run(summarising.round() if ask and summarising.recipes else summarising.follow())
        )
    finally:
        for recipe in sorted(summarising.touched):
            _pass_on(app, recipe)


def _pass_on(app: App, recipe: str) -> None:
    engine = Engine(app.context(owner_name("summaries"), fetching=False))
    while engine.run(Job(recipe, Task.DELIVER)):
        pass
    app.close_run(recipe)
