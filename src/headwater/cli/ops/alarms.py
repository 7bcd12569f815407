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
from headwater.ops.alarms.alarm_store import AlarmStore

app = command_group("List alarms, and try the channels on which they are told.")


@app.command("list")
def list_alarms(
    context: typer.Context,
    recipe: OptionalRecipe = None,
    *,
    past: Annotated[bool, typer.Option("--all", help="Also those that are over.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="At most so many, newest first.")] = 50,
    as_json: Json = False,
) -> None:
    """List alarms, newest first."""
    found = AlarmStore(open_app(context).store.engine).list_alarms(recipe, past=past, limit=limit)
    if as_json:
        print_json_lines(found)
        return
    made = table("since", "over", "recipe", "what", "detail", flexible="detail")
    made.expand = True
    for row in found:
        since, over = format_time(row["raised_at"]), format_time(row["cleared_at"])
        made.add_row(since, over, cell(row["recipe"]), cell(row["title"]), cell(row["detail"], "dim"))
    console().print(made if found else "No alarms.")


@app.command("test")
def try_channel(
    context: typer.Context,
    channel: Annotated[str, typer.Argument(metavar="CHANNEL", help="Its name in the setting `notify`.")],
) -> None:
    """Send a test message on a channel, at once and without a row; tells what the receiver answered."""
    app = open_app(context)
    if channel not in app.channels:
        known = ", ".join(sorted(app.channels)) or "none; add one to the setting `notify`"
        raise Refused("unknown_channel", f"there is no channel '{channel}'; there are: {known}")
    now = app.clock()
    alarm = Alarm(
        id=key("test", channel, now.isoformat()),
        recipe="headwater",
        kind="test",
        subject="",
        title="this is a test",
        detail="Nothing is wrong. Somebody tried this channel.",
        raised_at=now,
    )
    (answer,) = app.channels[channel].send([Envelope(key=alarm.id, route=channel, record=alarm, revision=1)])
    console().print(cell(f"Sent on {channel}: {getattr(answer, 'receipt', '') or 'taken'}"))
