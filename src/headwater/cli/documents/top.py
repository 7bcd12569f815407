"""`headwater top`."""

from typing import Any

import typer
from rich.console import Console
from rich.text import Text

from headwater.cli.environment import open_app, report_words_only, require_one_recipe
from headwater.cli.options import (
    Json,
    LanguageFilter,
    Limit,
    RecipeFilter,
    Since,
    SourceFilter,
    Until,
    single_command,
)
from headwater.cli.period import read_period
from headwater.cli.render.console import cell, console, format_count, format_time, print_json, short_id
from headwater.store.reads.top_stories import TopFilter, top_stories

DEFAULT_PERIOD = "24h"


def top(
    context: typer.Context,
    *,
    recipe: RecipeFilter = None,
    since: Since = DEFAULT_PERIOD,
    until: Until = None,
    source: SourceFilter = None,
    language: LanguageFilter = None,
    limit: Limit = 10,
    as_json: Json = False,
) -> None:
    """Show the top stories, of the last 24 hours or since --since, each with its sources.

    A story belongs to the time of its last document, and to every source and language of its documents. They are ordered by score if the recipe sets one, then by number of sources (copies count), size and time.
    """
    app = open_app(context)
    name = require_one_recipe(app, recipe)
    if source:
        app.catalogue.require_source(source, name)
    period = read_period(app, since or DEFAULT_PERIOD, until)
    assert period.since is not None
    top_filter = TopFilter(until=period.until, source=source, language=language)
    stories = top_stories(app.engine, name, period.since, limit, top_filter)
    if as_json:
        print_json({"recipe": name, "since": period.since, "stories": stories})
        return
    report_words_only(app, name)
    out = console()
    for rank, story in enumerate(stories, 1):
        _show(rank, story, out)
    if not stories:
        out.print("No stories in this period.")


def _show(rank: int, story: dict[str, Any], out: Console) -> None:
    out.print(Text.assemble(f"{rank:>3}. ", cell(story["title"], "bold")), no_wrap=True, overflow="ellipsis")
    details = f"     {short_id(story['id'])}, {format_count(story['told_by'], 'source')}, {format_time(story['last_at'])}"
    score = "" if story["score"] is None else f", score {story['score']:.2f}"
    out.print(Text(details + score, style="dim"))
    for reason in (*(f"Last alert: {reason}" for reason in story["alert_reasons"]), *story["score_reasons"]):
        out.print(Text.assemble("     ", cell(reason, "dim")), soft_wrap=True)
    for source in story["sources"]:
        out.print(
            Text.assemble("     ", cell(source["publisher"], "cyan"), "  ", cell(source["url"])),
            soft_wrap=True,
        )


app = single_command(top)
