"""Tasks in one process, one after the other: for a debugger, for small jobs, for a single task, and for tests."""

import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from headwater.app import App
from headwater.engine.context import JobContext
from headwater.engine.engine import Engine
from headwater.engine.network import NetworkLoop
from headwater.liveness import owner_name
from headwater.model.jobs import LOCAL_TASKS, NETWORK_TASKS, RUN_TASKS, Task
from headwater.ops.installation_lock import release_dead_owners, worker_lock
from headwater.runtime.maintenance import Maintenance
from headwater.runtime.worker_loop import (
    StopCheck,
    StopSignal,
    is_nothing_due,
    jobs_of,
    release_leases,
    run_idle_round,
    run_tasks,
)
from headwater.runtime.worker_pool import is_installation_idle

STEP_SECONDS = 0.02


def run_in_process(
    app: App,
    recipes: Sequence[str],
    *,
    until_idle: bool,
    pass_began: datetime | None = None,
    on_tick: Callable[[], None] = lambda: None,
    tasks: Sequence[Task] = RUN_TASKS,
) -> bool:
    """Like `run_workers`, without other processes. With fewer `tasks` the rows of the others stay as they are, and there is no
    maintenance."""
    app.archive.ready()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    stop, maintenance = StopSignal(child=False), Maintenance(app)

    def between() -> None:
        if tasks == RUN_TASKS:
            maintenance.run_due()
        on_tick()

    def is_idle() -> bool:
        return until_idle and is_installation_idle(app, recipes, pass_began=pass_began, tasks=tasks)

    with worker_lock(app):
        release_dead_owners(app)
        context = replace(app.context(owner_name("inline"), fetching=True), pass_began=pass_began)
        try:
            _work(context, recipes, is_idle, stop.is_set, between, tasks=tasks)
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
            release_leases(context)
            if context.fetcher is not None:
                context.fetcher.close()
    return not stop.is_set()


def run_inline(
    context: JobContext, recipes: Sequence[str], *, horizon: timedelta, longest: timedelta
) -> bool:
    """Work until nothing is due within the horizon. False if that took longer than `longest`."""
    deadline = time.monotonic() + longest.total_seconds()
    return _work(
        context,
        recipes,
        is_idle=lambda: is_nothing_due(
            context.store, recipes, context.clock() + horizon, pass_began=context.pass_began
        ),
        stop=lambda: time.monotonic() >= deadline,
    )


def _work(
    context: JobContext,
    recipes: Sequence[str],
    is_idle: Callable[[], bool],
    stop: StopCheck,
    between: Callable[[], None] = lambda: None,
    *,
    tasks: Sequence[Task] = RUN_TASKS,
) -> bool:
    """Whether it became idle before it was told to stop."""
    engine = Engine(context)
    network = NetworkLoop(context, jobs_of(recipes, [task for task in NETWORK_TASKS if task in tasks]))
    local_tasks = [task for task in LOCAL_TASKS if task in tasks]
    while not stop():
        handled = network.step(timedelta(seconds=STEP_SECONDS))
        handled += run_tasks(engine, recipes, local_tasks)
        if not handled and tasks == RUN_TASKS:
            handled += run_idle_round(engine, recipes)
        between()
        if not handled and not network.waiting_count:
            if is_idle():
                return True
            time.sleep(STEP_SECONDS)
    return False
