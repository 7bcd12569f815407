"""One job: claim its rows, do the work, commit everything in one transaction."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from structlog.contextvars import bound_contextvars

from headwater.engine.blas_threads import one_blas_thread
from headwater.engine.context import JobContext
from headwater.engine.deliver import deliver
from headwater.engine.gather import gather
from headwater.engine.network import NetworkLoop
from headwater.engine.refine import refine
from headwater.engine.replay import replay
from headwater.engine.summarize import summarize
from headwater.model.jobs import Job, Task

JobFunction = Callable[[JobContext, Job], int]
JOB_FUNCTIONS: Mapping[Task, JobFunction] = {
    Task.REFINE: refine,
    Task.GATHER: gather,
    Task.DELIVER: deliver,
    Task.REPLAY: replay,
    Task.SUMMARIZE: summarize,
}


@dataclass(frozen=True)
class Engine:
    """Runs jobs. It knows no recipe, no backend and no schedule: all of that is in its context."""

    context: JobContext
    functions: Mapping[Task, JobFunction] = field(default_factory=lambda: JOB_FUNCTIONS)

    def run(self, job: Job) -> int:
        """Runs one job to its end and returns how many records it handled. Safe to repeat, safe to kill. Whatever is logged
        meanwhile, by whichever part, names recipe and job."""
        with bound_contextvars(recipe=job.recipe, job=job.task.value), one_blas_thread():
            return self._run(job)

    def _run(self, job: Job) -> int:
        if job.task in self.functions:
            return self.functions[job.task](self.context, job)
        network = NetworkLoop(self.context, (job,))
        handled = network.step(timedelta(0))
        while network.waiting_count or network.uncommitted_count:
            handled += network.step(timedelta(seconds=1), claiming=False)
        return handled
