"""The beat: looks at what is due and hints at it. One of all beats leads; the others stand by.

It keeps no schedule of its own: when something is due stands in the rows. So a beat that was away, or whose broker lost
every message, has nothing to make up for: the next look sees what there is.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property

from headwater.app import App
from headwater.backends.sql.chores import Chores
from headwater.liveness import dead_owners, owner_name
from headwater.logs import configure_logs
from headwater.model.errors import Temporary
from headwater.model.work import Job
from headwater.worker.celery.broker import BROKER_TROUBLE
from headwater.worker.celery.hints import Hints
from headwater.worker.celery.queues import UPKEEP, queue_of
from headwater.worker.processes import free_the_dead, is_idle
from headwater.worker.upkeep import Upkeep

LEADER = "beat"
LEASE = timedelta(seconds=15)
LOOK_EVERY = 1.0
TROUBLE_REST = 2.0
SWEEP_EVERY = timedelta(seconds=5)


@dataclass
class Beat:
    app: App
    recipes: Sequence[str]
    hints: Hints
    owner: str = field(default_factory=lambda: owner_name(LEADER))
    sweep_at: float = 0.0

    @cached_property
    def upkeep(self) -> Upkeep:
        """The chores, which are registered with the first look. Workers do them."""
        made, now = Upkeep(self.app), self.app.clock()
        Chores(self.app.store.engine).register({LEADER: now}, now)
        made.register(now)
        return made

    def look(self) -> list[str]:
        """One look; gives the queues that were hinted at. Nobody but the leader hints."""
        if not self.leads():
            return []
        self._sweep()
        now, store = self.app.clock(), self.app.store
        given = [
            queue_of(job)
            for recipe in self.recipes
            for job in (Job(recipe, task) for task in store.waiting(recipe, now))
            if self.hints.give(job)
        ]
        if Chores(store.engine).waiting(self.upkeep.chores, now) and self.hints.give_upkeep():
            given.append(UPKEEP)
        return given

    def leads(self) -> bool:
        """Whether this is the beat that counts. A leader that died on this machine is succeeded at once, another one
        when its lease has run out."""
        rows, now = Chores(self.app.store.engine), self.app.clock()
        _ = self.upkeep
        holder = rows.hold(LEADER, self.owner, now, LEASE)
        if holder is not None and dead_owners([holder]):
            rows.let_go(LEADER, holder)
            holder = rows.hold(LEADER, self.owner, now, LEASE)
        return holder == self.owner

    def _sweep(self) -> None:
        if time.monotonic() >= self.sweep_at:
            free_the_dead(self.app)
            self.sweep_at = time.monotonic() + SWEEP_EVERY.total_seconds()

    def retire(self) -> None:
        Chores(self.app.store.engine).let_go(LEADER, self.owner)


def keep_beating(beat: Beat, stop: Callable[[], bool], *, until_idle: bool = False) -> None:
    """Until told to stop, or until nothing is due soon. A database or a broker that is away is waited for."""
    log = configure_logs(beat.app.settings.log, beat.app.settings.log_level)
    trouble = ""
    while not stop():
        try:
            beat.look()
            if until_idle and is_idle(beat.app, beat.recipes):
                break
            new = ""
        except Temporary as away:
            new = away.reason
        except BROKER_TROUBLE as away:
            new = f"broker_unavailable ({type(away).__name__})"
        if new and new != trouble:
            log.error("waiting", reason=new)
        trouble = new
        time.sleep(TROUBLE_REST if trouble else LOOK_EVERY)
