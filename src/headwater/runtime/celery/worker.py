"""Celery workers, one process for each role, supervised by this process.

Celery ends a worker that receives a message it cannot parse. The pool then starts another.
"""

import logging
import multiprocessing
import os
import signal
import socket
import sys
import threading
import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any

import structlog

from headwater.app import App
from headwater.logs import LEVELS, configure_logs
from headwater.ops.installation_lock import release_dead_owners, worker_lock
from headwater.recipes.loader import LoadedRecipes, load_recipes
from headwater.redis_client import RedisClient
from headwater.runtime.celery.broker import (
    IGNORED_WARNINGS,
    broker_address,
    celery_for,
    end_with_parent,
    signals,
)
from headwater.runtime.celery.hints import HintSender
from headwater.runtime.celery.queues import WorkerRole
from headwater.runtime.celery.tasks import TaskRunner, register_tasks
from headwater.runtime.celery.watchdog import QueueWatchdog
from headwater.runtime.fork_server import fork_server_pid
from headwater.runtime.worker_loop import StopSignal, retry_until_available
from headwater.runtime.worker_pool import WorkerPool, run_pool
from headwater.settings.settings import Settings

LIBRARY_LOGS = ("celery", "kombu")
EXIT_STUCK = 75  # the exit status of a worker that its watchdog ended


def serve(app: App, roles: Sequence[WorkerRole]) -> None:
    """Run workers until told to stop. Waits for a database that is unavailable at the start."""
    broker_address(app.settings)
    log = configure_logs(app.settings.log, app.settings.log_level)
    pool = WorkerPool(app, targets={role.name: partial(serve_role, role=role) for role in roles})
    with worker_lock(app):
        retry_until_available(app.archive.ready, log)
        retry_until_available(lambda: release_dead_owners(app), log)
        run_pool(pool, StopSignal(child=False), lambda: False, lambda: None)


def serve_role(settings: Settings, recipes: Sequence[str] = (), *, role: WorkerRole) -> None:
    """Run a Celery worker with its children in this process until told to stop or its parent is gone."""
    del recipes  # the role names them
    end_with_parent(fork_server_pid())
    threading.Thread(target=_end_with_supervisor, daemon=True).start()
    # Where Celery announces its shutdown, which is no line of our log.
    sys.__stdout__ = None  # type: ignore[misc]
    log_left_out(
        load_recipes(settings), settings
    )  # loaded before the fork, so that the children share the memory
    address = broker_address(settings)
    celery, runner = celery_for(address), TaskRunner(settings, role, HintSender(address))
    register_tasks(celery, runner)
    _ignore_warnings()
    receivers = _connect_signals(settings, runner)
    worker = celery.Worker(
        hostname=f"{role.name}-{os.getpid()}@{socket.gethostname()}",
        pool="prefork",
        concurrency=role.concurrency,
        queues=role.queues,
        optimization="fair",
        loglevel=LEVELS[settings.log_level],
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        quiet=True,
    )
    worker.start()
    del receivers
    sys.exit(worker.exitcode or 0)


def log_left_out(loaded: LoadedRecipes, settings: Settings) -> None:
    """Here and not in the process that supervises: that one loads no recipe."""
    log = configure_logs(settings.log, settings.log_level)
    for name, refusal in loaded.refusals.items():
        log.warning("recipe left out", recipe=name, reason=refusal.reason, detail=refusal.detail)


def _connect_signals(settings: Settings, runner: TaskRunner) -> list[Any]:
    """Returns the receivers: Celery holds only weak references to them."""
    worker = os.getpid()

    def logs(**_: Any) -> None:
        route_celery_logs(settings)

    def set_up(**_: Any) -> None:  # again, because Celery resets the filters when it sets up its logs
        _ignore_warnings()

    def shutting_down(**_: Any) -> None:
        runner.stop_flag.set()

    def ready(**_: Any) -> None:
        _watchdog(settings, runner).start()

    def child_started(**_: Any) -> None:
        end_with_parent(worker)
        runner.on_child_start()

    def child_ended(**_: Any) -> None:
        runner.on_child_end()

    signals.setup_logging.connect(logs)
    signals.celeryd_after_setup.connect(set_up)
    signals.worker_ready.connect(ready)
    signals.worker_shutting_down.connect(shutting_down)
    signals.worker_process_init.connect(child_started)
    signals.worker_process_shutdown.connect(child_ended)
    return [logs, set_up, ready, shutting_down, child_started, child_ended]


def _end_with_supervisor() -> None:
    """The parent of this process is the fork server, which lives as long as its children: only the supervisor tells them to stop.
    If it is killed, this process ends as if it were killed, too, and its children with it."""
    supervisor = multiprocessing.parent_process()
    if supervisor is not None:
        supervisor.join()
        os.kill(os.getpid(), signal.SIGKILL)


def _watchdog(settings: Settings, runner: TaskRunner) -> QueueWatchdog:
    """With a connection of its own: the children inherit the one of the hints."""

    def on_stall() -> None:
        log = configure_logs(settings.log, settings.log_level)
        log.error("worker takes no messages and is replaced", role=runner.role.name)
        os._exit(EXIT_STUCK)

    return QueueWatchdog(RedisClient(runner.hints.address), runner.role.queues, runner.children, on_stall)


def _ignore_warnings() -> None:
    for warning in IGNORED_WARNINGS:
        warnings.simplefilter("ignore", warning)


def route_celery_logs(settings: Settings) -> None:
    """Print Celery's own log lines in the configured format. Those about messages and connections are for debugging: the job
    that a message starts has lines of its own, with recipe, job and key."""
    configure_logs(settings.log, settings.log_level)
    processors = structlog.get_config()["processors"]
    handler = logging.StreamHandler()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(processor=processors[-1], foreign_pre_chain=processors[:-1])
    )
    root = logging.getLogger()
    root.handlers, root.level = [handler], LEVELS[settings.log_level]
    for name in LIBRARY_LOGS:
        logging.getLogger(name).setLevel(
            logging.DEBUG if settings.log_level == "debug" else max(root.level, logging.WARNING)
        )
