"""The Headwater side: the recipe as shipped, in tier B, with a fetcher that answers from memory."""

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

from benchmarks.cycle.engine import ManualClock
from headwater.app import App
from headwater.engine.engine import Engine
from headwater.engine.network import NetworkLoop
from headwater.extract.sandbox.pool import close_all
from headwater.model.http import Failure, Request, Response
from headwater.model.jobs import Job, Task
from headwater.runtime.garbage_collector import freeze_loaded_objects
from headwater.settings.settings import Settings
from headwater_recipes.geopolitics import configure

RECIPE = "geopolitics"
LOCAL_TASKS = (Task.REFINE, Task.GATHER, Task.DELIVER)


@dataclass
class InstantFetcher:
    """A fetcher that returns every response at once."""

    pages: Mapping[str, bytes]
    answers: deque[tuple[str, Response | Failure]] = field(default_factory=deque)

    def room(self) -> int:
        return 100 - len(self.answers)

    def submit(self, token: str, request: Request) -> None:
        headers = {"Content-Type": "text/html; charset=utf-8"}
        body = self.pages[request.url]
        answer = Response(url=request.url, status=200, headers=headers, body=body, media_type="text/html")
        self.answers.append((token, answer))

    def collect(self, limit: int, wait: timedelta) -> Sequence[tuple[str, Response | Failure]]:
        del wait
        return [self.answers.popleft() for _ in range(min(limit, len(self.answers)))]

    def close(self) -> None: ...


def run_engine(
    folder: Path, models: Path, pages: Mapping[str, bytes]
) -> tuple[dict[str, int], dict[str, float]]:
    """Documents by state, and CPU seconds by stage (without the processes of the extractors)."""
    clock = ManualClock()
    recipe = configure(folder / "flashpoints.yaml", {"tier": "B", "settle": "30s", "models": str(models)})
    app = App(Settings(data=str(folder / "data"), log_level="error"), clock=clock)
    app.register(recipe)
    app.operations.wake(RECIPE, clock())
    context = replace(
        app.context("bench", fetching=False), fetcher=InstantFetcher(pages), recipes={RECIPE: recipe}
    )
    freeze_loaded_objects()  # as in every worker
    engine = Engine(context)
    network = NetworkLoop(context, [Job(RECIPE, task) for task in (Task.POLL, Task.FETCH)])
    spent = {"poll and fetch": 0.0} | {task.value: 0.0 for task in LOCAL_TASKS}
    idle = 0
    while idle < 2:
        handled = _timed(spent, "poll and fetch", lambda: network.step(timedelta(0)))
        for task in LOCAL_TASKS:
            handled += _timed(spent, task.value, lambda task=task: engine.run(Job(RECIPE, task)))
        idle = 0 if handled or network.waiting_count else idle + 1
        if idle:
            clock.now += timedelta(minutes=1)
    close_all()
    counts: dict[str, int] = app.catalogue.status(RECIPE, clock())["documents"]
    app.store.engine.dispose()
    return {name: count for name, count in counts.items() if count}, spent


def _timed(spent: dict[str, float], name: str, act: Callable[[], object]) -> int:
    start = time.process_time()
    handled = act()
    spent[name] += time.process_time() - start
    return int(handled)  # type: ignore[call-overload]
