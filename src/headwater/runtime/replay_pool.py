"""A replay in the foreground: a pool of processes for it, beside the workers that run anyway."""

import os
from collections.abc import Callable, Sequence

from headwater.app import App
from headwater.liveness import owner_name
from headwater.model.jobs import LOCAL_TASKS
from headwater.model.replay import ReplayState
from headwater.ops.installation_lock import worker_lock
from headwater.runtime.heartbeat import heartbeat
from headwater.runtime.worker_loop import StopSignal, run_idle_round, run_local_loop
from headwater.runtime.worker_pool import IDLE_HORIZON, ProcessTarget, WorkerPool, run_local_worker, run_pool
from headwater.settings.settings import Settings
from headwater.store.changes.replays import Replays

# Other processes of the machine come first.
NICENESS = 10


def _replay_worker(settings: Settings, recipes: Sequence[str]) -> None:
    stop = StopSignal()
    os.nice(NICENESS)
    app = App(settings)
    with heartbeat(app, "replay"):
        context = app.context(owner_name("local"), fetching=False)
        run_local_loop(context, recipes, stop.is_set, round_function=run_idle_round)


def run_replay(app: App, replay: str, on_tick: Callable[[], None]) -> bool:
    """Read documents again until the report is complete or the replay was paused or discarded. False if this process was
    told to stop before. Changes no document."""
    rows = app.replays

    def is_done() -> bool:
        return not _is_in_state(rows, replay, ReplayState.RUNNING)

    return _run_until(app, rows.get(replay)["recipe"], _replay_worker, is_done, on_tick)


def replace_replayed(app: App, replay: str, on_tick: Callable[[], None]) -> bool:
    """Work until all chosen documents are replaced, gathered and delivered. False if this process was told to stop before.
    Fetches nothing."""
    rows = app.replays
    recipe = rows.get(replay)["recipe"]

    def is_done() -> bool:
        return not _is_in_state(rows, replay, ReplayState.APPLYING) and is_settled(app, recipe)

    completed = _run_until(app, recipe, run_local_worker, is_done, on_tick)
    app.close_run(recipe)
    return completed


def _run_until(
    app: App, recipe: str, target: ProcessTarget, is_done: Callable[[], bool], on_tick: Callable[[], None]
) -> bool:
    stop = StopSignal(child=False)
    targets = {f"local-{number + 1}": target for number in range(app.settings.workers)}
    with worker_lock(app):
        run_pool(WorkerPool(app, [recipe], targets), stop, is_done, on_tick)
    return not stop.is_set()


def _is_in_state(rows: Replays, replay: str, state: ReplayState) -> bool:
    return bool(rows.get(replay)["state"] == state)


def is_settled(app: App, recipe: str) -> bool:
    """Whether nothing is due soon for refining, gathering or delivering."""
    soon = app.clock() + IDLE_HORIZON
    due = app.store.next_due(recipe)
    return all(due[task] > soon for task in LOCAL_TASKS if task in due)
