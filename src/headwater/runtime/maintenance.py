"""Maintenance tasks on a schedule, in UTC: runs of workers every minute, health, summaries and lost queue items every five minutes,
old polls every 25 minutes, scores and run reports and some packs of captures every hour, retention and the search index at night. Of all workers one
runs a task."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from time import monotonic
from typing import Any

from headwater.app import App
from headwater.documents.embedding.models import nlp_installed
from headwater.engine.isolation import error_reason
from headwater.liveness import dead_owners, owner_name
from headwater.logs import configure_logs
from headwater.model.errors import Refused, Temporary
from headwater.model.saved_search import QUEUE_CHANNEL
from headwater.model.schedule import next_poll_at
from headwater.model.source import Trigger
from headwater.ops.health import check_health
from headwater.ops.object_copies import copy_recent_payloads
from headwater.ops.pack_scrub import VERIFY_PACKS, verify_packs
from headwater.ops.retention import apply_retention, clean_tables
from headwater.ops.traces import TASK as TRACES
from headwater.ops.traces import send_traces
from headwater.runtime.document_vectors import renew_document_vectors
from headwater.runtime.runs import close_runs, record_continuous_runs
from headwater.runtime.summaries import WORKER_ROUND_TIME, Announce, summarize_stories
from headwater.store.changes.lost_queue_items import resend_lost_items
from headwater.store.changes.queue_lists import REPORT_WITHIN
from headwater.store.search.codes import refresh_codes
from headwater.store.search.entries import index_documents
from headwater.store.search.query_vectors import SearchEncoders, add_vectors
from headwater.store.search.renewal import renew_segments
from headwater.store.search.segments import compact_segments, refresh_segments
from headwater.text.urls import canonical_url

LEASE = timedelta(minutes=15)
CHECK_EVERY = timedelta(seconds=15)
SUMMARIES = "summaries"
VECTOR_SECONDS = 40.0
RENEWAL_SECONDS = 10.0
LOST_ITEMS_WITHIN = timedelta(days=7)
BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class MaintenanceTask:
    trigger: Trigger
    work: Callable[[App], dict[str, Any]]
    lease: timedelta = LEASE


def fill_markers(app: App) -> dict[str, Any]:
    """Restore markers that the Redis server lost; returns how many, by recipe. A server that is unavailable is not a failure: the
    next run restores them."""
    markers = app.markers
    if markers is None:
        return {}
    try:
        return {
            name: markers.refill(name, app.recipe(name).canonical or canonical_url)
            for name in markers.recipes_without_markers()
        }
    except Temporary as error:
        return {"postponed": error.reason}


def fill_queues(app: App) -> dict[str, Any]:
    """Put items on the lists of the Redis server that it lost, that failed and are due again, or that nobody reported; returns
    how many, by queue. A server that is unavailable is not a failure: the next run does it."""
    queues = app.queues
    if queues.supply is None:
        return {}
    try:
        return dict(app.queue_lists(queues).fill(queues.supply))
    except Temporary as error:
        return {"postponed": error.reason}


def restore_queue_items(app: App) -> dict[str, Any]:
    """Deliver items of queues again whose rows are gone, four hours after they were delivered; returns how many, by recipe.
    Rows that retention removed belong to deliveries that began before the time that is looked at."""
    now, policy = app.clock(), app.settings.retention
    since = now - min(LOST_ITEMS_WITHIN, timedelta(days=policy.queue) if policy.queue else LOST_ITEMS_WITHIN)
    counts = {
        name: resend_lost_items(
            app.store.engine, name, queues, since=since, until=now - REPORT_WITHIN, now=now
        )
        for name, recipe in app.recipes.items()
        if (queues := [route.name for route in recipe.routes if route.sink == QUEUE_CHANNEL])
    }
    return {name: count for name, count in counts.items() if count}


def rescore_stories(app: App, recipes: Sequence[str] | None = None) -> dict[str, Any]:
    """Bring scores that depend on the time up to date; returns how many changed, by recipe."""
    store, changed = app.summaries, {}
    for name, recipe in app.recipes.items():
        age = recipe.grouping.age if recipe.grouping else None
        if age is not None and (recipes is None or name in recipes):
            changed[name] = store.rescore(name, age, app.clock())
    return changed


def fill_search_index(app: App) -> dict[str, Any]:
    """Compare the search index with the documents; returns how many documents changed, by recipe."""
    counts = {name: index_documents(app.store.engine, name, whole=True) for name in sorted(app.recipes)}
    refresh_segments(app.store.engine)
    compact_segments(app.store.engine)
    refresh_codes(app.store.engine)
    return {name: count for name, count in counts.items() if count}


def refresh_search_index(app: App) -> dict[str, Any]:
    """Give new documents their vectors, as far as a minute allows, index again what an older version indexed, and move entries into
    segments; returns how many vectors were added and how many documents indexed again. Without the extra `nlp`, no vectors."""
    count = 0
    if nlp_installed():
        encoders = SearchEncoders(app.settings.folder, app.settings.encoder)
        count = add_vectors(app.store.engine, encoders, seconds=VECTOR_SECONDS, whole=False)
    renewals = renew_segments(app.store.engine, seconds=RENEWAL_SECONDS)
    refresh_segments(app.store.engine)
    if count:
        refresh_codes(app.store.engine)
    counts = {"vectors": count, "renewals": renewals}
    return {name: value for name, value in counts.items() if value}


def renew_vectors(app: App) -> dict[str, Any]:
    """Replace the vectors of an earlier encoder, as far as a minute allows; returns how many, by recipe."""
    if not nlp_installed():
        return {}
    end = monotonic() + VECTOR_SECONDS
    counts = {
        name: renew_document_vectors(app.store.engine, recipe, end)
        for name, recipe in sorted(app.recipes.items())
    }
    return {name: count for name, count in counts.items() if count}


def replay_recipes(app: App) -> dict[str, Any]:
    """Start a replay of all stored captures for recipes that want one every month; returns the ids, by recipe. A recipe whose
    replay is still open gets none. What a replay finds waits for a person: `headwater replay report`."""
    now, ids = app.clock(), {}
    for name, recipe in app.recipes.items():
        if recipe.replay_monthly:
            try:
                ids[name] = app.replays.start(name, BEGINNING, now, now)
            except Refused as error:
                ids[name] = error.reason
    return ids


def summaries_task(
    announce: Announce = lambda _: None, *, max_time: timedelta = WORKER_ROUND_TIME, ask: bool = True
) -> MaintenanceTask:
    """Leased for longer than a round and its last request can take."""
    work = partial(summarize_stories, announce=announce, max_time=max_time, ask=ask)
    return MaintenanceTask(Trigger(cron="*/5 * * * *"), work, lease=max_time + timedelta(minutes=20))


MAINTENANCE_TASKS: Mapping[str, MaintenanceTask] = {
    # Before the health check, which judges the newest run.
    "record_runs": MaintenanceTask(Trigger(cron="* * * * *"), record_continuous_runs),
    "health_check": MaintenanceTask(Trigger(cron="*/5 * * * *"), check_health),
    "cleanup_tables": MaintenanceTask(Trigger(cron="*/25 * * * *"), clean_tables),
    "cleanup_old_jobs": MaintenanceTask(Trigger(cron="0 2 * * *"), apply_retention),
    "rescore_stories": MaintenanceTask(Trigger(cron="20 * * * *"), rescore_stories),
    "close_runs": MaintenanceTask(Trigger(cron="40 * * * *"), close_runs),
    SUMMARIES: summaries_task(),
    VERIFY_PACKS: MaintenanceTask(Trigger(cron="50 * * * *"), verify_packs),
    "fill_search_index": MaintenanceTask(Trigger(cron="30 2 * * *"), fill_search_index),
    "restore_queue_items": MaintenanceTask(Trigger(cron="*/5 * * * *"), restore_queue_items),
    "replay_recipes": MaintenanceTask(Trigger(cron="0 3 1 * *"), replay_recipes),
    "refresh_search_index": MaintenanceTask(Trigger(cron="* * * * *"), refresh_search_index),
    "renew_vectors": MaintenanceTask(Trigger(cron="* * * * *"), renew_vectors),
}


# Only with a Redis server on which other programs look markers up.
MARKER_TASKS = {"fill_markers": MaintenanceTask(Trigger(cron="* * * * *"), fill_markers)}
# Only with a place for named objects.
OBJECT_TASKS = {"copy_payloads": MaintenanceTask(Trigger(cron="*/15 * * * *"), copy_recent_payloads)}
# Only with a collector for traces.
TRACE_TASKS = {TRACES: MaintenanceTask(Trigger(cron="* * * * *"), send_traces)}
# Only with a Redis server from which other programs pop items.
QUEUE_TASKS = {"fill_queues": MaintenanceTask(Trigger(cron="* * * * *"), fill_queues)}


def tasks_for(app: App) -> Mapping[str, MaintenanceTask]:
    """The tasks that this installation needs."""
    markers = MARKER_TASKS if app.settings.redis else {}
    queues = QUEUE_TASKS if app.settings.queues else {}
    objects = OBJECT_TASKS if app.settings.objects else {}
    traces = TRACE_TASKS if app.settings.traces_url else {}
    return {**MAINTENANCE_TASKS, **markers, **queues, **objects, **traces}


@dataclass
class Maintenance:
    """A worker calls `run_due` between two jobs; most calls only read the clock."""

    app: App
    owner: str = field(default_factory=lambda: owner_name("maintenance"))
    tasks: Mapping[str, MaintenanceTask] = field(default_factory=dict)
    next_at: datetime | None = None

    def __post_init__(self) -> None:
        self.tasks = self.tasks or tasks_for(self.app)

    def run_due(self) -> list[str]:
        """Run the tasks that are due; returns their names."""
        now = self.app.clock()
        if self.next_at is not None and now < self.next_at:
            return []
        if self.next_at is None:
            self.register(now)
        self.next_at = now + CHECK_EVERY
        return [name for name in self.tasks if self.run_task(name) is not None]

    def run_task(self, name: str, *, early: bool = False) -> dict[str, Any] | None:
        """Run a task if it is due, or `early`; returns None if it is not due or another worker runs it."""
        rows, task = self.app.maintenance_tasks, self.tasks[name]
        if dead := dead_owners(rows.lease_owners()):
            rows.release_owners(dead)
        if not rows.claim(name, self.owner, self.app.clock(), task.lease, early=early):
            return None
        result, failed = self._attempt(name, task)
        now = self.app.clock()
        due_at = next_poll_at(task.trigger, now)
        rows.finish(name, self.owner, now=now, due_at=due_at, result=result, failed=failed)
        return result

    def _attempt(self, name: str, task: MaintenanceTask) -> tuple[dict[str, Any], bool]:
        try:
            return task.work(self.app), False
        except Exception as error:  # noqa: BLE001 - a failing task must not stop the worker
            reason, detail = error_reason(error)
        log = configure_logs(self.app.settings.log, self.app.settings.log_level)
        log.error("maintenance task failed", task=name, reason=reason, detail=detail)
        return {"error": reason, "detail": detail}, True

    def run_now(self, name: str) -> dict[str, Any]:
        """For an operator: run it now, or Refused."""
        self.register(self.app.clock())
        result = self.run_task(name, early=True)
        if result is None:
            raise Refused("busy", f"a worker is running {name}; try again in a few minutes")
        if "error" in result:
            raise Refused(str(result["error"]), str(result.get("detail") or result["error"]))
        return result

    def register(self, now: datetime) -> None:
        due = {name: next_poll_at(task.trigger, now) for name, task in self.tasks.items()}
        self.app.maintenance_tasks.register(due, now)
