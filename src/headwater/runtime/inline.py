"""Everything in one process, in turns: for tests, for tiny jobs, and for finding out what happens step by step."""

import time
from collections.abc import Sequence
from datetime import timedelta

from headwater.engine.context import JobContext
from headwater.engine.engine import Engine
from headwater.engine.network import NetworkLoop
from headwater.model.jobs import NETWORK_TASKS, Job
from headwater.runtime.worker_loop import is_nothing_due, run_round


def run_inline(
    context: JobContext, recipes: Sequence[str], *, horizon: timedelta, longest: timedelta
) -> bool:
    """Work until nothing is due within the horizon; gives False if that took longer than it may."""
    engine = Engine(context)
    network = NetworkLoop(context, [Job(recipe, task) for recipe in recipes for task in NETWORK_TASKS])
    until = time.monotonic() + longest.total_seconds()
    while time.monotonic() < until:
        handled = network.step(timedelta(seconds=0.02))
        handled += run_round(engine, recipes)
        if not handled and not network.waiting:
            soon = context.clock() + horizon
            if is_nothing_due(context.store, recipes, soon):
                return True
            time.sleep(0.02)
    return False
