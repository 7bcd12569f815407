"""The loop of a worker process: claim, work, commit; sleep when nothing is due; stop on a signal."""

import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import FrameType
from typing import TypeVar

from structlog.typing import FilteringBoundLogger

from headwater.engine.context import JobContext
from headwater.engine.engine import Engine
from headwater.engine.network import NetworkLoop
from headwater.model.errors import Temporary
from headwater.model.jobs import IDLE_TASKS, LOCAL_TASKS, NETWORK_TASKS, RUN_TASKS, Job, Task
from headwater.model.ports import Store
from headwater.runtime.garbage_collector import return_free_memory

Result = TypeVar("Result")
MIN_SLEEP, MAX_SLEEP = 0.02, 0.5
# A machine with nothing to do is asked less often, because each look at the tables costs a few milliseconds: work that comes
# after a minute of silence waits up to this long.
LONGEST_SLEEP, SHARE_OF_IDLE_TIME = 5.0, 0.1
ERROR_SLEEP = 2.0
NETWORK_GRACE = 10.0
"""After a stop signal, requests under way have this many seconds to end."""
ANSWER_WAIT = timedelta(seconds=0.05)
MEMORY_LIMIT_KILOBYTES = 440 * 1024

StopCheck = Callable[[], bool]
RoundFunction = Callable[[Engine, Sequence[str], StopCheck], int]


class StopSignal:
    """Set by SIGTERM or SIGINT, and in a child when its parent is gone."""

    def __init__(self, *, child: bool = True) -> None:
        self.supervisor = multiprocessing.parent_process()
        self.parent = os.getppid()
        self.child = child
        self.received = False
        signal.signal(signal.SIGTERM, self._receive)
        signal.signal(signal.SIGINT, self._receive)

    def _receive(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self.received = True

    def is_set(self) -> bool:
        return self.received or (self.child and self._is_orphan())

    def _is_orphan(self) -> bool:
        """A worker's parent is the process it was forked from; its supervisor may have been killed while it started."""
        is_alone = self.supervisor is not None and not self.supervisor.is_alive()
        return is_alone or os.getppid() != self.parent


def never() -> bool:
    return False


@dataclass
class IdlePause:
    """How long a loop without work waits before it looks again: longer each time, and longest after a while without any."""

    seconds: float = MIN_SLEEP
    idle_since: float = field(default_factory=time.monotonic)

    def reset(self) -> None:
        self.seconds, self.idle_since = MIN_SLEEP, time.monotonic()

    def wait(self, stop: StopCheck) -> None:
        idle = time.monotonic() - self.idle_since
        self.seconds = min(self.seconds * 2, max(MAX_SLEEP, SHARE_OF_IDLE_TIME * idle), LONGEST_SLEEP)
        until = time.monotonic() + self.seconds
        while (left := until - time.monotonic()) > 0 and not stop():
            time.sleep(min(left, MAX_SLEEP))


def run_local_loop(
    context: JobContext,
    recipes: Sequence[str],
    stop: StopCheck,
    between: Callable[[], object] = lambda: None,
    round_function: RoundFunction | None = None,
) -> None:
    """Refine, gather and deliver until told to stop or over the memory limit. `between` is called after each round."""
    engine = Engine(context)
    pause, had_error = IdlePause(), False
    while not stop() and not is_over_memory_limit():
        try:
            if had_error:  # this process holds nothing between two jobs: the failed job left these leases
                context.store.release([context.owner], counts=False)
            handled = (round_function or run_round)(engine, recipes, stop)
            between()
            had_error = False
        except Temporary as error:
            wait_after_error(context, error)
            had_error = True
            continue
        if handled:
            pause.reset()
        else:
            pause.wait(stop)
    release_leases(context)


def run_round(engine: Engine, recipes: Sequence[str], stop: StopCheck = never) -> int:
    """One batch of every local task, or else one of an idle task; returns how many records were handled."""
    return run_tasks(engine, recipes, LOCAL_TASKS, stop) or run_idle_round(engine, recipes, stop)


def run_tasks(engine: Engine, recipes: Sequence[str], tasks: Sequence[Task], stop: StopCheck = never) -> int:
    """One batch of each of these tasks; returns how many records were handled."""
    return sum(_run_job(engine, job) for job in jobs_of(recipes, tasks) if not stop())


def _run_job(engine: Engine, job: Job) -> int:
    handled = engine.run(job)
    if handled and job.task is Task.GATHER:
        return_free_memory()
    return handled


def run_idle_round(engine: Engine, recipes: Sequence[str], stop: StopCheck = never) -> int:
    """One batch of an idle task; returns how many records were handled."""
    for job in jobs_of(recipes, IDLE_TASKS):
        if stop():
            break
        if handled := engine.run(job):
            return handled
    return 0


def jobs_of(recipes: Sequence[str], tasks: Sequence[Task]) -> list[Job]:
    return [Job(recipe, task) for recipe in recipes for task in tasks]


def run_network_loop(context: JobContext, recipes: Sequence[str], stop: StopCheck) -> None:
    """Poll and fetch until told to stop or over the memory limit; then wait a little for requests under way."""
    network = NetworkLoop(context, jobs_of(recipes, NETWORK_TASKS))
    pause = IdlePause()
    while not stop() and not is_over_memory_limit():
        if step_network(network, claiming=True) or network.waiting_count:
            pause.reset()
        else:
            pause.wait(stop)
    deadline = time.monotonic() + NETWORK_GRACE
    while (network.waiting_count or network.uncommitted_count) and time.monotonic() < deadline:
        step_network(network, claiming=False)
    release_leases(context)
    if context.fetcher is not None:
        context.fetcher.close()


def step_network(network: NetworkLoop, *, claiming: bool) -> int:
    """Results that cannot be committed now stay in memory for the next step."""
    try:
        return network.step(ANSWER_WAIT, claiming=claiming)
    except Temporary as error:
        wait_after_error(network.context, error)
        return 0


def wait_after_error(context: JobContext, error: Temporary) -> None:
    """The disk, the database or the archive is at fault, not the records: they stay due."""
    _log_and_sleep(error, context.log)


def retry_until_available(attempt: Callable[[], Result], log: FilteringBoundLogger) -> Result:
    """For the start of a machine that is up before its database."""
    while True:
        try:
            return attempt()
        except Temporary as error:
            _log_and_sleep(error, log)


def _log_and_sleep(error: Temporary, log: FilteringBoundLogger) -> None:
    log.error("waiting", reason=error.reason, detail=error.detail)
    time.sleep(ERROR_SLEEP)


def release_leases(context: JobContext) -> None:
    """Other workers can take the rows at once. If this fails, the leases run out."""
    with suppress(Temporary):
        context.store.release([context.owner], counts=False)


def is_nothing_due(
    store: Store,
    recipes: Sequence[str],
    soon: datetime,
    *,
    reason: str | None = None,
    tasks: Sequence[Task] = RUN_TASKS,
    pass_began: datetime | None = None,
) -> bool:
    """Whether no work of these tasks is due by then; with `reason`, no work that waits for this reason; with `pass_began`,
    sources that were polled since then do not count."""
    return all(
        due > soon
        for recipe in recipes
        for task, due in store.next_due(recipe, reason, pass_began).items()
        if task in tasks
    )


def is_over_memory_limit() -> bool:
    """A process over its limit is replaced by a fresh one between two batches."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > MEMORY_LIMIT_KILOBYTES
