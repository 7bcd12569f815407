"""Marks that a Redis server has lost, made again from the rows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from headwater.app import App
from headwater.engine.isolation import error_reason
from headwater.engine.summarize import WORKER_ROUND_TIME, Announce
from headwater.liveness import dead_owners, owner_name
from headwater.logs import configure_logs
from headwater.model.errors import Refused, Temporary
from headwater.model.schedule import next_poll_at
from headwater.model.source import Trigger
from headwater.ops.health import check_health
from headwater.ops.retention import apply_retention
from headwater.runtime.runs import close_runs
from headwater.runtime.summaries import rescore_stories, summarize_stories
from headwater.store.maintenance.tasks import MaintenanceTasks
from headwater.store.search.full_text_index import index_documents
from headwater.store.search.vector_index import refresh_vector_index
from headwater.text.urls import canonical_url


def fill_markers(app: App) -> dict[str, Any]:
    """How many marks were made, by recipe; nothing if none was missing. A server that is away is no failure: its marks
    are made when it is back, and whoever writes them in the meantime has said so already."""
    markers = app.markers
    if markers is None:
        return {}
    try:
        return {
            name: markers.refill(name, app.recipe(name).canonical or canonical_url)
            for name in markers.missing()
        }
    except Temporary as trouble:
        return {"postponed": trouble.reason}


def fill_search_index(app: App) -> dict[str, Any]:
    """How many documents were read or taken out, by recipe; recipes without news are not named."""
    counts = {name: index_documents(app.store.engine, name) for name in sorted(app.recipes)}
    refresh_vector_index(app.store.engine)
    return {name: count for name, count in counts.items() if count}


LEASE = timedelta(minutes=15)
CHECK_EVERY = timedelta(seconds=15)
SUMMARIES = "summaries"


@dataclass(frozen=True, slots=True)
class MaintenanceTask:
    trigger: Trigger
    work: Callable[[App], dict[str, Any]]
    lease: timedelta = LEASE


def summaries_task(
    tell: Announce = lambda _: None, *, longest: timedelta = WORKER_ROUND_TIME, ask: bool = True
) -> MaintenanceTask:
    """Leased for longer than a round and the last question in it can take."""
    work = partial(summarize_stories, tell=tell, longest=longest, ask=ask)
    return MaintenanceTask(Trigger(cron="*/5 * * * *"), work, lease=longest + timedelta(minutes=20))


MAINTENANCE_TASKS: Mapping[str, MaintenanceTask] = {
    "health_check": MaintenanceTask(Trigger(cron="*/5 * * * *"), check_health),
    "cleanup_old_jobs": MaintenanceTask(Trigger(cron="0 2 * * *"), apply_retention),
    "rescore_stories": MaintenanceTask(Trigger(cron="20 * * * *"), rescore_stories),
    "close_runs": MaintenanceTask(Trigger(cron="40 * * * *"), close_runs),
    SUMMARIES: summaries_task(),
    "fill_search_index": MaintenanceTask(Trigger(cron="30 2 * * *"), fill_search_index),
}


# Only where other programs are told what was seen.
MARKER_TASKS = {"fill_markers": MaintenanceTask(Trigger(cron="* * * * *"), fill_markers)}


def tasks_for(app: App) -> Mapping[str, MaintenanceTask]:
    """Those that this installation needs."""
    return {**MAINTENANCE_TASKS, **MARKER_TASKS} if app.settings.redis else MAINTENANCE_TASKS


@dataclass
class Maintenance:
    """What a worker calls between two jobs; a look at the clock most of the time. Of all workers one does a chore."""

    app: App
    owner: str = field(default_factory=lambda: owner_name("upkeep"))
    chores: Mapping[str, MaintenanceTask] = field(default_factory=dict)
    next_at: datetime | None = None

    def __post_init__(self) -> None:
        self.chores = self.chores or tasks_for(self.app)

    def run_due(self) -> list[str]:
        """Do the chores that are due; gives their names."""
        now = self.app.clock()
        if self.next_at is not None and now < self.next_at:
            return []
        if self.next_at is None:
            self.register(now)
        self.next_at = now + CHECK_EVERY
        return [name for name in self.chores if self.run_task(name) is not None]

    def run_task(self, name: str, *, early: bool = False) -> dict[str, Any] | None:
        """Do one chore if it is due, or now; None if it is not, or if somebody else is at it."""
        rows, chore = MaintenanceTasks(self.app.store.engine), self.chores[name]
        if dead := dead_owners(rows.holders()):
            rows.free(dead)
        if not rows.take(name, self.owner, self.app.clock(), chore.lease, early=early):
            return None
        result, failed = self._attempt(name, chore)
        now = self.app.clock()
        due_at = next_poll_at(chore.trigger, now)
        rows.finish(name, self.owner, now=now, due_at=due_at, result=result, failed=failed)
        return result

    def _attempt(self, name: str, chore: MaintenanceTask) -> tuple[dict[str, Any], bool]:
        try:
            return chore.work(self.app), False
        except Exception as error:  # noqa: BLE001 - whatever is wrong with a chore, articles go on coming in
            reason, detail = error_reason(error)
        log = configure_logs(self.app.settings.log, self.app.settings.log_level)
        log.error("chore failed", chore=name, reason=reason, detail=detail)
        return {"error": reason, "detail": detail}, True

    def run_now(self, name: str) -> dict[str, Any]:
        """For an operator: do it now."""
        self.register(self.app.clock())
        result = self.run_task(name, early=True)
        if result is None:
            raise Refused("busy", f"a worker is doing {name} at this moment; wait a little and try again")
        if "error" in result:
            raise Refused(str(result["error"]), str(result.get("detail") or result["error"]))
        return result

    def register(self, now: datetime) -> None:
        due = {name: next_poll_at(chore.trigger, now) for name, chore in self.chores.items()}
        MaintenanceTasks(self.app.store.engine).register(due, now)
