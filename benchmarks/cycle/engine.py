"""The Headwater side: the recipe as shipped, with a fetcher that answers from memory."""

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

from benchmarks.cycle import parts
from benchmarks.cycle.parts import PartTimer
from benchmarks.cycle.prose import NOW
from benchmarks.cycle.world import World
from headwater.app import App
from headwater.archive.packs import ObjectArchive
from headwater.engine.context import JobContext
from headwater.engine.engine import Engine
from headwater.engine.extraction import DraftExtractor
from headwater.engine.network import NetworkLoop
from headwater.extract.sandbox.pool import close_all
from headwater.model.document import Document
from headwater.model.http import Failure, Request, Response
from headwater.model.jobs import Job, Task
from headwater.model.keys import source_key
from headwater.model.recipe import Outcome, Recipe, Step, StepContext
from headwater.model.source import Source
from headwater.runtime.garbage_collector import freeze_loaded_objects
from headwater.settings.settings import Settings
from headwater.store.claims import refine

RECIPE = "crypto"
LOCAL_TASKS = (Task.REFINE, Task.GATHER, Task.DELIVER)
PARTS_OF_STEPS = {
    "normalise": parts.CLEAN,
    "language": parts.LANGUAGE,
    "quality": parts.QUALITY,
    "duplicates": parts.DUPLICATES,
}
PARTS_OF_TASKS = {Task.REFINE: parts.STORE, Task.GATHER: parts.STORIES, Task.DELIVER: parts.FILES}


@dataclass
class InstantFetcher:
    """A fetcher that returns every response at once."""

    world: World
    answers: deque[tuple[str, Response | Failure]] = field(default_factory=deque)

    def room(self) -> int:
        return 100 - len(self.answers)

    def submit(self, token: str, request: Request) -> None:
        body, media_type = self.world.body(request.url)
        headers = {"Content-Type": media_type}
        answer = Response(
            url=request.url, status=200, headers=headers, body=body, media_type=media_type.partition(";")[0]
        )
        self.answers.append((token, answer))

    def collect(self, limit: int, wait: timedelta) -> Sequence[tuple[str, Response | Failure]]:
        del wait
        return [self.answers.popleft() for _ in range(min(limit, len(self.answers)))]

    def close(self) -> None: ...


@dataclass
class ManualClock:
    """A clock that stands still until it is advanced, so that groups settle without waiting."""

    now: datetime = NOW

    def __call__(self) -> datetime:
        return self.now


@dataclass(frozen=True)
class TimedStep:
    """A step whose time is counted as a part."""

    step: Step
    timer: PartTimer

    @property
    def name(self) -> str:
        return self.step.name

    @property
    def version(self) -> str:
        return self.step.version

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        return self.timer.timed(PARTS_OF_STEPS[self.name], self.step)(batch, context)


def _time_parts(context: JobContext, timer: PartTimer) -> JobContext:
    """Counts every part of the recipe by itself. What remains of a task is the part of that task."""
    timer.replace_timed(ObjectArchive, ("put", parts.ARCHIVE))
    timer.replace_timed(DraftExtractor, ("read_ahead", parts.READ), ("reading", parts.READ))
    timer.replace_timed(
        refine,
        ("index_kept_documents", parts.INDEX),
        ("stale_documents", parts.DUPLICATES),
        ("claim_fingerprints", parts.DUPLICATES),
        ("store_dedupe_records", parts.DUPLICATES),
    )
    recipe = _timed_recipe(context.recipes[RECIPE], timer)
    recipes = {**context.recipes, RECIPE: recipe}
    return replace(context, recipes=recipes, parse=timer.timed(parts.READ, context.parse))


def _timed_recipe(recipe: Recipe, timer: PartTimer) -> Recipe:
    steps = tuple(TimedStep(step, timer) for step in recipe.steps)
    assert recipe.grouping is not None
    assert recipe.grouping.describe is not None
    describe = timer.timed(parts.SUMMARIES, recipe.grouping.describe)
    return replace(recipe, steps=steps, grouping=replace(recipe.grouping, describe=describe))


def run_engine(folder: Path, world: World, timer: PartTimer) -> tuple[dict[str, int], dict[str, float]]:
    """Documents by state, and CPU seconds by stage (without the processes of the extractors)."""
    clock = ManualClock()
    app = App(Settings(data=str(folder), log_level="error"), clock=clock)
    app.store.register([feed_source(world, number) for number in range(world.feeds)], clock())
    context = replace(app.context("bench", fetching=False), fetcher=InstantFetcher(world))
    context = _time_parts(context, timer)
    freeze_loaded_objects()  # as in every worker
    engine = Engine(context)
    network = NetworkLoop(context, [Job(RECIPE, task) for task in (Task.POLL, Task.FETCH)])
    spent = {"poll and fetch": 0.0} | {task.value: 0.0 for task in LOCAL_TASKS}
    idle = 0
    while idle < 2:
        timer.switch(parts.STORE)
        handled = _timed(spent, "poll and fetch", world, lambda: network.step(timedelta(0)))
        for task in LOCAL_TASKS:
            timer.switch(PARTS_OF_TASKS[task])
            handled += _timed(spent, task.value, world, lambda task=task: engine.run(Job(RECIPE, task)))
        idle = 0 if handled or network.waiting_count else idle + 1
        if idle:
            clock.now += timedelta(minutes=1)
    close_all()
    counts: dict[str, int] = app.catalogue.status(RECIPE, clock())["documents"]
    app.store.engine.dispose()
    return {name: count for name, count in counts.items() if count}, spent


def _timed(spent: dict[str, float], name: str, world: World, act) -> int:  # type: ignore[no-untyped-def]
    start, spent_before = time.process_time(), world.spent
    handled = act()
    spent[name] += time.process_time() - start - (world.spent - spent_before)
    return int(handled)


def feed_source(world: World, number: int) -> Source:
    url = world.feed_url(number)
    return Source(
        id=source_key(RECIPE, "feed", url, ""), recipe=RECIPE, kind="feed", name=f"Wire {number}", url=url
    )
