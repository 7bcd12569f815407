"""The Celery tasks: work of one kind, and maintenance. They run in child processes that live for many messages.

One message starts batch after batch until nothing is due or the time is up, so that hundreds of records share its cost.
"""

import mmap
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from headwater.app import App
from headwater.engine.context import JobContext
from headwater.engine.engine import Engine
from headwater.engine.network import NetworkLoop
from headwater.liveness import owner_name
from headwater.logs import configure_logs
from headwater.model.errors import Refused, Temporary
from headwater.model.jobs import IDLE_TASKS, NETWORK_TASKS, QUEUED_TASKS, Job, Task
from headwater.ops.installation_lock import release_dead_owners
from headwater.ops.system_rules import CLUSTER_PREFIX
from headwater.runtime.celery.broker import (
    BROKER_ERRORS,
    MAINTENANCE_TASK,
    RETRIES,
    RETRY_AFTER,
    WORK_TASK,
    Celery,
)
from headwater.runtime.celery.hints import HintSender
from headwater.runtime.celery.queues import MAINTENANCE_QUEUE, WorkerRole, queue_name
from headwater.runtime.celery.watchdog import BusyChildren
from headwater.runtime.heartbeat import start_heartbeat
from headwater.runtime.maintenance import Maintenance
from headwater.runtime.registration import ListWatch, load_changed_recipes
from headwater.runtime.worker_loop import (
    NETWORK_GRACE,
    is_over_memory_limit,
    release_leases,
    step_network,
    wait_after_error,
)
from headwater.settings.settings import Settings

LOCAL_SECONDS = 30.0
# Longer, because connections are idle towards the end.
NETWORK_SECONDS = 120.0
IDLE_SLEEP = 0.02


def run_local_job(
    context: JobContext, job: Job, stop: Callable[[], bool], seconds: float = LOCAL_SECONDS
) -> int:
    """Run batches of a job; returns how many records were handled. Errors of the database or archive are retried until the
    time is up, then raised."""
    engine, deadline, total = Engine(context), time.monotonic() + seconds, 0
    had_error = False
    while True:
        try:
            if (
                had_error
            ):  # this process holds nothing between two batches: the failed batch left these leases
                context.store.release([context.owner], counts=False)
            handled = engine.run(job)
            had_error = False
        except Temporary as error:
            if stop() or time.monotonic() > deadline:
                release_leases(context)
                raise
            wait_after_error(context, error)
            had_error = True
            continue
        total += handled
        if not handled or stop() or time.monotonic() > deadline:
            return total


def run_network_job(network: NetworkLoop, stop: Callable[[], bool], seconds: float = NETWORK_SECONDS) -> int:
    """Poll and fetch; returns how many records were handled. When the time is up, requests under way come to their end.
    When the worker stops, they have a little time, then their rows are released."""
    deadline, total = time.monotonic() + seconds, 0
    stopped_at: float | None = None
    while True:
        if stopped_at is None and stop():
            stopped_at = time.monotonic()
        claiming = stopped_at is None and time.monotonic() < deadline
        handled = step_network(network, claiming=claiming)
        total += handled
        if not network.waiting_count and not network.uncommitted_count and not (claiming and handled):
            return total
        if stopped_at is not None and time.monotonic() > stopped_at + NETWORK_GRACE:
            release_leases(network.context)
            return total
        if not handled and not network.waiting_count:
            time.sleep(IDLE_SLEEP)


@dataclass
class SharedStopFlag:
    """One byte that a worker shares with its children: they finish what they hold and claim nothing more."""

    shared: mmap.mmap = field(default_factory=lambda: mmap.mmap(-1, 1))

    def set(self) -> None:
        self.shared[0] = 1

    def is_set(self) -> bool:
        return self.shared[0] == 1


