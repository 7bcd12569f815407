"""All tasks in one process, one after the other: for tests, for small jobs, and to follow a run step by step."""

import time
from collections.abc import Sequence
from datetime import timedelta

from headwater.engine.context import JobContext
from headwater.engine.engine import Engine
from headwater.engine.network import NetworkLoop
from headwater.model.jobs import NETWORK_TASKS, Job
from headwater.runtime.worker_loop import is_nothing_due, run_round

STEP_SECONDS = 0.02


def run_inline(
    context: JobContext, recipes: Sequence[str], *, horizon: timedelta, longest: timedelta
) -> bool:
    """Work until nothing is due within the horizon. False if that took longer than `longest`."""
    engine = Engine(context)
    network = NetworkLoop(context, [Job(recipe, task) for recipe in recipes for task in NETWORK_TASKS])
    deadline = time.monotonic() + longest.total_seconds()
    while time.monotonic() < deadline:
        handled = network.step(timedelta(seconds=STEP_SECONDS))
        handled += run_round(engine, recipes)
        if not handled and not network.waiting_count:
            if is_nothing_due(context.store, recipes, context.clock() + horizon):
                return True
            time.sleep(STEP_SECONDS)
    return False
