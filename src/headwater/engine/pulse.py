"""A sign of life: long work keeps its leases."""

from headwater.engine.desk import Desk
from headwater.model.work import Task


class Pulse:
    """Prolongs the leases of a task when a third of their time has passed; costs a look at the clock otherwise."""

    def __init__(self, desk: Desk, *tasks: Task) -> None:
        self.desk, self.tasks = desk, tasks
        self.next_at = desk.clock() + desk.patience.lease / 3

    def beat(self) -> None:
        now = self.desk.clock()
        if now < self.next_at:
            return
        for task in self.tasks:
            self.desk.store.renew(task, self.desk.owner, now + self.desk.patience.lease)
        self.next_at = now + self.desk.patience.lease / 3
