"""The configuration of Celery. Nothing else imports it."""

import os
import signal
import socket
import ssl
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from headwater.model.errors import Refused
from headwater.redis_client import check_redis_url
from headwater.secret_references import resolve_secret
from headwater.settings.settings import Settings

try:
    from celery import Celery, signals  # type: ignore[import-untyped]
    from celery.exceptions import CPendingDeprecationWarning  # type: ignore[import-untyped]
    from celery.platforms import SecurityWarning, set_pdeathsig  # type: ignore[import-untyped]
    from kombu.exceptions import OperationalError
except ModuleNotFoundError as error:
    raise Refused(
        "missing_extra", "a cluster needs Celery: install it with `pip install 'headwater[cluster]'`"
    ) from error

__all__ = [
    "BROKER_ERRORS",
    "IGNORED_WARNINGS",
    "Celery",
    "broker_address",
    "celery_for",
    "end_with_parent",
    "signals",
]

WORK_TASK, MAINTENANCE_TASK = "headwater.work", "headwater.maintenance"
RETRIES, RETRY_AFTER = 3, 60
# Most jobs take minutes, summaries by a model half an hour. A longer job hangs and is killed, and only then does another
# worker get its message.
LONGEST_JOB = 60 * 60
VISIBILITY_TIMEOUT = 2 * LONGEST_JOB
MEMORY_KILOBYTES = 440 * 1024
JOBS_PER_CHILD = 1_000
CONNECT_SECONDS, ANSWER_SECONDS = 5.0, 15.0

# Errors of a broker that is unavailable, full or restarting. Messages are only hints, so none of them loses work.
BROKER_ERRORS = (OperationalError, OSError)

# A warning about running as root with unsafe serialisers (only JSON is used), and one about a default that is set here.
IGNORED_WARNINGS = (SecurityWarning, CPendingDeprecationWarning)

# Detects a vanished server within a minute. Not every system has all three options.
KEEPALIVE = {
    getattr(socket, name): value
    for name, value in (("TCP_KEEPIDLE", 20), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3))
    if hasattr(socket, name)
}

TRANSPORT_OPTIONS: Mapping[str, Any] = {
    "visibility_timeout": VISIBILITY_TIMEOUT,
    # The default restores messages of dead workers only every hundred seconds, whatever the timeout is.
    "unacked_restore_interval": 2,
    "unacked_restore_throttle": 1,
    "socket_connect_timeout": CONNECT_SECONDS,
    "socket_timeout": ANSWER_SECONDS,
    "socket_keepalive": True,
    "socket_keepalive_options": KEEPALIVE,
    "health_check_interval": 10,
}

CELERY_CONFIG: Mapping[str, Any] = {
    "task_serializer": "json",
    "accept_content": ["json"],
    "event_serializer": "json",
    "enable_utc": True,
    "timezone": "UTC",
    "task_acks_late": True,
    "task_reject_on_worker_lost": True,
    "worker_prefetch_multiplier": 1,
    "worker_max_tasks_per_child": JOBS_PER_CHILD,
    "worker_max_memory_per_child": MEMORY_KILOBYTES,
    "task_time_limit": LONGEST_JOB,
    # A child starts by asking the database, which may be busy or away for a moment.
    "worker_proc_alive_timeout": 60.0,
    "task_ignore_result": True,
    "result_backend": None,
    # Workers take no commands through the broker and do not talk to each other.
    "worker_enable_remote_control": False,
    "worker_send_task_events": False,
    # A job continues without the broker: its rows are in the database.
    "worker_cancel_long_running_tasks_on_connection_loss": False,
    "broker_connection_retry_on_startup": True,
    "broker_connection_max_retries": None,
    "broker_transport_options": dict(TRANSPORT_OPTIONS),
    "task_publish_retry_policy": {
        "max_retries": 2,
        "interval_start": 0,
        "interval_step": 0.2,
        "interval_max": 0.2,
    },
    "worker_hijack_root_logger": False,
    "worker_redirect_stdouts": False,
}


def broker_address(settings: Settings) -> str:
    """Refused if the settings name no Redis server."""
    if not settings.redis:
        raise Refused(
            "no_broker",
            "a cluster needs a Redis server: set `redis: redis://HOST:6379/0` (or env:NAME) in the settings",
        )
    return check_redis_url(resolve_secret(settings.redis, "redis"), "redis")


def celery_for(address: str) -> Celery:
    celery = Celery("headwater", broker=address, set_as_current=False)
    celery.conf.update(CELERY_CONFIG)
    if urlsplit(address).scheme == "rediss":
        celery.conf.broker_use_ssl = {"ssl_cert_reqs": ssl.CERT_REQUIRED}
    return celery


def end_with_parent(parent: int) -> None:
    """On systems that support it, kill this process when its parent, the process with that id, dies; at once if it is dead
    already. The next worker releases its leases."""
    set_pdeathsig("SIGKILL")
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
