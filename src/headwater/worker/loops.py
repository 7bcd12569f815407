"""What a worker process does all day: claim, work, commit; rest when there is nothing; stop when told."""

import os
import signal
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from types import FrameType

from headwater.engine.desk import Desk
from headwater.engine.engine import Engine
from headwater.engine.network import Network
from headwater.model.errors import Temporary
from headwater.model.work import Job, Task

SHORTEST_REST, LONGEST_REST = 0.02, 0.5
TROUBLE_REST = 2.0
GRACE = 10.0
DESK_TASKS = (Task.REFINE, Task.GATHER, Task.DELIVER)


class Bell:
    """Rings when the process is to stop: on SIGTERM or SIGINT, or when its parent is gone."""

    def __init__(self) -> None:
        self.parent = os.getppid()
        self.rung = False
        signal.signal(signal.SIGTERM, self._ring)
        signal.signal(signal.SIGINT, self._ring)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self.rung = True

    def __bool__(self) -> bool:
        return self.rung or os.getppid() != self.parent


def work_at_desk(desk: Desk, recipes: Sequence[str], stop: Callable[[], bool]) -> None:
    """Refine, gather and deliver until told to stop."""
    engine = Engine(desk)
    rest = SHORTEST_REST

    def run(job: Job) -> int:
        # Whatever is leased here was left by trouble: between two jobs a desk holds nothing.
        if troubled:
            desk.store.release([desk.owner], counts=False)
            troubled.clear()
        return engine.run(job)

    troubled: list[Temporary] = []
    while not stop():
        handled = 0
        for recipe in recipes:
            for task in DESK_TASKS:
                if not stop():
                    handled += _guarded(desk, partial(run, Job(recipe, task)), troubled)
        rest = SHORTEST_REST if handled else min(rest * 2, LONGEST_REST)
        if not handled:
            time.sleep(rest)
    desk.store.release([desk.owner], counts=False)


def work_on_network(desk: Desk, recipes: Sequence[str], stop: Callable[[], bool]) -> None:
    """Poll and fetch until told to stop; then let what is under way end, for a while, and give back the rest."""
    jobs = [Job(recipe, task) for recipe in recipes for task in (Task.POLL, Task.FETCH)]
    network = Network(desk, jobs)
    rest = SHORTEST_REST
    while not stop():
        handled = _guarded(desk, lambda: network.step(timedelta(seconds=0.05)), [])
        rest = SHORTEST_REST if handled or network.waiting else min(rest * 2, LONGEST_REST)
        if not handled and not network.waiting:
            time.sleep(rest)
    until = time.monotonic() + GRACE
    while (network.waiting or network.uncommitted) and time.monotonic() < until:
        _guarded(desk, lambda: network.step(timedelta(seconds=0.2), claiming=False), [])
    desk.store.release([desk.owner], counts=False)
    if desk.fetcher is not None:
        desk.fetcher.close()


def _guarded(desk: Desk, work: Callable[[], int], troubles: list[Temporary]) -> int:
    """Trouble with the ground we stand on (disk, database, archive) is waited out; nothing is given up for it."""
    try:
        return work()
    except Temporary as trouble:
        troubles.append(trouble)
        desk.log.warning("waiting", reason=trouble.reason, detail=trouble.detail)
        time.sleep(TROUBLE_REST)
        return 0
