"""All tasks in one process, one after the other: for a debugger, for small jobs, and for tests."""

import signal
import time
from collections.abc import Callable, Sequence
from datetime import timedelta

from headwater.app import App
from headwater.engine.context import JobContext
from headwater.engine.engine import Engine
from headwater.engine.network import NetworkLoop
from headwater.liveness import owner_name
from headwater.model.jobs import NETWORK_TASKS, Job
from headwater.ops.installation_lock import release_dead_owners, worker_lock
from headwater.runtime.maintenance import Maintenance
from headwater.runtime.worker_loop import (
    StopCheck,
    StopSignal,
    is_nothing_due,
    never,
    release_leases,
    run_round,
)

STEP_SECONDS = 0.02


def run_in_process(
    app: App, recipes: Sequence[str], *, horizon: timedelta | None, on_tick: Callable[[], None] = lambda: None
) -> None:
    """Like `run_workers`, without other processes. Without a horizon it works until a signal stops it."""
    app.archive.ready()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    stop, maintenance = StopSignal(child=False), Maintenance(app)

    def between() -> None:
        maintenance.run_due()
        on_tick()

    with worker_lock(app):
        release_dead_owners(app)
        context = app.context(owner_name("inline"), fetching=True)
        try:
            run_inline(context, recipes, horizon=horizon, stop=stop.is_set, between=between)
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
            release_leases(context)
            if context.fetcher is not None:
                context.fetcher.close()


def run_inline(
    context: JobContext,
    recipes: Sequence[str],
    *,
    horizon: timedelta | None,
    longest: timedelta = timedelta.max,
    stop: StopCheck = never,
    between: Callable[[], None] = lambda: None,
) -> bool:
    """Work until nothing is due within the horizon. False if it was stopped before, or took longer than `longest`."""
    engine = Engine(context)
    network = NetworkLoop(context, [Job(recipe, task) for recipe in recipes for task in NETWORK_TASKS])
    deadline = time.monotonic() + longest.total_seconds()
    while time.monotonic() < deadline and not stop():
        handled = network.step(timedelta(seconds=STEP_SECONDS))
        handled += run_round(engine, recipes, stop)
        between()
        if not handled and not network.waiting_count:
            if horizon is not None and is_nothing_due(context.store, recipes, context.clock() + horizon):
                return True
            time.sleep(STEP_SECONDS)
    return False
