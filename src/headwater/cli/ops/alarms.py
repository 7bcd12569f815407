"""`headwater alarms`."""

from typing import Annotated

import typer

from headwater.cli.environment import open_app, select_recipes
from headwater.cli.options import Json, Limit, RecipeFilter, Since, Until, command_group
from headwater.cli.period import read_period
from headwater.cli.render.console import cell, console, format_relative, print_json_lines, table, time_column
from headwater.model.alarm import Alarm
from headwater.model.errors import Refused
from headwater.model.keys import key
from headwater.model.outcomes import PartlySent, Sent
from headwater.model.recipe import Envelope
from headwater.settings.channel_sinks import unusable_sinks

TITLE_WIDTH, RECIPE_WIDTH = 28, 12
app = command_group("List and acknowledge alarms; test the notification channels.")


@app.command("list")
def list_alarms(
    context: typer.Context,
    *,
    recipe: RecipeFilter = None,
    since: Since = None,
    until: Until = None,
    include_cleared: Annotated[
        bool, typer.Option("--all", help="Also alarms that have been cleared.")
    ] = False,
    limit: Limit = 50,
    as_json: Json = False,
) -> None:
    """List alarms, newest first."""
    app = open_app(context)
    if recipe:
        select_recipes(app, recipe)
    period = read_period(app, since, until)
    rows = app.alarms.list_alarms(
        recipe, past=include_cleared, limit=limit, since=period.since, until=period.until
    )
    if as_json:
        print_json_lines(rows)
        return
    head, times = time_column("since", [row["raised_at"] for row in rows])
    heads = [head, *(["cleared"] if include_cleared else []), "recipe", "what", "detail"]
    listing = table(*heads, flexible="detail", widths={"what": TITLE_WIDTH, "recipe": RECIPE_WIDTH})
    now = app.clock()
    for row, raised in zip(rows, times, strict=True):
        cleared = [format_relative(row["cleared_at"], now)] if include_cleared else []
        listing.add_row(raised, *cleared, cell(row["recipe"]), cell(row["title"]), cell(row["detail"], "dim"))
    console().print(listing if rows else "No alarms.")


@app.command("acknowledge")
def acknowledge_alarm(
    context: typer.Context,
    alarm: Annotated[
        str, typer.Argument(metavar="ID", help="The id of an alarm, as `alarms list --json` shows it.")
    ],
) -> None:
    """Note that a person has seen an alarm. It stays open until its problem ends."""
    app = open_app(context)
    row = app.alarms.acknowledge(alarm, app.clock())
    console().print(cell(f"Acknowledged: {row['title']}."))


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
    if problem := unusable_sinks(app.channels).get(channel):
        raise Refused("bad_config", problem)
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
    if isinstance(sent, PartlySent):
        console().print(
            cell(f"Not sent to everyone on {channel}: {sent.detail or sent.reason}"), soft_wrap=True
        )
        raise typer.Exit(1)
    receipt = sent.receipt if isinstance(sent, Sent) else ""
    console().print(cell(f"Sent on {channel}: {receipt or 'taken'}"), soft_wrap=True)
