"""The markets recipe over the demo internet, in one process, with keys and a clock that tests may change."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import structlog
import yaml
from sqlalchemy import Table
from tests.support.deadline import LONGEST_RUN
from tests.support.environments import EnvironmentUnderTest
from tests.support.recipe_run import QuickClock
from tests.support.table_rows import table_rows

from headwater.app import App
from headwater.engine.context import JobContext
from headwater.model.ports import ignore_commits
from headwater.model.recipe import Recipe
from headwater.runtime.inline import run_inline
from headwater.settings.rate_limits import RateLimit
from headwater.settings.settings import Settings
from headwater_demo.internet import Internet
from headwater_demo.markets.watch_list import ENDPOINTS, watch_list
from headwater_recipes.markets.definition import configure

RECIPE = "markets"
NO_BUDGET = dict.fromkeys(("market_api", "news_api", "filings_api", "macro_news", "massive", "broker"), 0)
EVERYTHING = {"first_days": 3650}


@dataclass
class MarketsRun:
    """`sources` are entries of a watch list over the demo's first companies."""

    folder: Path
    internet: Internet
    sources: Sequence[dict[str, Any]]
    budgets: dict[str, int] = field(default_factory=lambda: NO_BUDGET)
    contact: str = "test@headwater.example"
    clock: QuickClock = field(default_factory=QuickClock)
    owner: str = "trading"
    redis: str = ""
    environment: EnvironmentUnderTest = field(default_factory=EnvironmentUnderTest)

    @cached_property
    def app(self) -> App:
        settings = Settings(
            data=str(self.folder / "data"),
            database=self.environment.database,
            archive=self.environment.archive,
            hosts={"*.example": self.internet.base_url},
            contact=self.contact,
            requests_per_second=0,
            rate_limits={
                "*.sec.example": RateLimit(contact=True, concurrency=0),
                "api.massive.example": RateLimit(concurrency=0),
            },
            budgets=self.budgets,
            log_level="error",
            redis=self.redis,
        )
        app = App(settings, clock=self.clock)
        app.register(self.recipe)
        return app

    @cached_property
    def recipe(self) -> Recipe:
        path = self.folder / "watch.yaml"
        entries = watch_list("small") | {"sources": list(self.sources)}
        path.write_text(yaml.safe_dump(entries), encoding="utf-8")
        return configure(path, {"endpoints": ENDPOINTS})

    @cached_property
    def context(self) -> JobContext:
        return JobContext(
            owner=self.owner,
            recipes={RECIPE: self.recipe},
            store=self.app.store,
            archive=self.app.archive,
            clock=self.clock,
            log=structlog.get_logger(),
            fetcher=self.app.fetcher(),
            sinks=self.app.sinks,
            on_commit=self.app.markers or ignore_commits,
        )

    def run(self, horizon: timedelta = timedelta(seconds=9)) -> None:
        assert run_inline(self.context, [RECIPE], horizon=horizon, longest=LONGEST_RUN), "not idle in time"

    def poll_again(self) -> None:
        self.app.operations.wake(RECIPE, self.clock())
        self.run()

    def rows(self, table: Table, **match: Any) -> list[dict[str, Any]]:
        return table_rows(self.app.store.engine, table, **match)

    def requests_to(self, host: str) -> list[dict[str, Any]]:
        return [record for record in self.internet.log() if record["host"] == host]

    def close(self) -> None:
        if "context" in self.__dict__ and self.context.fetcher is not None:
            self.context.fetcher.close()
        if "app" in self.__dict__:
            self.app.store.engine.dispose()


@contextmanager
def markets_run(
    folder: Path, internet: Internet, *sources: dict[str, Any], **options: Any
) -> Iterator[MarketsRun]:
    run = MarketsRun(folder, internet, sources, **options)
    try:
        yield run
    finally:
        run.close()
