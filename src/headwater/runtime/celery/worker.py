"""Celery workers, one for each role, in processes of their own; this one watches them.

Celery ends a worker that meets what it cannot understand, be it a message that is none. Then a new one takes its place.
"""

import logging
import os
import signal
import socket
import sys
import time
import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any

import structlog

from headwater.app import App
from headwater.logs import LEVELS, configure_logs
from headwater.ops.installation_lock import worker_lock
from headwater.recipe_loader import installed_recipes
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
from headwater.runtime.worker_loop import StopSignal, retry_until_available
from headwater.runtime.worker_pool import LOOK_EVERY, WorkerPool
from headwater.settings.settings import Settings

EXIT_STUCK = 75  # the exit status of a worker that gave up on itself


def serve(app: App, roles: Sequence[WorkerRole]) -> None:
    """Work until told to stop. What dead workers of this machine held is free before anything begins; a database that is
    away is waited for."""
    broker_address(app.settings)
    log = configure_logs(app.settings.log, app.settings.log_level)
    crew = WorkerPool(app, roles={role.name: partial(serve_role, role=role) for role in roles})
    with worker_lock(app):
        retry_until_available(app.archive.ready, log)
        retry_until_available(crew.start, log)
        _tend(crew)


def _tend(crew: WorkerPool) -> None:
    bell = StopSignal(child=False)
    try:
        while not bell:
            crew.replace_dead()
            time.sleep(LOOK_EVERY)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        crew.stop()


def serve_role(settings: Settings, recipes: Sequence[str] = (), *, role: WorkerRole) -> None:
    """In this process: a Celery worker with its children, until it is told to stop, or its parent is gone."""
    del recipes  # its role names them
    end_with_parent()
    installed_recipes(settings)  # whatever they import is there before the children are, and shared by them
    address = broker_address(settings)
    celery, hands = celery_for(address), TaskRunner(settings, role, HintSender(address))
    register_tasks(celery, hands)
    _without_noise()
    kept = _listen(settings, hands)
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
    del kept
    sys.exit(worker.exitcode or 0)


def _listen(settings: Settings, hands: TaskRunner) -> list[Any]:
    """What Celery tells about its life. It holds receivers weakly, so they are given back to be kept."""

    def logs(**_: Any) -> None:
        route_celery_logs(settings)

    def set_up(**_: Any) -> None:  # once more: Celery wants to hear of everything when it sets up its logs
        _without_noise()

    def shutting_down(**_: Any) -> None:
        hands.sign.show()

    def ready(**_: Any) -> None:
        _watch(settings, hands).begin()

    def child_born(**_: Any) -> None:
        hands.begin()

    def child_ends(**_: Any) -> None:
        hands.end()

    signals.setup_logging.connect(logs)
    signals.celeryd_after_setup.connect(set_up)
    signals.worker_ready.connect(ready)
    signals.worker_shutting_down.connect(shutting_down)
    signals.worker_process_init.connect(child_born)
    signals.worker_process_shutdown.connect(child_ends)
    return [logs, set_up, ready, shutting_down, child_born, child_ends]


def _watch(settings: Settings, hands: TaskRunner) -> QueueWatchdog:
    """Its connection is not that of the hints, which the children inherit."""

    def end() -> None:
        log = configure_logs(settings.log, settings.log_level)
        log.error("a worker that takes nothing is replaced", role=hands.role.name)
        os._exit(EXIT_STUCK)

    return QueueWatchdog(RedisClient(hands.hints.address), hands.role.queues, hands.presence, end)


def _without_noise() -> None:
    for warning in IGNORED_WARNINGS:
        warnings.simplefilter("ignore", warning)


def route_celery_logs(settings: Settings) -> None:
    """Celery's own lines in the form that the settings want."""
    configure_logs(settings.log, settings.log_level)
    told = structlog.get_config()
    handler = logging.StreamHandler()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processor=told["processors"][-1], foreign_pre_chain=told["processors"][:-1]
        )
    )
    root = logging.getLogger()
    root.handlers, root.level = [handler], LEVELS[settings.log_level]
