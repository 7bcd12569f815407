"""`headwater quarantine`."""

from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from headwater.cli.environment import open_app
from headwater.cli.options import Json, OptionalRecipe, command_group
from headwater.cli.render.console import (
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

app = command_group("Look at records that were set apart; send them again or end them.")
Keys = Annotated[
    list[str] | None, typer.Argument(metavar="KEY", help="Keys, or beginnings of 8 letters or more.")
]
AllOf = Annotated[str | None, typer.Option("--all", metavar="RECIPE", help="Every record of this recipe.")]


@app.command("list")
def list_records(context: typer.Context, recipe: OptionalRecipe = None, as_json: Json = False) -> None:
    """List the records that were set apart, oldest first."""
    app = open_app(context)
    found = app.catalogue.quarantine(recipe)
    if as_json:
        print_json_lines(found)
        return
    made = table("key", "recipe", "task", "reason", "detail", "since", flexible="detail")
    made.expand = True
    for row in found:
        made.add_row(
            cell(short_id(row["record_id"]), "cyan"),
            cell(row["recipe"]),
            cell(row["task"]),
            cell(row["reason"], "yellow"),
            cell(row["detail"], "dim"),
            format_relative(row["created_at"], app.clock()),
        )
    console().print(made if found else "The quarantine is empty.")


@app.command("show")
def show_record(
    context: typer.Context,
    key: Annotated[str, typer.Argument(metavar="KEY", help="A key, or 8 letters or more of it.")],
    as_json: Json = False,
) -> None:
    """Show why one record was set apart."""
    found = open_app(context).catalogue.quarantined_record(key)
    if found is None:
        raise _nothing([key])
    if as_json:
        print_json(found)
        return
    out = console()
    out.print(_card(found))
    out.print(f"\nSend it again: headwater quarantine retry {short_id(found['record_id'])}", soft_wrap=True)
    out.print(f"Its story:     headwater explain {short_id(found['record_id'])}", soft_wrap=True)


@app.command("retry")
def retry_records(
    context: typer.Context, keys: Keys = None, every: AllOf = None, as_json: Json = False
) -> None:
    """Send records again: they are due at once, with fresh attempts."""
    _choose(keys, every)
    app = open_app(context)
    count = app.operations.retry(keys, every, app.clock())
    _tell(count, keys, "sent again; a worker will take them", as_json=as_json)


@app.command("drop")
def drop_records(
    context: typer.Context, keys: Keys = None, every: AllOf = None, as_json: Json = False
) -> None:
    """End records for good; their reason stays, marked as your decision."""
    _choose(keys, every)
    app = open_app(context)
    count = app.operations.drop(keys, every)
    _tell(count, keys, "dropped", as_json=as_json)


def _choose(keys: list[str] | None, every: str | None) -> None:
    if bool(keys) == bool(every):
        raise typer.BadParameter("give either keys or --all RECIPE")


def _tell(count: int, keys: list[str] | None, done: str, *, as_json: bool) -> None:
    if keys and not count:
        raise _nothing(keys)
    if as_json:
        print_json({"count": count})
    else:
        console().print(f"{format_count(count, 'record')} {done}.")


def _nothing(keys: list[str]) -> Refused:
    told = ", ".join(f"'{key}'" for key in keys)
    return Refused(
        "not_quarantined",
        f"nothing in quarantine begins with {told}; see `headwater quarantine list`, and give at least 8 letters",
    )


def _card(found: dict[str, Any]) -> Table:
    grid = Table.grid(padding=(0, 2))
    for name in ("record_id", "recipe", "task", "state", "reason", "detail", "attempts"):
        grid.add_row(Text(name.replace("_", " "), style="dim"), cell(found[name]))
    grid.add_row(Text("since", style="dim"), format_time(found["created_at"]))
    for name, value in found["evidence"].items():
        grid.add_row(Text(str(name), style="dim"), cell(value))
    return grid
