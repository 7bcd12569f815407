"""The beat: looks at what is due and hints at it. Of all beats that look after a recipe one leads; the others stand by.

It keeps no schedule of its own: when something is due stands in the rows. So a beat that was away, or whose broker lost
every message, has nothing to make up for: the next look sees what there is.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property

from headwater.app import App
from headwater.liveness import dead_owners, owner_name
from headwater.logs import configure_logs
from headwater.model.errors import Temporary
from headwater.model.jobs import Job
from headwater.ops.installation_lock import release_dead_owners
from headwater.runtime.celery.broker import BROKER_ERRORS
from headwater.runtime.celery.hints import HintSender
from headwater.runtime.celery.queues import MAINTENANCE_QUEUE, queue_name
from headwater.runtime.maintenance import Maintenance
from headwater.runtime.worker_pool import is_installation_idle
from headwater.store.maintenance.tasks import MaintenanceTasks

LEADER = "beat"
LEASE = timedelta(seconds=15)
LOOK_EVERY = 1.0
TROUBLE_REST = 2.0
SWEEP_EVERY = timedelta(seconds=5)


@dataclass
class Beat:
    app: App
    recipes: Sequence[str]
    hints: HintSender
    owner: str = field(default_factory=lambda: owner_name(LEADER))
    sweep_at: float = 0.0
    sure_until: dict[str, datetime] = field(default_factory=dict)

    @cached_property
    def upkeep(self) -> Maintenance:
        """The chores, which are registered with the first look. Workers do them."""
        made, now = Maintenance(self.app), self.app.clock()
        MaintenanceTasks(self.app.store.engine).register(
            {leader_row(recipe): now for recipe in self.recipes}, now
        )
        made.register(now)
        return made

    def hint_due_work(self) -> list[str]:
        """One look; gives the queues that were hinted at. Nobody but the leader of a recipe hints at its work."""
        chores = self.upkeep.tasks
        led = [recipe for recipe in self.recipes if self.leads(recipe)]
        if not led:
            return []
        self._sweep()
        now, store = self.app.clock(), self.app.store
        given = [
            queue_name(job)
            for recipe in led
            for job in (Job(recipe, task) for task in store.due_tasks(recipe, now))
            if self.hints.send(job)
        ]
        if MaintenanceTasks(store.engine).has_due(chores, now) and self.hints.send_maintenance():
            given.append(MAINTENANCE_QUEUE)
        return given

    def leads(self, recipe: str) -> bool:
        """Whether this is the beat that counts. A leader that died on this machine is succeeded at once, another one
        when its lease has run out."""
        rows, row, now = MaintenanceTasks(self.app.store.engine), leader_row(recipe), self.app.clock()
        if now < self.sure_until.get(recipe, now):
            return True
        holder = rows.hold(row, self.owner, now, LEASE)
        if holder is not None and dead_owners([holder]):
            rows.release(row, holder)
            holder = rows.hold(row, self.owner, now, LEASE)
        if holder == self.owner:
            self.sure_until[recipe] = now + LEASE / 3
        return holder == self.owner

    def _sweep(self) -> None:
        if time.monotonic() >= self.sweep_at:
            release_dead_owners(self.app)
            self.sweep_at = time.monotonic() + SWEEP_EVERY.total_seconds()

    def resign(self) -> None:
        """Another beat may lead at once."""
        self.sure_until.clear()
        for recipe in self.recipes:
            MaintenanceTasks(self.app.store.engine).release(leader_row(recipe), self.owner)


def leader_row(recipe: str) -> str:
    """The row that says who leads: beats may look after different recipes."""
    return f"{LEADER}.{recipe}"


def run_beat(beat: Beat, stop: Callable[[], bool], *, until_idle: bool = False) -> None:
    """Until told to stop, or until nothing is due soon. A database or a broker that is away is waited for."""
    log = configure_logs(beat.app.settings.log, beat.app.settings.log_level)
    trouble = ""
    while not stop():
        try:
            beat.hint_due_work()
            if until_idle and is_installation_idle(beat.app, beat.recipes):
                break
            new = ""
        except Temporary as away:
            new = away.reason
        except BROKER_ERRORS as away:
            new = f"broker_unavailable ({type(away).__name__})"
        if new and new != trouble:
            log.error("waiting", reason=new)
        trouble = new
        time.sleep(TROUBLE_REST if trouble else LOOK_EVERY)
