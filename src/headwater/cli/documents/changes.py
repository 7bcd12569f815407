"""`headwater changes`."""

from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from headwater.cli.environment import open_app
from headwater.cli.options import Json, Since, single_command
from headwater.cli.period import read_period
from headwater.cli.render.console import cell, console, format_count, format_time, print_json
from headwater.model.errors import Refused
from headwater.store.reads.story_reports import find_live_story, story_reports
from headwater.stories.changes import StoryChanges, changes_record, story_changes

DEFAULT_PERIOD = "24h"


def changes(
    context: typer.Context,
    story: Annotated[
        str, typer.Argument(metavar="STORY", help="Id of a story, or the first 8 or more characters of it.")
    ],
    *,
    since: Since = DEFAULT_PERIOD,
    languages: Annotated[
        str,
        typer.Option("--languages", metavar="CODES", help="Languages that you read, the best first: en,de."),
    ] = "en",
    as_json: Json = False,
) -> None:
    """Show what changed in a story, in the last 24 hours or since --since.

    New reports, publishers and languages that joined, and statements that no earlier report has, in a language that you read if there are such reports.
    """
    app = open_app(context)
    period = read_period(app, since or DEFAULT_PERIOD)
    assert period.since is not None
    row = find_live_story(app.engine, story)
    if row is None:
        raise Refused("unknown_story", f"there is no story '{story}'; `headwater top` shows ids")
    changed = story_changes(story_reports(app.engine, row["id"]), period.since, languages.split(","))
    if as_json:
        print_json({"story": row["id"], "title": row["title"], **changes_record(changed)})
        return
    _show(row["title"], changed, console())


def _show(title: str, changed: StoryChanges, out: Console) -> None:
    out.print(cell(title, "bold"))
    reports = format_count(len(changed.new_reports), "new report")
    out.print(
        Text(f"{reports} since {format_time(changed.since)}, {changed.reports_before} before.", style="dim")
    )
    for name, values in (("publishers", changed.new_publishers), ("languages", changed.new_languages)):
        if values:
            out.print(Text.assemble(f"New {name}: ", cell(", ".join(values))), soft_wrap=True)
    for statement in changed.statements:
        out.print(Text.assemble("- ", cell(statement.text)), soft_wrap=True)
    if changed.new_reports and not changed.statements:
        out.print("Nothing that earlier reports had not said.")


app = single_command(changes)
