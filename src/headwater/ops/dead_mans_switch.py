"""The dead man's switch: an address outside that expects a ping, and reports when none comes.

Nothing inside a dead cluster can report that it is dead. So a service elsewhere is pinged while everything that work needs
is alive: database, Redis, beat and workers. Of all processes one pings.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import structlog

from headwater.app import App
from headwater.model.errors import HeadwaterError, Refused
from headwater.ops.system_checks import check_redis
from headwater.ops.system_rules import BEAT_ROLE, CLUSTER_PREFIX, NETWORK_ROLES
from headwater.secret_references import resolve_secret
from headwater.settings.settings import Settings
from headwater.sinks.http_endpoint import HttpEndpoint
from headwater.store.changes.workers import WorkerHeartbeat

PING_EVERY = 30.0
_log = structlog.get_logger()


def pinging_process(heartbeats: Sequence[WorkerHeartbeat]) -> str | None:
    """The process that pings: the first of those that live. None if no work can be done: nothing polls and fetches, or workers
    of a cluster have no beat."""
    live = [heartbeat.process for heartbeat in heartbeats if heartbeat.is_live]
    workers = [process for process in live if process.role != BEAT_ROLE]
    needs_beat = any(process.role.startswith(CLUSTER_PREFIX) for process in workers)
    has_beat = len(workers) < len(live)
    polls = any(process.role in NETWORK_ROLES for process in workers)
    if not polls or (needs_beat and not has_beat):
        return None
    return min(process.id for process in live)


@dataclass
class DeadMansSwitch:
    endpoint: HttpEndpoint
    pinged_at: float | None = None
    last_error: str = field(default="")

    @classmethod
    def from_settings(cls, settings: Settings) -> "DeadMansSwitch | None":
        if not settings.heartbeat_url:
            return None
        url = resolve_secret(settings.heartbeat_url, "heartbeat_url")
        return cls(HttpEndpoint(url, setting="heartbeat_url"))

    def ping_if_due(self, app: App, process: str, now: float) -> bool:
        """Ping if it is time and this process's turn; returns whether it did. Without a ping the service outside reports."""
        if self.pinged_at is not None and now - self.pinged_at < PING_EVERY:
            return False
        if pinging_process(app.workers.heartbeats(app.clock())) != process:
            return False
        if not check_redis(app).ok:
            return False
        try:
            self.endpoint.post(b"", {"Content-Length": "0"})
        except HeadwaterError as error:
            if isinstance(error, Refused):
                raise
            self._warn(error)
            return False
        self.pinged_at, self.last_error = now, ""
        return True

    def _warn(self, error: HeadwaterError) -> None:
        if error.reason != self.last_error:
            _log.warning("ping failed", setting="heartbeat_url", reason=error.reason, detail=error.detail)
        self.last_error = error.reason
