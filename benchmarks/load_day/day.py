"""The day: every part of the engine in one process, with the recipe as shipped, and a sample after every so many articles."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.cycle.engine import LOCAL_TASKS, RECIPE, feed_source
from benchmarks.load_day.processes import MEGABYTE, Processes, yardstick_milliseconds
from benchmarks.load_day.results import folder_bytes, lag_quantiles
from benchmarks.load_day.world import DAY, START, DayWorld, SimulatedFetcher
from headwater.app import App
from headwater.engine.engine import Engine
from headwater.engine.network import NetworkLoop
from headwater.extract.sandbox.pool import close_all
from headwater.model.jobs import Job, Task
from headwater.runtime.garbage_collector import freeze_loaded_objects
from headwater.runtime.worker_loop import run_tasks
from headwater.settings.settings import Settings
from headwater.store.connect import read_transaction

NOTHING_TO_DO = timedelta(seconds=1)
PAUSE = timedelta(minutes=10)
Sample = dict[str, float]


@dataclass(frozen=True, slots=True)
class Round:
    """The state of the day after a round of polls: all feeds are polled at the same minute, and then there is a pause."""

    articles: int
    cpu_seconds: float
    yardstick_ms: float
    """What the same piece of work costs at this moment: CPU time is dearer while others use the machine."""


@dataclass
class LoadDay:
    folder: Path
    world: DayWorld
    database: str | None
    server: int | None
    report: Callable[[Sample], None]
    every: int
    """Articles between two samples."""
    samples: list[Sample] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)
    articles: int = 0

    def __post_init__(self) -> None:
        chosen = {"database": self.database} if self.database else {}
        settings = Settings(data=str(self.folder), log_level="error", **chosen)
        self.app = App(settings, clock=self.world.clock)
        self.app.store.register(
            [feed_source(self.world, number) for number in range(self.world.feeds)], self.world.clock()
        )
        self.fetcher = SimulatedFetcher(self.world)
        context = replace(self.app.context("load", fetching=False), fetcher=self.fetcher)
        self.engine = Engine(context)
        self.network = NetworkLoop(context, [Job(RECIPE, task) for task in (Task.POLL, Task.FETCH)])
        self.sampled_at, self.next_sample = self.world.clock.now, self.every
        freeze_loaded_objects()  # as in every worker
        self.processes = Processes(self.world, self.server)
        self.spent = self.started = self.processes.seconds()

    def run(self) -> None:
        """Until a little after midnight, so that the last articles are stored, too."""
        end = START + DAY + timedelta(hours=1)
        while self.world.clock.now < end:
            handled = self._step(lambda: self.network.step(timedelta(0)))
            for task in LOCAL_TASKS:
                count = self._step(lambda task=task: run_tasks(self.engine, [RECIPE], [task]))  # type: ignore[misc]
                self.articles += count if task is Task.REFINE else 0
                handled += count
            if self.articles >= self.next_sample:
                self._sample()
                self.next_sample = self.articles + self.every
            if not handled:
                moment = min(self._next_moment(), end)
                if moment - self.world.clock.now > PAUSE:
                    self._end_round()
                self.world.clock.now = moment
        self._sample()
        close_all()

    def _end_round(self) -> None:
        """Everything that the last poll of all feeds brought is stored and clustered."""
        spent, before = (
            self.processes.seconds() - self.started,
            self.rounds[-1] if self.rounds else Round(0, 0.0, 0.0),
        )
        if self.articles > before.articles:
            start = time.process_time()
            self.rounds.append(Round(self.articles, spent, yardstick_milliseconds()))
            self.world.spent += time.process_time() - start

    @property
    def round_costs(self) -> list[float]:
        """Milliseconds per article of each round of polls, the first one with the start of the readers."""
        pairs = pairwise([Round(0, 0.0, 0.0), *self.rounds])
        return [1000 * (b.cpu_seconds - a.cpu_seconds) / (b.articles - a.articles) for a, b in pairs]

    def _step(self, act: Callable[[], int]) -> int:
        """The clock moves by the CPU time of the work, as if one processor did everything."""
        handled = act()
        if handled:
            spent = self.processes.seconds()
            self.world.clock.now += timedelta(seconds=max(0.0, spent - self.spent))
            self.spent = spent
        return handled

    def _next_moment(self) -> datetime:
        now = self.world.clock.now
        at = self.fetcher.next_at()
        if at is not None:
            return max(datetime.fromtimestamp(at, now.tzinfo) + timedelta(milliseconds=1), now)
        retries = [
            poll.retry_at
            for polls in self.network.polls.values()
            for poll in polls.polls.values()
            if poll.retry_at
        ]
        moments = [*retries, *self.app.store.next_due(RECIPE).values()]
        later = min(moments, default=START + 2 * DAY)
        return later if later > now else now + NOTHING_TO_DO

    def _sample(self) -> None:
        """What it costs is no work of the day."""
        start = time.process_time()
        spent, articles = self.processes.seconds() - self.started, self.articles
        own, reader = self.processes.megabytes()
        before = self.samples[-1] if self.samples else {"articles": 0, "cpu_seconds": 0.0}
        data = folder_bytes(self.folder)
        with read_transaction(self.app.store.engine) as connection:
            lags = lag_quantiles(connection, self.sampled_at)
        self.sampled_at = self.world.clock.now
        sample: dict[str, Any] = {
            "hour": round((self.world.clock.now - START) / timedelta(hours=1), 2),
            "articles": articles,
            "requests": self.fetcher.requests,
            "cpu_seconds": round(spent, 1),
            "world_seconds": round(self.world.spent, 1),
            "cpu_ms_per_article": round(
                1000 * (spent - before["cpu_seconds"]) / max(1, articles - before["articles"]), 2
            ),
            "lag_minutes_p95": lags["minutes_from_poll"].get("p95"),
            "lag_hours_from_publication_p95": lags["hours_from_publication"].get("p95"),
            "memory_mb": round(own),
            "reader_memory_mb": round(reader),
            "data_mb": round(data / MEGABYTE, 1),
            "bytes_per_article": round(data / max(1, articles)),
        }
        self.samples.append(sample)
        self.report(sample)
        self.world.spent += time.process_time() - start
