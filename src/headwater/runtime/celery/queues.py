"""The queues: one for each task of each recipe, so that fetching, refining and gathering scale independently."""

from collections.abc import Sequence
from dataclasses import dataclass

from headwater.model.errors import Refused
from headwater.model.jobs import IDLE_TASKS, LOCAL_TASKS, NETWORK_TASKS, QUEUED_TASKS, Job, Task

PREFIX = "headwater"
MAINTENANCE = "maintenance"
MAINTENANCE_QUEUE = f"{PREFIX}.{MAINTENANCE}"
QUEUE_WORDS = (*(task.value for task in QUEUED_TASKS), MAINTENANCE)
ALL = "all"


@dataclass(frozen=True, slots=True)
class WorkerRole:
    """The work of one Celery worker. A network worker is one process with many connections; a local worker has
    `concurrency` processes."""

    name: str
    jobs: tuple[Job, ...]
    maintenance: bool
    concurrency: int

    @property
    def queues(self) -> tuple[str, ...]:
        return (*map(queue_name, self.jobs), *((MAINTENANCE_QUEUE,) if self.maintenance else ()))


def queue_name(job: Job) -> str:
    return f"{PREFIX}.{job.recipe}.{job.task.value}"


def worker_roles(queues: str, recipes: Sequence[str], concurrency: int) -> tuple[WorkerRole, ...]:
    """The workers for `fetch,refine` or `all`. Work that waits for the network and work that computes never share a
    process."""
    words = _parse_words(queues)
    network_jobs = _jobs(recipes, [task for task in NETWORK_TASKS if task in words])
    local_jobs = _jobs(recipes, [task for task in (*LOCAL_TASKS, *IDLE_TASKS) if task in words])
    maintenance = MAINTENANCE in words
    roles = []
    if network_jobs:
        roles.append(WorkerRole("network", network_jobs, maintenance=False, concurrency=1))
    if local_jobs or maintenance:
        roles.append(WorkerRole("local", local_jobs, maintenance=maintenance, concurrency=concurrency))
    return tuple(roles)


def _jobs(recipes: Sequence[str], tasks: Sequence[Task]) -> tuple[Job, ...]:
    """Ordered by task, so that no recipe waits for all queues of another."""
    return tuple(Job(recipe, task) for task in tasks for recipe in recipes)


def _parse_words(queues: str) -> set[str]:
    words = {word.strip() for word in queues.split(",") if word.strip()}
    choices = f"choose from: {ALL}, {', '.join(QUEUE_WORDS)}"
    if unknown := sorted(words - {ALL, *QUEUE_WORDS}):
        raise Refused("unknown_queue", f"unknown queue '{unknown[0]}'; {choices}")
    if not words:
        raise Refused("unknown_queue", f"no queue named; {choices}")
    return set(QUEUE_WORDS) if ALL in words else words
