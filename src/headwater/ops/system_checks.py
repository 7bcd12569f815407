"""Checks of the parts that work needs, made by the process that asks: a check that runs in a worker cannot notice that all
workers are dead. What counts as a problem is decided in `system_rules`."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from headwater.app import App
from headwater.liveness import dead_owners, process_of
from headwater.model.errors import HeadwaterError, Refused, Temporary
from headwater.ops.system_rules import (
    PartCheck,
    captures_check,
    disk_check,
    due_work_check,
    last_poll_check,
    leader_check,
    lease_check,
    live_workers,
    network_check,
    workers_check,
)
from headwater.redis_client import RedisClient
from headwater.secret_references import resolve_secret
from headwater.store.changes.workers import WorkerHeartbeat
from headwater.store.connect import read_transaction
from headwater.store.reads.waiting import (
    WaitingRow,
    count_waiting,
    last_poll,
    leased_rows,
    oldest_waiting,
    sources_without_network,
)
from headwater.store.write_lock import check_write_lock

REDIS_TIMEOUT_SECONDS = 2.0
LOCK_SECONDS = 2.5
REDIS_KEY = "headwater:health"


@dataclass(frozen=True, slots=True)
class WorkState:
    """What the rows say about work and workers at one time. `due` rows wait; counted only while nobody works on them."""

    now: datetime
    heartbeats: Sequence[WorkerHeartbeat]
    waiting: Sequence[WaitingRow]
    leased: Mapping[str, int]
    last_poll_at: datetime | None
    offline_sources: int = 0
    due: int = 0


def read_work_state(app: App) -> WorkState:
    now, engine, recipes = app.clock(), app.engine, app.catalogue.recipes()
    heartbeats = app.workers.heartbeats(now)
    return WorkState(
        now,
        heartbeats,
        oldest_waiting(engine, recipes, now),
        leased_rows(engine),
        last_poll(engine, recipes),
        sources_without_network(engine, now),
        0 if live_workers(heartbeats) else count_waiting(engine, recipes, now),
    )


def check_parts(app: App, *, write: bool = True) -> dict[str, PartCheck]:
    """All checks by name. Without `write` nothing is written anywhere: the archive is not tried."""
    checks = {"database": check_database(app)}
    if write:
        checks["archive"] = check_archive(app)
    checks |= {"redis": check_redis(app), "disk": check_disk(app)}
    if not checks["database"].ok:
        unknown = PartCheck(ok=False, detail="unknown while the database is unavailable")
        return checks | dict.fromkeys(
            ("captures", "workers", "leader", "leases", "due_work", "last_poll", "network"), unknown
        )
    if write and checks["archive"].ok:
        checks["captures"] = check_captures(app)
    return checks | work_checks(read_work_state(app))


def work_checks(state: WorkState) -> dict[str, PartCheck]:
    not_live = {heartbeat.process.id for heartbeat in state.heartbeats if not heartbeat.is_live}
    dead = {process_of(owner) for owner in dead_owners(state.leased)} | not_live
    held_by_dead = sum(count for owner, count in state.leased.items() if process_of(owner) in dead)
    return {
        "workers": workers_check(state.heartbeats, state.waiting, state.now, state.due),
        "leader": leader_check(state.heartbeats),
        "leases": lease_check(held_by_dead, sum(state.leased.values())),
        "due_work": due_work_check(state.waiting, state.heartbeats, state.now),
        "last_poll": last_poll_check(state.last_poll_at, state.waiting, state.heartbeats, state.now),
        "network": network_check(state.offline_sources),
    }


def _attempt(
    check: Callable[[], str], failures: tuple[type[HeadwaterError], ...] = (Temporary,)
) -> PartCheck:
    try:
        return PartCheck(ok=True, detail=check())
    except failures as error:
        return PartCheck(ok=False, detail=f"{error.reason}: {error.detail}".rstrip(": "))


def check_database(app: App, lock_seconds: float = LOCK_SECONDS) -> PartCheck:
    """A database that another process keeps locked can often be read, but no worker gets any further."""

    def check() -> str:
        check_write_lock(app.settings.database_url, lock_seconds)
        with read_transaction(app.engine) as connection:
            connection.exec_driver_sql("SELECT 1")
        return app.engine.dialect.name

    return _attempt(check)


def check_archive(app: App) -> PartCheck:
    """Writes an object and reads it back. A folder that cannot be made is a problem of this part alone."""

    def check() -> str:
        app.archive.probe(app.clock())
        return "written and read back"

    return _attempt(check, (Temporary, Refused))


def check_captures(app: App) -> PartCheck:
    """Compares names only; a maintenance task reads the bytes, some packs every hour. The rows come first: a pack is written
    before its rows."""
    from headwater.ops.move_files import list_packs  # noqa: PLC0415 - `status` needs no archive to start
    from headwater.ops.pack_scrub import scrub_state  # noqa: PLC0415 - as above

    referenced = list_packs(app.engine)
    present = set(app.archive.packs(datetime.max.replace(tzinfo=UTC)))
    missing = [name for name in referenced if name not in present]
    damaged = sorted(set(scrub_state(app).damaged) & set(referenced) & present)
    return captures_check(missing, damaged, len(referenced))


def check_redis(app: App) -> PartCheck:
    """Writes a key: a server without memory answers a ping, but takes nothing."""
    urls = {"redis": app.settings.redis, "queues": app.settings.queues}
    servers = {name: resolve_secret(url, name) for name, url in urls.items() if url}
    if not servers:
        return PartCheck(ok=True, detail="not used")

    def check() -> str:
        for name, url in servers.items():
            client = RedisClient(url, name, seconds=REDIS_TIMEOUT_SECONDS)
            try:
                client.execute([("SET", REDIS_KEY, "1", "EX", 60)])
            finally:
                client.close()
        return f"{', '.join(servers)} written"

    return _attempt(check)


def check_disk(app: App) -> PartCheck:
    folders = [folder for folder in (app.settings.folder, app.archive_folder) if folder is not None]
    usages = {str(folder): _disk_usage(folder) for folder in folders}
    return disk_check(usages)


def _disk_usage(folder: Path) -> tuple[int, int]:
    """Total and free bytes where the folder is, or would be."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    usage = shutil.disk_usage(folder)
    return usage.total, usage.free
