"""A replay that somebody waits for: processes of its own beside whatever workers there are."""

import os
from collections.abc import Callable, Sequence

from headwater.app import App
from headwater.backends.sql.replays import Replays
from headwater.liveness import owner_name
from headwater.model.replay import ReplayState
from headwater.settings.settings import Settings
from headwater.worker.loops import DESK_TASKS, Bell, idle_round, work_at_desk
from headwater.worker.occupancy import at_work
from headwater.worker.processes import HORIZON, Crew, Role, keep, run_desk

# Whoever shares the machine comes first.
POLITENESS = 10


def _read_again(settings: Settings, recipes: Sequence[str]) -> None:
    bell = Bell()
    os.nice(POLITENESS)
    desk = App(settings).desk(owner_name("desk"), fetching=False)
    work_at_desk(desk, recipes, lambda: bool(bell), turn=idle_round)


def read_again(app: App, replay: str, watch: Callable[[], None]) -> bool:
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


def replace_documents(app: App, replay: str, watch: Callable[[], None]) -> bool:
    """Until everything that was chosen is replaced, in its stories and delivered; nothing is fetched."""
    rows = Replays(app.store.engine)
    recipe = rows.get(replay)["recipe"]

    def done() -> bool:
        return not _is(rows, replay, ReplayState.APPLYING) and settled(app, recipe)

    ended = _until(app, recipe, run_desk, done, watch)
    app.close_run(recipe)
    return ended


def _until(app: App, recipe: str, role: Role, done: Callable[[], bool], watch: Callable[[], None]) -> bool:
    bell = Bell(child=False)
    crew = Crew(app, [recipe], roles={f"desk-{i + 1}": role for i in range(app.settings.workers)})
    with at_work(app):
        keep(crew, bell, done, watch)
    return not bell


def _is(rows: Replays, replay: str, state: ReplayState) -> bool:
    return bool(rows.get(replay)["state"] == state)


def settled(app: App, recipe: str) -> bool:
    """Whether nothing is left to refine, gather or deliver for a while."""
    soon = app.clock() + HORIZON
    due = app.store.next_due(recipe)
    return all(due[task] > soon for task in DESK_TASKS if task in due)
