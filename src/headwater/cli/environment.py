"""From the global options to an open environment."""

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import typer

from headwater.app import App
from headwater.cli.options import GlobalOptions, global_options
from headwater.cli.render.console import cell, error_console
from headwater.cli.render.messages import error_message
from headwater.documents.embedding.models import nlp_installed
from headwater.model.errors import Refused, Temporary
from headwater.ops.installation_lock import find_move
from headwater.settings.recipes import RecipeSettings, is_by_meaning
from headwater.settings.settings import Settings, read_settings
from headwater.store.write_lock import check_write_lock

LOCK_SECONDS, LOCK_TRIES = 1.0, 60


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


def wait_for_write_lock(app: App, tries: int = LOCK_TRIES) -> None:
    """Another program may hold the lock of the database for a while, for example to copy it: say so, and wait. Temporary if it
    does not let go."""
    for attempt in range(1, tries + 1):
        try:
            return check_write_lock(app.settings.database_url, LOCK_SECONDS)
        except Temporary as error:
            if attempt == tries:
                raise
            if attempt == 1:
                error_console().print(
                    cell(f"headwater: waiting up to {tries * LOCK_SECONDS:g} s: {error.detail}."),
                    soft_wrap=True,
                )
    return None


def answering_app(context: typer.Context) -> App:
    """For a command whose output says itself what was wrong: a warning in the log would say it twice."""
    options = global_options(context)
    settings = settings_from(options)
    if options.log is None and options.log_level is None:
        settings = msgspec.structs.replace(settings, log_level="error")
    return close_with_command(context, App(settings))


def close_with_command(context: typer.Context, app: App) -> App:
    """Close the connections when the command ends."""

    def close() -> None:
        if "engine" in vars(app):
            if sys.exception() is None:
                _warn_if_moved(app)
            app.engine.dispose()

    context.call_on_close(close)
    return app


def _warn_if_moved(app: App) -> None:
    """Data that stayed behind after a move can be read, but it is out of date."""
    with suppress(Temporary):
        if relocation := find_move(app):
            message = f"headwater: {relocation}: the data here may be out of date."
            error_console().print(message, style="yellow", soft_wrap=True)


def report_mistakes(app: App) -> None:
    """For commands that only list what recipes brought: those of the settings that are left out. To load all others, too, would
    take a second."""
    if not app.settings.recipes:
        return
    from headwater.recipes.loader import load_recipes  # noqa: PLC0415 - lists without such recipes do not wait for it

    _report_refusals(load_recipes(app.settings, app.settings.recipes).refusals)


def report_left_out(app: App) -> None:
    """For commands that work with all recipes; who asks for a particular one is refused instead."""
    _report_refusals(app.loaded_recipes.refusals)


def _report_refusals(refusals: Mapping[str, Refused]) -> None:
    for refusal in refusals.values():
        error_console().print(cell(f"headwater: left out: {error_message(refusal)}"), soft_wrap=True)


def report_words_only(app: App, recipe: str) -> None:
    """Stories by words are coarser than people expect of a recipe that groups by meaning."""
    if is_by_meaning(app.settings.recipes, recipe) and not nlp_installed():
        message = "Stories are grouped by words; to group them by meaning: pip install 'headwater[nlp]'"
        error_console().print(message, style="dim", soft_wrap=True, markup=False)


def config_path(options: GlobalOptions) -> Path:
    """Where the settings file is, or would be."""
    return options.config or Path(os.environ.get("HEADWATER_CONFIG") or "headwater.yaml")


def select_recipes(app: App, recipe: str | None) -> Sequence[str]:
    """The named recipe, which must have sources here or be installed; without a name every recipe with sources."""
    present = app.catalogue.recipes()
    if recipe is None:
        return present
    return [recipe] if recipe in present else [app.recipe(recipe).name]


def require_one_recipe(app: App, recipe: str | None) -> str:
    """The named recipe, or the only one with sources."""
    names = select_recipes(app, recipe)
    if not names:
        raise Refused(
            "no_sources", "no recipe has sources yet; add one with `headwater sources add news ADDRESS`"
        )
    if len(names) > 1:
        raise Refused("which_recipe", f"name one recipe with --recipe; there are: {', '.join(names)}")
    return names[0]
