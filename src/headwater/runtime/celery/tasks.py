"""A shift: what one message sets off. Batch after batch until nothing is due or the time is up, so that a message is
paid for by hundreds of records."""

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
from headwater.model.errors import Refused, Temporary
from headwater.model.jobs import IDLE_TASKS, NETWORK_TASKS, Job, Task
from headwater.ops.installation_lock import release_dead_owners
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
from headwater.runtime.maintenance import Maintenance
from headwater.runtime.worker_loop import (
    GRACE,
    is_over_memory_limit,
    release_leases,
    step_network,
    wait_after_error,
)
from headwater.settings.settings import Settings

LOCAL_SECONDS = 30.0
# Longer, because towards its end connections stand idle.
NETWORK_SECONDS = 120.0
IDLE_SLEEP = 0.02


def run_local_job(
    context: JobContext, job: Job, stop: Callable[[], bool], seconds: float = LOCAL_SECONDS
) -> int:
    """Gives how many records were handled. Trouble with the ground (database, archive) is waited out as long as the
    shift lasts, then raised."""
    engine, until, total = Engine(context), time.monotonic() + seconds, 0
    troubled = False
    while True:
        try:
            if troubled:  # between two batches a desk holds nothing: what is leased was left by the trouble
                context.store.release([context.owner], counts=False)
            handled = engine.run(job)
            troubled = False
        except Temporary as trouble:
            if stop() or time.monotonic() > until:
                release_leases(context)
                raise
            wait_after_error(context, trouble)
            troubled = True
            continue
        total += handled
        if not handled or stop() or time.monotonic() > until:
            return total


def run_network_job(network: NetworkLoop, stop: Callable[[], bool], seconds: float = NETWORK_SECONDS) -> int:
    """Gives how many records were handled. What is under way when the time is up comes to its end; what is under way
    when the worker is to stop has a little time for it, and is given back."""
    until, total = time.monotonic() + seconds, 0
    stopped_at: float | None = None
    while True:
        if stopped_at is None and stop():
            stopped_at = time.monotonic()
        claiming = stopped_at is None and time.monotonic() < until
        handled = step_network(network, claiming=claiming)
        total += handled
        if not network.waiting and not network.uncommitted and not (claiming and handled):
            return total
        if stopped_at is not None and time.monotonic() > stopped_at + GRACE:
            release_leases(network.context)
            return total
        if not handled and not network.waiting:
            time.sleep(IDLE_SLEEP)


@dataclass
class SharedStopFlag:
    """One byte that a worker shares with its children: they finish what they hold and take on nothing more."""

    shared: mmap.mmap = field(default_factory=lambda: mmap.mmap(-1, 1))

    def show(self) -> None:
        self.shared[0] = 1

    def __bool__(self) -> bool:
        return self.shared[0] == 1


@dataclass
class TaskRunner:
    """What a child works with. Made in the child when it is first needed: a fork would share connections."""

    settings: Settings
    role: WorkerRole
    hints: HintSender
    sign: SharedStopFlag = field(default_factory=SharedStopFlag)
    presence: BusyChildren = field(default_factory=BusyChildren)

    @cached_property
    def app(self) -> App:
        return App(self.settings)

    @cached_property
    def context(self) -> JobContext:
        return self.app.context(owner_name("desk"), fetching=False)

    @cached_property
    def network(self) -> NetworkLoop:
        """All that this worker does on the network, over one event loop: a slow site or recipe hinders no other."""
        return NetworkLoop(self.app.context(owner_name("network"), fetching=True), self.role.jobs)

    @cached_property
    def upkeep(self) -> Maintenance:
        return Maintenance(self.app)

    def begin(self) -> None:
        """A child is born, perhaps in the place of one that died: what the dead held is free at once."""
        with suppress(Temporary):
            release_dead_owners(self.app)

    def end(self) -> None:
        if "network" in self.__dict__:
            self.network.fetcher.close()

    def stop(self) -> bool:
        return bool(self.sign) or is_over_memory_limit()

    def work(self, job: Job) -> int:
        """A shift of that kind; then others are told of what came of it. Gives how many records were handled."""
        with self.presence.mark_busy():
            self._taken(queue_name(job))
            handled = self._shift(job)
            self._follow(job.recipe)
        return handled

    def _shift(self, job: Job) -> int:
        if job.task in NETWORK_TASKS:
            return run_network_job(self.network, self.stop)
        if job.keys:
            return Engine(self.context).run(job)
        return run_local_job(self.context, job, self._gives_way if job.task in IDLE_TASKS else self.stop)

    def _gives_way(self) -> bool:
        """What nobody waits for is done a batch at a time while other work of this worker waits."""
        if self.stop():
            return True
        others = {job for job in self.role.jobs if job.task not in IDLE_TASKS}
        store, now = self.app.store, self.app.clock()
        with suppress(Temporary):
            recipes = sorted({job.recipe for job in others})
            return any(
                Job(recipe, task) in others for recipe in recipes for task in store.due_tasks(recipe, now)
            )
        return False

    def chores(self) -> list[str]:
        """Those that are due, whoever did the last ones and when."""
        with self.presence.mark_busy():
            self._taken(MAINTENANCE_QUEUE)
            return [name for name in self.upkeep.tasks if self.upkeep.run_task(name) is not None]

    def _taken(self, queue: str) -> None:
        with suppress(Temporary, *BROKER_ERRORS):
            self.hints.taken(queue)

    def _follow(self, recipe: str) -> None:
        """Not needed, for the beat looks too; but it looks only now and then."""
        with suppress(Temporary, *BROKER_ERRORS):
            for task in self.app.store.due_tasks(recipe, self.app.clock()):
                self.hints.send(Job(recipe, task))


def parse_job(recipe: str, task: str, keys: Sequence[str] = ()) -> Job:
    """What a message asks for. Refused if it makes no sense: anybody might have sent it."""
    if task not in set(Task) or not all(isinstance(word, str) for word in (recipe, *keys)):
        raise Refused("bad_message", "a message asks for a task that there is not")
    return Job(recipe, Task(task), tuple(keys))


def register_tasks(celery: Celery, hands: TaskRunner) -> None:
    """Give Celery its tasks. Trouble that outlasts a shift is tried again after a minute, three times; after that it is
    left to the beat."""
    options: dict[str, Any] = {
        "autoretry_for": (Temporary,),
        "max_retries": RETRIES,
        "default_retry_delay": RETRY_AFTER,
        "retry_backoff": False,
        "retry_jitter": False,
        "throws": (Refused, Temporary),
    }

    def work(recipe: str, task: str, keys: Sequence[str] = ()) -> None:
        hands.work(parse_job(recipe, task, keys))

    def upkeep() -> None:
        hands.chores()

    celery.task(name=WORK_TASK, **options)(work)
    celery.task(name=MAINTENANCE_TASK, **options)(upkeep)
