"""One job: claim its rows, do the work, commit everything in one transaction."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from headwater.engine.deliver import deliver
from headwater.engine.desk import Desk
from headwater.engine.gather import gather
from headwater.engine.network import Network
from headwater.engine.refine import refine
from headwater.engine.replay import replay
from headwater.model.work import Job, Task

Work = Callable[[Desk, Job], int]
DESK_WORK: Mapping[Task, Work] = {
    Task.REFINE: refine,
    Task.GATHER: gather,
    Task.DELIVER: deliver,
    Task.REPLAY: replay,
}


@dataclass(frozen=True)
class Engine:
    """Does jobs. Knows no recipe, no backend and no schedule of its own: all of that is on its desk."""

    desk: Desk
    works: Mapping[Task, Work] = field(default_factory=lambda: DESK_WORK)

    def run(self, job: Job) -> int:
        """Do one job to its end; gives how many records it handled. Safe to repeat, safe to kill."""
        if job.task in self.works:
            return self.works[job.task](self.desk, job)
        network = Network(self.desk, (job,))
        handled = network.step(timedelta(0))
        while network.waiting or network.uncommitted:
            handled += network.step(timedelta(seconds=1), claiming=False)
        return handled
