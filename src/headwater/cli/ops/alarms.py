"""`headwater alarms`."""

from typing import Annotated

import typer

from headwater.cli.environment import open_app
from headwater.cli.options import Json, OptionalRecipe, command_group
from headwater.cli.render.console import cell, console, format_time, print_json_lines, table
from headwater.model.alarm import Alarm
from headwater.model.errors import Refused
from headwater.model.keys import key
from headwater.model.recipe import Envelope

app = command_group("List alarms; test the notification channels.")


@app.command("list")
def list_alarms(
    context: typer.Context,
    recipe: OptionalRecipe = None,
    *,
    include_cleared: Annotated[
        bool, typer.Option("--all", help="Also alarms that have been cleared.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of alarms, newest first.")] = 50,
    as_json: Json = False,
) -> None:
    """List alarms, newest first."""
    rows = open_app(context).alarms.list_alarms(recipe, past=include_cleared, limit=limit)
    if as_json:
        print_json_lines(rows)
        return
    listing = table("since", "over", "recipe", "what", "detail", flexible="detail")
    listing.expand = True
    for row in rows:
        raised, cleared = format_time(row["raised_at"]), format_time(row["cleared_at"])
        listing.add_row(raised, cleared, cell(row["recipe"]), cell(row["title"]), cell(row["detail"], "dim"))
    console().print(listing if rows else "No alarms.")


@app.command("test")
def test_channel(
    context: typer.Context,
    channel: Annotated[
        str, typer.Argument(metavar="CHANNEL", help="The name of the channel in the setting `notify`.")
    ],
) -> None:
    """Send a test message to a channel and show the answer of the receiver. Nothing is stored."""
    app = open_app(context)
    if channel not in app.channels:
        names = ", ".join(sorted(app.channels)) or "none; add one to the setting `notify`"
        raise Refused("unknown_channel", f"there is no channel '{channel}'; there are: {names}")
    now = app.clock()
    alarm = Alarm(
        id=key("test", channel, now.isoformat()),
        recipe="headwater",
        kind="test",
        subject="",
        title="this is a test",
        detail="This is a test of the channel. Nothing is wrong.",
        raised_at=now,
    )
    (sent,) = app.channels[channel].send([Envelope(key=alarm.id, route=channel, record=alarm, revision=1)])
    console().print(cell(f"Sent on {channel}: {getattr(sent, 'receipt', '') or 'taken'}"))
