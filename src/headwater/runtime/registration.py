"""Which recipes this installation serves, and their lists of sources and subjects: registered at the start, and again when a
file changes."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from structlog.typing import FilteringBoundLogger

from headwater.app import App
from headwater.model.errors import Temporary
from headwater.model.recipe import Recipe
from headwater.recipes.loader import load_recipes
from headwater.settings.settings import Settings

CHECK_SECONDS = 5.0
FileStamp = tuple[int, int]
"""When a file was changed, in nanoseconds, and its size."""


def register_recipe(app: App, recipe: Recipe) -> Sequence[str]:
    """Make the rows agree with the lists of a recipe; returns the names of the sources that left its list and are paused."""
    app.register(recipe)
    return app.store.sync_sources(recipe.name, recipe.sources, app.clock())


def sync_known_recipe(app: App, recipe: Recipe) -> Sequence[str]:
    """Pause sources that left the list and resume those that came back, without adding any; returns the names of the paused
    ones. A list that shares no source with the store belongs to another configuration: nothing changes."""
    stored_ids = {row["id"] for row in app.catalogue.sources(recipe.name)}
    if not any(source.id in stored_ids for source in recipe.sources):
        return []
    return app.store.sync_sources(recipe.name, recipe.sources, app.clock())


def register_served(app: App, requested: Sequence[str] | None = None) -> Mapping[str, Sequence[str]]:
    """Register the requested recipes or, without any, those that the settings name; then all recipes with sources here are
    served. Returns the served recipes, each with the names of its paused sources. A recipe of the settings that is broken
    is left out; Refused if it was requested."""
    named = requested or [name for name in sorted(app.settings.recipes) if name in app.recipes]
    served = {name: register_recipe(app, app.recipe(name)) for name in named}
    if not requested:
        others = [name for name in app.catalogue.recipes() if name in app.recipes and name not in served]
        served |= {name: sync_known_recipe(app, app.recipe(name)) for name in others}
    return dict(sorted(served.items()))


@dataclass
class ListWatch:
    """Notices when the files of sources or subjects that the settings name have changed."""

    settings: Settings
    clock: Callable[[], float] = time.monotonic
    every: float = CHECK_SECONDS
    stamps: dict[Path, FileStamp | None] = field(init=False)
    next_check: float = field(init=False)

    def __post_init__(self) -> None:
        self.stamps, self.next_check = self._read(), self.clock() + self.every

    def has_changed(self) -> bool:
        """Whether a file has changed since this was last asked. Most calls only read the clock."""
        if self.clock() < self.next_check:
            return False
        self.next_check = self.clock() + self.every
        before, self.stamps = self.stamps, self._read()
        return before != self.stamps

    def _read(self) -> dict[Path, FileStamp | None]:
        named = [(recipe.sources, recipe.subjects) for recipe in self.settings.recipes.values()]
        return {Path(name): _stamp(Path(name)) for names in named for name in names if name is not None}


def _stamp(path: Path) -> FileStamp | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def load_changed_recipes(
    settings: Settings, served: Sequence[str], log: FilteringBoundLogger
) -> Mapping[str, Recipe] | None:
    """The recipes with their present lists. None, and a line in the log, while a list is wrong: the old one stays in use."""
    loaded = load_recipes(settings)
    for name in served:
        if refusal := loaded.refusals.get(name):
            log.warning("changed list not used", recipe=name, reason=refusal.reason, detail=refusal.detail)
            return None
    log.info("changed lists are used")
    return loaded.recipes


def register_changes(app: App, served: Sequence[str], watch: ListWatch, log: FilteringBoundLogger) -> bool:
    """Register the lists of these recipes again if a file has changed; returns whether new lists are in use. While the
    database is unavailable the old ones are, and the next call tries again."""
    recipes = load_changed_recipes(app.settings, served, log) if watch.has_changed() else None
    if recipes is None:
        return False
    try:
        for name in served:
            for source in register_recipe(app, recipes[name]):
                log.warning("source paused: no longer in the list", recipe=name, source=source)
    except Temporary as error:
        log.warning("changed list not used", reason=error.reason, detail=error.detail)
        watch.stamps = {}
        return False
    return True
