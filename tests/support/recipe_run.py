"""A whole installation over the demo internet, in one process, with a clock that tests may move."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import yaml
from sqlalchemy import Table
from tests.support.deadline import LONGEST_RUN
from tests.support.environments import EnvironmentUnderTest
from tests.support.table_rows import table_rows

from headwater.app import App
from headwater.engine.context import JobContext
from headwater.model.jobs import State, Task
from headwater.model.recipe import Recipe
from headwater.runtime.inline import run_inline
from headwater.settings.recipes import RecipeSettings
from headwater.settings.settings import Settings
from headwater_demo.internet import Internet

RECIPE = "crypto"


@dataclass
class QuickClock:
    """Runs faster than the real clock, so that a pause of seconds takes a moment; it can be set forward."""

    speed: float = 25.0
    start: datetime = datetime(2026, 11, 13, 9, 0, 30, tzinfo=UTC)
    born: float = field(default_factory=time.monotonic)

    def __call__(self) -> datetime:
        return self.start + timedelta(seconds=(time.monotonic() - self.born) * self.speed)

    def advance(self, step: timedelta) -> None:
        self.start += step


@dataclass
class RecipeRun:
    """`feeds` are (name, url) pairs; without them, those that the demo internet's own list names. `definition` has the
    other settings of the recipe."""

    folder: Path
    internet: Internet
    feeds: Sequence[tuple[str, str]] | None = None
    database: str | None = None
    environment: EnvironmentUnderTest = field(default_factory=EnvironmentUnderTest)
    adapt: Callable[[Recipe], Recipe] = lambda recipe: recipe
    definition: RecipeSettings = field(default_factory=RecipeSettings)
    clock: QuickClock = field(default_factory=QuickClock)

    @cached_property
    def settings(self) -> Settings:
        named_feeds = self.feeds or [(feed["name"], feed["url"]) for feed in self.internet.feeds()]
        feed_list = {"sources": [{"name": name, "url": url} for name, url in named_feeds]}
        path = self.folder / "feeds.yaml"
        path.write_text(yaml.safe_dump(feed_list), encoding="utf-8")
        return Settings(
            data=str(self.folder / "data"),
            database=self.database or self.environment.database,
            archive=self.environment.archive,
            hosts={"*.example": self.internet.base_url},
            requests_per_second=0,
            log_level="error",
            recipes={RECIPE: msgspec.structs.replace(self.definition, sources=str(path))},
        )

    @cached_property
    def app(self) -> App:
        app = App(self.settings, clock=self.clock)
        app.store.register(app.recipe(RECIPE).sources, self.clock())
        return app

    @cached_property
    def recipe(self) -> Recipe:
        return self.adapt(self.app.recipe(RECIPE))

    @cached_property
    def context(self) -> JobContext:
        return replace(self.app.context("laboratory", fetching=True), recipes={RECIPE: self.recipe})

    def run(self, horizon: timedelta = timedelta(seconds=20)) -> None:
        """Run until nothing is due within the horizon."""
        assert run_inline(self.context, [RECIPE], horizon=horizon, longest=LONGEST_RUN), "not idle in time"

    def poll_again(self) -> None:
        self.app.operations.wake(RECIPE, self.clock())
        self.run()

    def fetch_pages(self, records: Sequence[str] | None) -> int:
        """Make the pages due that were not read."""
        recipe = None if records else RECIPE
        renders = self.context.renders
        return self.app.operations.fetch_pages(records, recipe, self.clock(), renders=renders)

    def status(self) -> dict[str, Any]:
        return self.app.catalogue.status(RECIPE, self.clock())

    def rows(self, table: Table, **match: Any) -> list[dict[str, Any]]:
        return table_rows(self.app.store.engine, table, **match)

    def source(self, name: str) -> dict[str, Any]:
        (source,) = [row for row in self.app.catalogue.sources(RECIPE) if row["name"] == name]
        return source

    def documents(self, *states: State) -> list[dict[str, Any]]:
        return self.app.catalogue.documents(RECIPE, list(states), 10_000)

    def unfinished(self) -> dict[Task, datetime]:
        """The work that is left besides the next polls of the sources."""
        due = dict(self.app.store.next_due(RECIPE))
        due.pop(Task.POLL, None)
        return due

    def delivered(self) -> set[str]:
        return {path.stem for path in (self.folder / "data" / "out" / RECIPE / "articles").glob("*.json")}

    def close(self) -> None:
        if "context" in self.__dict__ and self.context.fetcher is not None:
            self.context.fetcher.close()
        if "app" in self.__dict__:
            self.app.store.engine.dispose()


@contextmanager
def recipe_run(folder: Path, internet: Internet, **options: Any) -> Iterator[RecipeRun]:
    run = RecipeRun(folder, internet, **options)
    try:
        yield run
    finally:
        run.close()
