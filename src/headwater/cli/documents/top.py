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
    hours: Annotated[float, typer.Option(min=0.1, max=100_000, help="How many hours to look back.")] = 24,
    limit: Annotated[int, typer.Option(min=1, max=1_000, help="Maximum number of stories.")] = 10,
    as_json: Json = False,
) -> None:
    """Show the top stories of the last hours, each with its sources.

    They are ordered by score if the recipe sets one, then by number of sources (copies count), size and time.
    """
    app = open_app(context)
    name = require_one_recipe(app, recipe)
    since = app.clock() - timedelta(hours=hours)
    stories = top_stories(app.store.engine, name, since, limit)
    if as_json:
        print_json({"recipe": name, "since": since, "stories": stories})
        return
    out = console()
    for rank, story in enumerate(stories, 1):
        _show(rank, story, out)
    if not stories:
        out.print("No stories in this period.")


def _show(rank: int, story: dict[str, Any], out: Console) -> None:
    out.print(Text.assemble(f"{rank:>3}. ", cell(story["title"], "bold")))
    details = f"     {format_count(story['told_by'], 'source')}, {format_time(story['last_at'])}"
    out.print(Text(details, style="dim"))
    for source in story["sources"]:
        out.print(
            Text.assemble("     ", cell(source["publisher"], "cyan"), "  ", cell(source["url"])),
            soft_wrap=True,
        )


app = single_command(top)
