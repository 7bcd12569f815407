"""`headwater quarantine`."""

from typing import Annotated, Any

import typer
from rich.table import Table

from headwater.cli.environment import open_app, select_recipes
from headwater.cli.options import Json, OptionalLimit, RecipeFilter, Since, Until, command_group
from headwater.cli.period import read_period
from headwater.cli.render.console import (
    card,
    cell,
    console,
    format_count,
    format_relative,
    format_time,
    print_json,
    print_json_lines,
    short_id,
    table,
)
from headwater.model.errors import Refused
from headwater.text.redaction import redact_record

app = command_group("Show quarantined records; retry or drop them.")
REASON_WIDTH = 24
Keys = Annotated[
    list[str] | None, typer.Argument(metavar="KEY", help="Keys, or the first 8 or more characters of them.")
]


@app.command("list")
def list_records(
    context: typer.Context,
    *,
    recipe: RecipeFilter = None,
    since: Since = None,
    until: Until = None,
    limit: OptionalLimit = None,
    as_json: Json = False,
) -> None:
    """List the quarantined records, oldest first."""
    app = open_app(context)
    if recipe:
        select_recipes(app, recipe)
    period = read_period(app, since, until)
    rows = app.catalogue.quarantine(recipe, since=period.since, until=period.until, limit=limit)
    if as_json:
        print_json_lines(redact_record(rows))
        return
    listing = table(
        "key",
        "recipe",
        "task",
        "reason",
        "detail",
        "since",
        flexible="detail",
        widths={"reason": REASON_WIDTH},
    )
    for row in rows:
        listing.add_row(
            cell(short_id(row["record_id"]), "cyan"),
            cell(row["recipe"]),
            cell(row["task"]),
            cell(row["reason"], "yellow"),
            cell(row["detail"], "dim"),
            format_relative(row["created_at"], app.clock()),
        )
    console().print(listing if rows else "The quarantine is empty.")


@app.command("show")
def show_record(
    context: typer.Context,
    key: Annotated[
        str, typer.Argument(metavar="KEY", help="A key, or the first 8 or more characters of it.")
    ],
    as_json: Json = False,
) -> None:
    """Show why a record was quarantined."""
    record = open_app(context).catalogue.quarantined_record(key)
    if record is None:
        raise _not_quarantined([key])
    if as_json:
        print_json(redact_record(record))
        return
    out = console()
    out.print(_card(record))
    out.print(f"\nRetry:   headwater quarantine retry {short_id(record['record_id'])}", soft_wrap=True)
    out.print(f"History: headwater explain {short_id(record['record_id'])}", soft_wrap=True)


@app.command("retry")
def retry_records(
    context: typer.Context, keys: Keys = None, recipe: RecipeFilter = None, as_json: Json = False
) -> None:
    """Retry records, these or with --recipe all of a recipe: they are due at once, and their attempts start from zero."""
    _choose(keys, recipe)
    app = open_app(context)
    count = app.operations.retry(keys, recipe, app.clock())
    _report(count, keys, "due again; a worker will process them", as_json=as_json)


@app.command("drop")
def drop_records(
    context: typer.Context, keys: Keys = None, recipe: RecipeFilter = None, as_json: Json = False
) -> None:
    """Drop records for good, these or with --recipe all of a recipe. The reason is kept, marked as your decision."""
    _choose(keys, recipe)
    app = open_app(context)
    count = app.operations.drop(keys, recipe)
    _report(count, keys, "dropped", as_json=as_json)


def _choose(keys: list[str] | None, recipe: str | None) -> None:
    if bool(keys) == bool(recipe):
        raise typer.BadParameter("give either keys or --recipe RECIPE")


def _report(count: int, keys: list[str] | None, outcome: str, *, as_json: bool) -> None:
    if keys and not count:
        raise _not_quarantined(keys)
    if as_json:
        print_json({"count": count})
    else:
        console().print(f"{format_count(count, 'record')} {outcome}.")


def _not_quarantined(keys: list[str]) -> Refused:
    quoted = ", ".join(f"'{key}'" for key in keys)
    return Refused(
        "not_quarantined",
        f"no quarantined record begins with {quoted}; list them with `headwater quarantine list`, and give at least 8 characters",
    )


def _card(record: dict[str, Any]) -> Table:
    names = ("record_id", "recipe", "task", "state", "reason", "detail", "attempts")
    fields = {name.replace("_", " "): record[name] for name in names}
    return card({**fields, "since": format_time(record["created_at"]), **record["evidence"]})
