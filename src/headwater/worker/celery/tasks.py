"""The tasks that Celery knows: some work of a kind, and the chores. They run in children that live for many jobs."""

import mmap
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from headwater.app import App
from headwater.engine.desk import Desk
from headwater.engine.engine import Engine
from headwater.engine.network import Network
from headwater.liveness import owner_name
from headwater.model.errors import Refused, Temporary
from headwater.model.work import Job, Task
from headwater.settings.settings import Settings
from headwater.worker.celery.broker import BROKER_TROUBLE, CHORE, RETRIES, RETRY_AFTER, WORK, Celery
from headwater.worker.celery.hints import Hints
from headwater.worker.celery.queues import NETWORK_TASKS, UPKEEP, Role, queue_of
from headwater.worker.celery.shifts import desk_shift, network_shift
from headwater.worker.celery.watching import Presence
from headwater.worker.loops import IDLE_TASKS, overgrown
from headwater.worker.processes import free_the_dead
from headwater.worker.upkeep import Upkeep


@dataclass
class StopSign:
    """One byte that a worker shares with its children: they finish what they hold and take on nothing more."""

    shared: mmap.mmap = field(default_factory=lambda: mmap.mmap(-1, 1))

    def show(self) -> None:
        self.shared[0] = 1

    def __bool__(self) -> bool:
        return self.shared[0] == 1


@dataclass
class Hands:
    """What a child works with. Made in the child when it is first needed: a fork would share connections."""

    settings: Settings
    role: Role
    hints: Hints
    sign: StopSign = field(default_factory=StopSign)
    presence: Presence = field(default_factory=Presence)

    @cached_property
    def app(self) -> App:
        return App(self.settings)

    @cached_property
    def desk(self) -> Desk:
        return self.app.desk(owner_name("desk"), fetching=False)

    @cached_property
    def network(self) -> Network:
        """All that this worker does on the network, over one event loop: a slow site or recipe hinders no other."""
        return Network(self.app.desk(owner_name("network"), fetching=True), self.role.jobs)

    @cached_property
    def upkeep(self) -> Upkeep:
        return Upkeep(self.app)

    def begin(self) -> None:
        """A child is born, perhaps in the place of one that died: what the dead held is free at once."""
        with suppress(Temporary):
            free_the_dead(self.app)

    def end(self) -> None:
        if "network" in self.__dict__:
            self.network.fetcher.close()

    def stop(self) -> bool:
        return bool(self.sign) or overgrown()

    def work(self, job: Job) -> int:
        """A shift of that kind; then others are told of what came of it. Gives how many records were handled."""
        with self.presence.at_work():
            self._taken(queue_of(job))
            handled = self._shift(job)
            self._follow(job.recipe)
        return handled

    def _shift(self, job: Job) -> int:
        if job.task in NETWORK_TASKS:
            return network_shift(self.network, self.stop)
        if job.keys:
            return Engine(self.desk).run(job)
        return desk_shift(self.desk, job, self._gives_way if job.task in IDLE_TASKS else self.stop)

    def _gives_way(self) -> bool:
        """What nobody waits for is done a batch at a time while other work of this worker waits."""
        if self.stop():
            return True
        others = {job for job in self.role.jobs if job.task not in IDLE_TASKS}
        store, now = self.app.store, self.app.clock()
        with suppress(Temporary):
            recipes = sorted({job.recipe for job in others})
            return any(
                Job(recipe, task) in others for recipe in recipes for task in store.waiting(recipe, now)
            )
        return False

    def chores(self) -> list[str]:
        """Those that are due, whoever did the last ones and when."""
        with self.presence.at_work():
            self._taken(UPKEEP)
            return [name for name in self.upkeep.chores if self.upkeep.do(name) is not None]

    def _taken(self, queue: str) -> None:
        with suppress(Temporary, *BROKER_TROUBLE):
            self.hints.taken(queue)

    def _follow(self, recipe: str) -> None:
        """Not needed, for the beat looks too; but it looks only now and then."""
        with suppress(Temporary, *BROKER_TROUBLE):
            for task in self.app.store.waiting(recipe, self.app.clock()):
                self.hints.give(Job(recipe, task))


def read_job(recipe: str, task: str, keys: Sequence[str] = ()) -> Job:
    """What a message asks for. Refused if it makes no sense: anybody might have sent it."""
    if task not in set(Task) or not all(isinstance(word, str) for word in (recipe, *keys)):
        raise Refused("bad_message", "a message asks for a task that there is not")
    return Job(recipe, Task(task), tuple(keys))


def install(celery: Celery, hands: Hands) -> None:
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
        hands.work(read_job(recipe, task, keys))

    def upkeep() -> None:
        hands.chores()

    celery.task(name=WORK, **options)(work)
    celery.task(name=CHORE, **options)(upkeep)
