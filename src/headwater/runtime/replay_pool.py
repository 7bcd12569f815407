"""A replay that somebody waits for: processes of its own beside whatever workers there are."""

import os
from collections.abc import Callable, Sequence

from headwater.app import App
from headwater.liveness import owner_name
from headwater.model.jobs import LOCAL_TASKS
from headwater.model.replay import ReplayState
from headwater.ops.installation_lock import worker_lock
from headwater.runtime.worker_loop import StopSignal, run_idle_round, run_local_loop
from headwater.runtime.worker_pool import HORIZON, ProcessTarget, WorkerPool, run_local_worker, run_pool
from headwater.settings.settings import Settings
from headwater.store.admin.replays import Replays

# Whoever shares the machine comes first.
NICENESS = 10


def _read_again(settings: Settings, recipes: Sequence[str]) -> None:
    bell = StopSignal()
    os.nice(NICENESS)
    context = App(settings).context(owner_name("desk"), fetching=False)
    run_local_loop(context, recipes, lambda: bool(bell), turn=run_idle_round)


def run_replay(app: App, replay: str, watch: Callable[[], None]) -> bool:
    """Until the report is whole, or somebody paused or discarded it, or this process is told to stop; gives whether the
    replay has come to its end. Nothing but reading is done."""
    rows = Replays(app.store.engine)
    return _until(
        app,
        rows.get(replay)["recipe"],
        _read_again,
        lambda: not _is(rows, replay, ReplayState.RUNNING),
        watch,
    )


def replace_replayed(app: App, replay: str, watch: Callable[[], None]) -> bool:
    """Until everything that was chosen is replaced, in its stories and delivered; nothing is fetched."""
    rows = Replays(app.store.engine)
    recipe = rows.get(replay)["recipe"]

    def done() -> bool:
        return not _is(rows, replay, ReplayState.APPLYING) and is_settled(app, recipe)

    ended = _until(app, recipe, run_local_worker, done, watch)
    app.close_run(recipe)
    return ended


def _until(
    app: App, recipe: str, role: ProcessTarget, done: Callable[[], bool], watch: Callable[[], None]
) -> bool:
    bell = StopSignal(child=False)
    crew = WorkerPool(app, [recipe], roles={f"desk-{i + 1}": role for i in range(app.settings.workers)})
    with worker_lock(app):
        run_pool(crew, bell, done, watch)
    return not bell


def _is(rows: Replays, replay: str, state: ReplayState) -> bool:
    return bool(rows.get(replay)["state"] == state)


def is_settled(app: App, recipe: str) -> bool:
    """Whether nothing is left to refine, gather or deliver for a while."""
    soon = app.clock() + HORIZON
    due = app.store.next_due(recipe)
    return all(due[task] > soon for task in LOCAL_TASKS if task in due)
