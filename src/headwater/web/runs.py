"""Runs that a request starts: one at a time for each recipe, performed by another process, and closed however it ends."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import structlog

from headwater.app import App
from headwater.model.errors import Refused
from headwater.model.recipe import Recipe
from headwater.model.run_options import read_run_request
from headwater.runtime.runs import describe_run, new_run_name

RECIPE = "recipe"
Start = Callable[[str, str, Mapping[str, str]], Awaitable[int]]
"""Performs a run of the recipe with this id and these options; returns an exit code."""
_log = structlog.get_logger()


@dataclass
class RunStarter:
    """`recipe` is that of requests that name none."""

    app: App
    recipe: str | None
    start: Start
    tasks: set["asyncio.Task[None]"] = field(default_factory=set)

    async def begin(self, fields: Mapping[str, Any]) -> tuple[Recipe, str, Mapping[str, str]]:
        """Begin a run; returns its recipe, its name and what its row records. Refused while another one is open."""
        options = dict(fields)
        recipe = self.find_recipe(options.pop(RECIPE, None))
        overrides = read_run_request(recipe.name, recipe.run_options, options)
        now = self.app.clock()
        name = new_run_name(now, secrets.token_bytes(8))
        described = describe_run(self.app, recipe.name, now, overrides)
        if not await asyncio.to_thread(self.app.pipeline_runs.begin, name, recipe.name, described, now):
            raise Refused("run_under_way", "a run is in progress; wait until it ends")
        task = asyncio.create_task(self._perform(recipe.name, name, overrides), name=name)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return recipe, name, described

    def stop(self, run: str) -> bool:
        """Ask the process of a run to stop; False if it is not one of this server."""
        task = next((task for task in self.tasks if task.get_name() == run), None)
        return task is not None and task.cancel()

    def find_recipe(self, name: Any) -> Recipe:
        """The named recipe, or else that of this server."""
        chosen = name or self.recipe
        if not isinstance(chosen, str):
            raise Refused("which_recipe", "name a recipe")
        return self.app.recipe(chosen)

    async def _perform(self, recipe: str, name: str, overrides: Mapping[str, str]) -> None:
        """The process of the run closes it; a run whose process died is closed here."""
        try:
            code = await self.start(recipe, name, overrides)
            error = None if code == 0 else f"the run ended with exit code {code}"
        except OSError as failure:
            error = f"the run could not be started: {failure.strerror}"
        except asyncio.CancelledError:
            error = "the run was stopped"
        closed = await asyncio.to_thread(self.app.pipeline_runs.finish, name, self.app.clock(), error=error)
        _log.info("run ended", run=name, status=closed.get("status"))


def labelled_options(options: Mapping[str, Any], recipe: Recipe | None) -> dict[str, Any]:
    """Recorded options under the names of the API."""
    labels = recipe.run_options.labels if recipe and recipe.run_options else {}
    return {labels.get(name, name): value for name, value in options.items()}
