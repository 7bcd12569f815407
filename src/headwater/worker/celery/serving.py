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
from headwater.installed import installed_recipes
from headwater.logs import LEVELS, configure_logs
from headwater.redis_server import RedisServer
from headwater.settings.settings import Settings
from headwater.worker.celery.broker import NOISE, broker_address, celery_for, end_with_parent, signals
from headwater.worker.celery.hints import Hints
from headwater.worker.celery.queues import Role
from headwater.worker.celery.tasks import Hands, install
from headwater.worker.celery.watching import Watch
from headwater.worker.loops import Bell, patiently
from headwater.worker.occupancy import at_work
from headwater.worker.processes import LOOK_EVERY, Crew

STUCK = 75  # the exit status of a worker that gave up on itself


def serve(app: App, roles: Sequence[Role]) -> None:
    """Work until told to stop. What dead workers of this machine held is free before anything begins; a database that is
    away is waited for."""
    broker_address(app.settings)
    log = configure_logs(app.settings.log, app.settings.log_level)
    crew = Crew(app, roles={role.name: partial(serve_role, role=role) for role in roles})
    with at_work(app):
        patiently(app.archive.ready, log)
        patiently(crew.start, log)
        _tend(crew)


def _tend(crew: Crew) -> None:
    bell = Bell(child=False)
    try:
        while not bell:
            crew.tend()
            time.sleep(LOOK_EVERY)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        crew.stop()


def serve_role(settings: Settings, recipes: Sequence[str] = (), *, role: Role) -> None:
    """In this process: a Celery worker with its children, until it is told to stop, or its parent is gone."""
    del recipes  # its role names them
    end_with_parent()
    installed_recipes(settings)  # whatever they import is there before the children are, and shared by them
    address = broker_address(settings)
    celery, hands = celery_for(address), Hands(settings, role, Hints(address))
    install(celery, hands)
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


def _listen(settings: Settings, hands: Hands) -> list[Any]:
    """What Celery tells about its life. It holds receivers weakly, so they are given back to be kept."""

    def logs(**_: Any) -> None:
        tell_logs(settings)

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


def _watch(settings: Settings, hands: Hands) -> Watch:
    """Its connection is not that of the hints, which the children inherit."""

    def end() -> None:
        log = configure_logs(settings.log, settings.log_level)
        log.error("a worker that takes nothing is replaced", role=hands.role.name)
        os._exit(STUCK)

    return Watch(RedisServer(hands.hints.address), hands.role.queues, hands.presence, end)


def _without_noise() -> None:
    for warning in NOISE:
        warnings.simplefilter("ignore", warning)


def tell_logs(settings: Settings) -> None:
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
