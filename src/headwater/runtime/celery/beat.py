"""The beat: sends hints for work that is due. Of all beats of a recipe one leads; the others stand by.

It has no schedule of its own: the rows say what is due. A beat that was away, or whose broker lost every message, has
nothing to catch up on.
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
from headwater.runtime.registration import ListWatch, register_changes
from headwater.runtime.worker_pool import is_installation_idle

LEADER = "beat"
LEASE = timedelta(seconds=15)
BEAT_SECONDS = 1.0
ERROR_SLEEP = 2.0
RELEASE_EVERY = timedelta(seconds=5)


@dataclass
class Beat:
    app: App
    recipes: Sequence[str]
    hints: HintSender
    owner: str = field(default_factory=lambda: owner_name(LEADER))
    release_at: float = 0.0
    leading_until: dict[str, datetime] = field(default_factory=dict)

    @cached_property
    def maintenance(self) -> Maintenance:
        """The tasks, registered with the first beat. Workers run them."""
        maintenance, now = Maintenance(self.app), self.app.clock()
        self.app.maintenance_tasks.register({leader_row(recipe): now for recipe in self.recipes}, now)
        maintenance.register(now)
        return maintenance

    def hint_due_work(self) -> list[str]:
        """Send hints for the recipes that this beat leads; returns the queues."""
        tasks = self.maintenance.tasks
        led = [recipe for recipe in self.recipes if self.leads(recipe)]
        if not led:
            return []
        self._release_dead_owners()
        now, store = self.app.clock(), self.app.store
        hinted = [
            queue_name(job)
            for recipe in led
            for job in (Job(recipe, task) for task in store.due_tasks(recipe, now))
            if self.hints.send(job)
        ]
        if self.app.maintenance_tasks.has_due(tasks, now) and self.hints.send_maintenance():
            hinted.append(MAINTENANCE_QUEUE)
        return hinted

    def leads(self, recipe: str) -> bool:
        """Whether this beat leads. It replaces a leader that died on this machine at once, any other when its lease runs out."""
        rows, row, now = self.app.maintenance_tasks, leader_row(recipe), self.app.clock()
        if now < self.leading_until.get(recipe, now):
            return True
        holder = rows.hold(row, self.owner, now, LEASE)
        if holder is not None and dead_owners([holder]):
            rows.release(row, holder)
            holder = rows.hold(row, self.owner, now, LEASE)
        if holder == self.owner:
            self.leading_until[recipe] = now + LEASE / 3
        return holder == self.owner

    def _release_dead_owners(self) -> None:
        if time.monotonic() >= self.release_at:
            release_dead_owners(self.app, forget=False)
            self.release_at = time.monotonic() + RELEASE_EVERY.total_seconds()

    def resign(self) -> None:
        """Let another beat lead at once."""
        self.leading_until.clear()
        for recipe in self.recipes:
            self.app.maintenance_tasks.release(leader_row(recipe), self.owner)


def leader_row(recipe: str) -> str:
    """The name of the row that holds the leader of a recipe."""
    return f"{LEADER}.{recipe}"


def run_beat(beat: Beat, stop: Callable[[], bool], *, until_idle: bool = False) -> None:
    """Beat until told to stop or, with `until_idle`, until nothing is due soon. Waits for a database or broker that is unavailable."""
    log = configure_logs(beat.app.settings.log, beat.app.settings.log_level)
    last_error, watch = "", ListWatch(beat.app.settings)
    while not stop():
        try:
            register_changes(beat.app, beat.recipes, watch, log)
            beat.hint_due_work()
            if until_idle and is_installation_idle(beat.app, beat.recipes):
                break
            error = ""
        except Temporary as temporary:
            error = temporary.reason
        except BROKER_ERRORS as broker_error:
            error = f"broker_unavailable ({type(broker_error).__name__})"
        if error and error != last_error:
            log.error("waiting", reason=error)
        last_error = error
        time.sleep(ERROR_SLEEP if error else BEAT_SECONDS)
