"""Which queue carries what: one for each task of each recipe, so that fetching, refining and gathering scale apart."""

from collections.abc import Sequence
from dataclasses import dataclass

from headwater.model.errors import Refused
from headwater.model.jobs import IDLE_TASKS, LOCAL_TASKS, NETWORK_TASKS, QUEUED_TASKS, Job, Task

PREFIX = "headwater"
MAINTENANCE_QUEUE = f"{PREFIX}.upkeep"
MAINTENANCE = "upkeep"
QUEUE_WORDS = (*(task.value for task in QUEUED_TASKS), MAINTENANCE)
ALL = "all"


@dataclass(frozen=True, slots=True)
class WorkerRole:
    """What one Celery worker does: on the network one process with many connections, at desks as many as wanted."""

    name: str
    jobs: tuple[Job, ...]
    upkeep: bool
    concurrency: int

    @property
    def queues(self) -> tuple[str, ...]:
        return (*map(queue_name, self.jobs), *((MAINTENANCE_QUEUE,) if self.upkeep else ()))


def queue_name(job: Job) -> str:
    return f"{PREFIX}.{job.recipe}.{job.task.value}"


def worker_roles(queues: str, recipes: Sequence[str], concurrency: int) -> tuple[WorkerRole, ...]:
    """From `fetch,refine` or `all` to the workers that serve them. What waits and what computes never share a
    process."""
    wanted = _words(queues)
    network = _jobs(recipes, [task for task in NETWORK_TASKS if task in wanted])
    desks = _jobs(recipes, [task for task in (*LOCAL_TASKS, *IDLE_TASKS) if task in wanted])
    upkeep = MAINTENANCE in wanted
    found = []
    if network:
        found.append(WorkerRole("network", network, upkeep=False, concurrency=1))
    if desks or upkeep:
        found.append(WorkerRole("desk", desks, upkeep=upkeep, concurrency=concurrency))
    return tuple(found)


def _jobs(recipes: Sequence[str], tasks: Sequence[Task]) -> tuple[Job, ...]:
    """The recipes take turns, so that none waits for all queues of another."""
    return tuple(Job(recipe, task) for task in tasks for recipe in recipes)


def _words(queues: str) -> set[str]:
    words = {word.strip() for word in queues.split(",") if word.strip()}
    if unknown := sorted(words - {ALL, *QUEUE_WORDS}):
        raise Refused(
            "unknown_queue", f"there is no queue '{unknown[0]}'; there are: all, {', '.join(QUEUE_WORDS)}"
        )
    if not words:
        raise Refused("unknown_queue", f"name at least one queue; there are: all, {', '.join(QUEUE_WORDS)}")
    return set(QUEUE_WORDS) if ALL in words else words
