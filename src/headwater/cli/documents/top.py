"""`headwater top`."""

from datetime import timedelta
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from headwater.cli.environment import open_app, require_one_recipe
from headwater.cli.options import Json, OptionalRecipe, single_command
from headwater.cli.render.console import cell, console, format_count, format_time, print_json
from headwater.store.reads.top_stories import top_stories


def top(
    context: typer.Context,
    recipe: OptionalRecipe = None,
    *,
    hours: Annotated[float, typer.Option(min=0.1, max=100_000, help="Look back so many hours.")] = 24,
    limit: Annotated[int, typer.Option(min=1, max=1_000, help="At most so many stories.")] = 10,
    as_json: Json = False,
) -> None:
    """Show the top stories of the last hours, each with its sources; ready for a newsletter.

    The order: score where the recipe gives one, then how many sources tell it (copies count), size, freshness.
    """
    app = open_app(context)
    name = require_one_recipe(app, recipe)
    since = app.clock() - timedelta(hours=hours)
    found = top_stories(app.store.engine, name, since, limit)
    if as_json:
        print_json({"recipe": name, "since": since, "stories": found})
        return
    out = console()
    for place, story in enumerate(found, 1):
        _show(place, story, out)
    if not found:
        out.print("No stories in that time.")


def _show(place: int, story: dict[str, Any], out: Console) -> None:
    out.print(Text.assemble(f"{place:>3}. ", cell(story["title"], "bold")))
    told = f"     {format_count(story['told_by'], 'source')}, {format_time(story['last_at'])}"
    out.print(Text(told, style="dim"))
    for teller in story["sources"]:
        out.print(
            Text.assemble("     ", cell(teller["publisher"], "cyan"), "  ", cell(teller["url"])),
            soft_wrap=True,
        )


app = single_command(top)