@dataclass
class TaskRunner:
    """Runs messages in a child. Connections are opened in the child, because a fork would share them."""

    settings: Settings
    role: WorkerRole
    hints: HintSender
    stop_flag: SharedStopFlag = field(default_factory=SharedStopFlag)
    children: BusyChildren = field(default_factory=BusyChildren)
    stop_heartbeat: Callable[[], None] = lambda: None

    @cached_property
    def app(self) -> App:
        return App(self.settings)

    @cached_property
    def context(self) -> JobContext:
        return self.app.context(owner_name("local"), fetching=False)

    @cached_property
    def network(self) -> NetworkLoop:
        """All network jobs of this worker share one event loop, so that a slow site delays no other recipe."""
        return NetworkLoop(self.app.context(owner_name("network"), fetching=True), self.role.jobs)

    @cached_property
    def maintenance(self) -> Maintenance:
        return Maintenance(self.app)

    @cached_property
    def list_watch(self) -> ListWatch:
        return ListWatch(self.settings)

    def reload_changed_lists(self) -> None:
        """Between two messages: the next one finds the parts anew. They hold no work then."""
        if not self.list_watch.has_changed():
            return
        log = configure_logs(self.settings.log, self.settings.log_level)
        served = sorted({job.recipe for job in self.role.jobs})
        if load_changed_recipes(self.settings, served, log) is None:
            return
        self.on_child_end()
        if "app" in self.__dict__ and "engine" in vars(self.app):
            self.app.engine.dispose()
        for part in ("app", "context", "network", "maintenance"):
            self.__dict__.pop(part, None)

    def on_child_start(self) -> None:
        """The child may replace one that died: release its leases at once."""
        with suppress(Temporary):
            release_dead_owners(self.app)
            self.stop_heartbeat = start_heartbeat(self.app, f"{CLUSTER_PREFIX}{self.role.name}")

    def on_child_end(self) -> None:
        self.stop_heartbeat()
        if "network" in self.__dict__:
            self.network.fetcher.close()

    def must_stop(self) -> bool:
        return self.stop_flag.is_set() or is_over_memory_limit()

    def run_job(self, job: Job) -> int:
        """Run a job and send hints for the work that follows; returns how many records were handled."""
        with self.children.mark_busy():
            self.reload_changed_lists()
            self._acknowledge(queue_name(job))
            handled = self._run(job)
            self._hint_next(job.recipe)
        return handled

    def _run(self, job: Job) -> int:
        if job.task in NETWORK_TASKS:
            return run_network_job(self.network, self.must_stop)
        if job.keys:
            return Engine(self.context).run(job)
        stop = self._must_yield if job.task in IDLE_TASKS else self.must_stop
        return run_local_job(self.context, job, stop)

    def _must_yield(self) -> bool:
        """An idle task runs one batch at a time while this worker has other work."""
        if self.must_stop():
            return True
        others = {job for job in self.role.jobs if job.task not in IDLE_TASKS}
        store, now = self.app.store, self.app.clock()
        with suppress(Temporary):
            recipes = sorted({job.recipe for job in others})
            return any(
                Job(recipe, task) in others for recipe in recipes for task in store.due_tasks(recipe, now)
            )
        return False

    def run_maintenance(self) -> list[str]:
        """Run the tasks that are due; returns their names."""
        with self.children.mark_busy():
            self._acknowledge(MAINTENANCE_QUEUE)
            return [name for name in self.maintenance.tasks if self.maintenance.run_task(name) is not None]

    def _acknowledge(self, queue: str) -> None:
        with suppress(Temporary, *BROKER_ERRORS):
            self.hints.acknowledge(queue)

    def _hint_next(self, recipe: str) -> None:
        """The beat sends the same hints, but only once a second."""
        with suppress(Temporary, *BROKER_ERRORS):
            for task in self.app.store.due_tasks(recipe, self.app.clock()):
                self.hints.send(Job(recipe, task))


def parse_job(recipe: str, task: str, keys: Sequence[str] = ()) -> Job:
    """The job that a message names. Refused if there is no such task: any program can send messages."""
    if task not in QUEUED_TASKS or not all(isinstance(word, str) for word in (recipe, *keys)):
        raise Refused("bad_message", "a message names an unknown task")
    return Job(recipe, Task(task), tuple(keys))


def register_tasks(celery: Celery, runner: TaskRunner) -> None:
    """Register the tasks with Celery. A temporary error is retried three times, a minute apart; then the beat sends the
    next hint."""
    options: dict[str, Any] = {
        "autoretry_for": (Temporary,),
        "max_retries": RETRIES,
        "default_retry_delay": RETRY_AFTER,
        "retry_backoff": False,
        "retry_jitter": False,
        "throws": (Refused, Temporary),
    }

    def work(recipe: str, task: str, keys: Sequence[str] = ()) -> None:
        runner.run_job(parse_job(recipe, task, keys))

    def maintenance() -> None:
        runner.run_maintenance()

    celery.task(name=WORK_TASK, **options)(work)
    celery.task(name=MAINTENANCE_TASK, **options)(maintenance)
