"""From the global options to an open environment."""

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import typer

from headwater.app import App
from headwater.cli.options import GlobalOptions, global_options
from headwater.cli.render.console import error_console
from headwater.model.errors import Refused, Temporary
from headwater.ops.installation_lock import find_move
from headwater.settings.recipes import RecipeSettings
from headwater.settings.settings import Settings, read_settings
from headwater.settings.times import parse_time


def settings_from(options: GlobalOptions) -> Settings:
    """The settings, overridden by the global options."""
    values = {"data": options.data, "log": options.log, "log_level": options.log_level}
    overrides = {name: value for name, value in values.items() if value is not None}
    return msgspec.structs.replace(read_settings(options.config, env=options.env), **overrides)


def open_app(context: typer.Context) -> App:
    """An environment that exists: a command that only reads must not create one."""
    app = App(settings_from(global_options(context)))
    if not app.settings.database_exists:
        raise Refused(
            "no_database",
            f"there is no database in {app.settings.folder}; create one with `headwater init`, or choose another "
            "folder with --data",
        )
    return close_with_command(context, app)


def make_app(
    context: typer.Context,
    *,
    workers: int | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> App:
    """An environment that is created if it does not exist. `options` of recipes override those of the settings."""
    settings = settings_from(global_options(context))
    if workers:
        settings = msgspec.structs.replace(settings, workers=workers)
    for recipe, overrides in (options or {}).items():
        configured = settings.recipes.get(recipe, RecipeSettings())
        changed = msgspec.structs.replace(configured, options={**configured.options, **overrides})
        settings = msgspec.structs.replace(settings, recipes={**settings.recipes, recipe: changed})
    return close_with_command(context, App(settings))


def close_with_command(context: typer.Context, app: App) -> App:
    """Close the connections when the command ends."""

    def close() -> None:
        if "store" in vars(app):
            if sys.exception() is None:
                _warn_if_moved(app)
            app.store.engine.dispose()

    context.call_on_close(close)
    return app


def _warn_if_moved(app: App) -> None:
    """Data that stayed behind after a move can be read, but it is out of date."""
    with suppress(Temporary):
        if relocation := find_move(app):
            message = f"headwater: {relocation}: the data here may be out of date."
            error_console().print(message, style="yellow", soft_wrap=True)


def config_path(options: GlobalOptions) -> Path:
    """Where the settings file is, or would be."""
    return options.config or Path(os.environ.get("HEADWATER_CONFIG") or "headwater.yaml")


def select_recipes(app: App, recipe: str | None) -> Sequence[str]:
    """The named recipe, which must have sources here or be installed; without a name every recipe with sources."""
    present = app.catalogue.recipes()
    if recipe is None:
        return present
    return [recipe] if recipe in present else [app.recipe(recipe).name]


@dataclass(frozen=True, slots=True)
class Period:
    """From `since` to before `until`; None where it is open."""

    since: datetime | None = None
    until: datetime | None = None


def read_period(app: App, since: str | None, until: str | None = None) -> Period:
    """What --since and --until say. Times without a zone are local, as those that tables show."""
    now = app.clock()
    start = parse_time(since, now, "--since", zone=None) if since else None
    end = parse_time(until, now, "--until", zone=None) if until else None
    if start is not None and start >= (end or now):
        limit = f"--until {until}" if until else "now"
        raise Refused("bad_moment", f"--since {since} is not before {limit}; give an earlier time")
    return Period(start, end)


def require_one_recipe(app: App, recipe: str | None) -> str:
    """The named recipe, or the only one with sources."""
    names = select_recipes(app, recipe)
    if len(names) != 1:
        choices = ", ".join(names) or "none has sources yet"
        raise Refused("which_recipe", f"name one recipe with --recipe; there are: {choices}")
    return names[0]
