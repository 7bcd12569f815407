"""Everything in one process, in turns: for tests, for tiny jobs, and for finding out what happens step by step."""

import time
from collections.abc import Sequence
from datetime import timedelta

from headwater.engine.desk import Desk
from headwater.engine.engine import Engine
from headwater.engine.network import Network
from headwater.model.work import Job, Task
from headwater.worker.loops import nothing_due, one_round


def run_inline(desk: Desk, recipes: Sequence[str], *, horizon: timedelta, longest: timedelta) -> bool:
    """Work until nothing is due within the horizon; gives False if that took longer than it may."""
    engine = Engine(desk)
    network = Network(desk, [Job(recipe, task) for recipe in recipes for task in (Task.POLL, Task.FETCH)])
    until = time.monotonic() + longest.total_seconds()
    while time.monotonic() < until:
        handled = network.step(timedelta(seconds=0.02))
        handled += one_round(engine, recipes)
        if not handled and not network.waiting:
            soon = desk.clock() + horizon
            if nothing_due(desk.store, recipes, soon):
                return True
            time.sleep(0.02)
    return False
