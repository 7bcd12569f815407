"""From the options before the verb to an opened installation."""

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import typer

from headwater.app import App
from headwater.cli.options import Options, given
from headwater.cli.output import side_console
from headwater.model.errors import Refused, Temporary
from headwater.settings.settings import RecipeSettings, Settings, read_settings
from headwater.worker.occupancy import lives_elsewhere


def settings_from(options: Options) -> Settings:
    """The settings, with what was said on the command line put over them."""
    said = {"data": options.data, "log": options.log, "log_level": options.log_level}
    chosen = {name: value for name, value in said.items() if value is not None}
    return msgspec.structs.replace(read_settings(options.config, home=options.home), **chosen)


def open_app(context: typer.Context) -> App:
    """An installation that is there already: looking must not make one."""
    app = App(settings_from(given(context)))
    if not is_made(app.settings):
        raise Refused(
            "no_database",
            f"there is no database in {app.settings.folder} yet; make one with `headwater init`, or name another "
            "folder with --data",
        )
    return closing(context, app)


def make_app(
    context: typer.Context,
    *,
    workers: int | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> App:
    """An installation that is made if it is not there. `options` of recipes are put over those of the settings."""
    settings = settings_from(given(context))
    if workers:
        settings = msgspec.structs.replace(settings, workers=workers)
    for recipe, said in (options or {}).items():
        own = settings.recipes.get(recipe, RecipeSettings())
        told = msgspec.structs.replace(own, options={**own.options, **said})
        settings = msgspec.structs.replace(settings, recipes={**settings.recipes, recipe: told})
    return closing(context, App(settings))


def closing(context: typer.Context, app: App) -> App:
    """Its connections end with the verb."""

    def close() -> None:
        if "store" in vars(app):
            if sys.exception() is None:
                _tell_departure(app)
            app.store.engine.dispose()

    context.call_on_close(close)
    return app


def _tell_departure(app: App) -> None:
    """What can still be read here is not what there is."""
    with suppress(Temporary):
        if away := lives_elsewhere(app):
            told = f"headwater: {away}: what is here is as it was then."
            side_console().print(told, style="yellow", soft_wrap=True)


def is_made(settings: Settings) -> bool:
    """Whether there is a database; of a server it is found out by asking it."""
    return settings.database is not None or (settings.folder / "headwater.db").exists()


def config_path(options: Options) -> Path:
    """Where the settings file is, or would be."""
    return options.config or Path(os.environ.get("HEADWATER_CONFIG") or "headwater.yaml")
