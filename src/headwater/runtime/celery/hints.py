"""Messages that say "there is work of this kind". The rows decide: a hint may be lost, doubled or late."""

from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property

from headwater.model.jobs import Job
from headwater.redis_client import RedisClient
from headwater.runtime.celery.broker import MAINTENANCE_TASK, WORK_TASK, Celery, celery_for
from headwater.runtime.celery.queues import MAINTENANCE_QUEUE, queue_name

# A hint that no worker has taken after this time is lost; another one is sent unless it is still in its queue.
LOST_AFTER = timedelta(seconds=5)
# The shortest time between a hint that was taken and the next of its kind.
SPACING = timedelta(seconds=1)


@dataclass(frozen=True)
class HintSender:
    """Sends at most one hint of a kind until a worker takes it."""

    address: str = field(repr=False)

    @cached_property
    def celery(self) -> Celery:
        return celery_for(self.address)

    @cached_property
    def server(self) -> RedisClient:
        return RedisClient(self.address)

    def send(self, job: Job) -> bool:
        """True if a hint was sent."""
        return self._send(queue_name(job), WORK_TASK, {"recipe": job.recipe, "task": job.task.value})

    def send_maintenance(self) -> bool:
        return self._send(MAINTENANCE_QUEUE, MAINTENANCE_TASK, {})

    def acknowledge(self, queue: str) -> None:
        """A worker has taken the hint: the next one may follow soon."""
        self.server.execute([("PEXPIRE", _marker(queue), SPACING // timedelta(milliseconds=1))])

    def _send(self, queue: str, task: str, arguments: dict[str, str]) -> bool:
        (waiting,) = self.server.execute([("LLEN", queue)])
        if waiting:  # checked without the marker: another version of Headwater may have sent it
            return False
        set_marker = ("SET", _marker(queue), "1", "NX", "EX", LOST_AFTER // timedelta(seconds=1))
        (is_new,) = self.server.execute([set_marker])
        if not is_new:
            return False
        self.celery.send_task(task, kwargs=arguments, queue=queue, ignore_result=True)
        return True

    def close(self) -> None:
        for part in ("celery", "server"):
            if part in self.__dict__:
                getattr(self, part).close()


def _marker(queue: str) -> str:
    return f"{queue}:hinted"
