"""Messages that say "there is work of this kind". Rows are the truth: a hint may be lost, doubled or late."""

from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property

from headwater.model.jobs import Job
from headwater.redis_client import RedisClient
from headwater.runtime.celery.broker import MAINTENANCE_TASK, WORK_TASK, Celery, celery_for
from headwater.runtime.celery.queues import MAINTENANCE_QUEUE, queue_name

# A hint of which nothing was heard for so long is lost: another one is sent, unless it is seen in its queue.
LOST_AFTER = timedelta(seconds=5)
# A hint that was taken is not followed by another of its kind before this.
SPACING = timedelta(seconds=1)


@dataclass(frozen=True)
class HintSender:
    """Sends hints, no more than one of a kind that nobody has taken yet."""

    address: str = field(repr=False)

    @cached_property
    def celery(self) -> Celery:
        return celery_for(self.address)

    @cached_property
    def server(self) -> RedisClient:
        return RedisClient(self.address)

    def send(self, job: Job) -> bool:
        """Whether one was sent."""
        return self._send(queue_name(job), WORK_TASK, {"recipe": job.recipe, "task": job.task.value})

    def send_maintenance(self) -> bool:
        return self._send(MAINTENANCE_QUEUE, MAINTENANCE_TASK, {})

    def taken(self, queue: str) -> None:
        """A worker has it: the next one may follow soon."""
        self.server.ask([("PEXPIRE", _mark(queue), SPACING // timedelta(milliseconds=1))])

    def _send(self, queue: str, task: str, told: dict[str, str]) -> bool:
        (waiting,) = self.server.ask([("LLEN", queue)])
        if waiting:  # without a mark, for whoever takes it may not understand it
            return False
        mark = ("SET", _mark(queue), "1", "NX", "EX", LOST_AFTER // timedelta(seconds=1))
        (marked,) = self.server.ask([mark])
        if not marked:
            return False
        self.celery.send_task(task, kwargs=told, queue=queue, ignore_result=True)
        return True

    def close(self) -> None:
        for part in ("celery", "server"):
            if part in self.__dict__:
                getattr(self, part).close()


def _mark(queue: str) -> str:
    return f"{queue}:hinted"
