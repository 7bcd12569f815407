"""The day: every part of the engine in one process, with the recipe as shipped, and a sample after every so many articles."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import psutil

from benchmarks.cluster.stage import tree_seconds
from benchmarks.cycle.engine import LOCAL_TASKS, RECIPE, feed_source
from benchmarks.load_day.world import DAY, START, DayWorld, SimulatedFetcher
from headwater.app import App
from headwater.engine.engine import Engine
from headwater.engine.network import NetworkLoop
from headwater.extract.sandbox.pool import close_all
from headwater.model.jobs import Job, Task
from headwater.settings.settings import Settings

NOTHING_TO_DO = timedelta(seconds=1)
MEGABYTE = 1024 * 1024
Sample = dict[str, float]


@dataclass
class Processes:
    """CPU seconds of this process, its readers and the database server, without what the world cost."""

    world: DayWorld
    server: int | None = None
    """The process id of PostgreSQL."""
    own: psutil.Process = field(default_factory=psutil.Process)

    def seconds(self) -> float:
        own = time.process_time() - self.world.spent
        readers = sum(sum(reader.cpu_times()[:4]) for reader in self._readers())
        server = tree_seconds(self.server) if self.server else 0.0
        return own + self._ended_readers() + readers + server

    def megabytes(self) -> tuple[float, float]:
        """Memory of this process, and of the largest reader."""
        readers = [reader.memory_info().rss for reader in self._readers()]
        return self.own.memory_info().rss / MEGABYTE, max(readers, default=0) / MEGABYTE

    def _readers(self) -> list[psutil.Process]:
        return [child for child in self.own.children(recursive=True) if child.pid != self.server]

    def _ended_readers(self) -> float:
        times = os.times()
        return times.children_user + times.children_system


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
        self.processes = Processes(self.world, self.server)
        self.spent = self.started = self.processes.seconds()

    def run(self) -> None:
        """Until a little after midnight, so that the last articles are stored, too."""
        end = START + DAY + timedelta(hours=1)
        while self.world.clock.now < end:
            handled = self._step(lambda: self.network.step(timedelta(0)))
            for task in LOCAL_TASKS:
                count = self._step(lambda task=task: self.engine.run(Job(RECIPE, task)))  # type: ignore[misc]
                self.articles += count if task is Task.REFINE else 0
                handled += count
            if self.articles >= self.every * (len(self.samples) + 1):
                self._sample()
            if not handled:
                self.world.clock.now = min(self._next_moment(), end)
        self._sample()
        close_all()

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
        own, reader = self.processes.megabytes()
        before = self.samples[-1] if self.samples else {"articles": 0, "cpu_seconds": 0.0}
        spent, articles = self.processes.seconds() - self.started, self.articles
        sample: dict[str, Any] = {
            "hour": round((self.world.clock.now - START) / timedelta(hours=1), 2),
            "articles": articles,
            "requests": self.fetcher.requests,
            "cpu_seconds": round(spent, 1),
            "cpu_ms_per_article": round(
                1000 * (spent - before["cpu_seconds"]) / max(1, articles - before["articles"]), 2
            ),
            "memory_mb": round(own),
            "reader_memory_mb": round(reader),
            "data_mb": round(folder_bytes(self.folder) / MEGABYTE, 1),
        }
        self.samples.append(sample)
        self.report(sample)


def folder_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
