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
from headwater.cli.options import GlobalOptions, global_options
from headwater.cli.render.console import error_console
from headwater.model.errors import Refused, Temporary
from headwater.ops.installation_lock import find_move
from headwater.settings.settings import RecipeSettings, Settings, read_settings


def settings_from(options: GlobalOptions) -> Settings:
    """The settings, with what was said on the command line put over them."""
    said = {"data": options.data, "log": options.log, "log_level": options.log_level}
    chosen = {name: value for name, value in said.items() if value is not None}
    return msgspec.structs.replace(read_settings(options.config, env=options.env), **chosen)


def open_app(context: typer.Context) -> App:
    """An installation that is there already: looking must not make one."""
    app = App(settings_from(global_options(context)))
    if not database_exists(app.settings):
        raise Refused(
            "no_database",
            f"there is no database in {app.settings.folder} yet; make one with `headwater init`, or name another "
            "folder with --data",
        )
    return close_with_command(context, app)


def make_app(
    context: typer.Context,
    *,
    workers: int | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> App:
    """An installation that is made if it is not there. `options` of recipes are put over those of the settings."""
    settings = settings_from(global_options(context))
    if workers:
        settings = msgspec.structs.replace(settings, workers=workers)
    for recipe, said in (options or {}).items():
        own = settings.recipes.get(recipe, RecipeSettings())
        told = msgspec.structs.replace(own, options={**own.options, **said})
        settings = msgspec.structs.replace(settings, recipes={**settings.recipes, recipe: told})
    return close_with_command(context, App(settings))


def close_with_command(context: typer.Context, app: App) -> App:
    """Its connections end with the verb."""

    def close() -> None:
        if "store" in vars(app):
            if sys.exception() is None:
                _warn_moved(app)
            app.store.engine.dispose()

    context.call_on_close(close)
    return app


def _warn_moved(app: App) -> None:
    """What can still be read here is not what there is."""
    with suppress(Temporary):
        if away := find_move(app):
            told = f"headwater: {away}: what is here is as it was then."
            error_console().print(told, style="yellow", soft_wrap=True)


def database_exists(settings: Settings) -> bool:
    """Whether there is a database; of a server it is found out by asking it."""
    return settings.database is not None or (settings.folder / "headwater.db").exists()


def config_path(options: GlobalOptions) -> Path:
    """Where the settings file is, or would be."""
    return options.config or Path(os.environ.get("HEADWATER_CONFIG") or "headwater.yaml")
