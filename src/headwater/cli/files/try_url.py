"""`headwater try`: one address, from the rule that allows it to what would be kept of it. Nothing is stored."""

from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from headwater.cli.environment import make_app
from headwater.cli.options import Json
from headwater.cli.options import single_command as alone
from headwater.cli.render.console import cell, console, format_size, print_json
from headwater.cli.render.messages import printable_text
from headwater.model.errors import Refused
from headwater.ops.url_trial import describe_outcome, fetch_once


def try_url(
    context: typer.Context,
    url: Annotated[str, typer.Argument(metavar="URL", help="The URL to fetch.")],
    *,
    recipe: Annotated[
        str | None, typer.Option(metavar="RECIPE", help="Read it as this recipe would, not as any would.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Ask for one address and tell what would become of it: whether it may be asked for and by which rule, what
    answered, what is read out of it, and what would be said about its quality.

    Stores nothing. Exit code 1 if nothing can be read.
    """
    if not url.lower().startswith(("http://", "https://")):
        raise Refused("bad_url", f"'{url}' is not an http(s) address")
    app = make_app(context)
    recipes = [app.recipe(recipe)] if recipe else list(app.recipes.values())
    told = describe_outcome(url, fetch_once(app, url), recipes, app.clock())
    if as_json:
        print_json(told)
    else:
        _show(told, console())
    if not told["ok"]:
        raise typer.Exit(1)


def _show(told: dict[str, Any], out: Console) -> None:
    out.print(cell(told["url"], "bold"), soft_wrap=True)
    for name in ("policy", "answer", "feed", "sitemap", "reading", "quality"):
        if told.get(name):
            out.print(Text(f"\n{name}", style="bold cyan"))
            out.print(_grid(told[name]))
    for line in (told.get("reading") or {}).get("first_lines", ()):
        out.print(Text("    ") + Text(printable_text(line), style="dim"))
    if not told["ok"]:
        out.print(
            cell(f"\nNothing would be kept: {told['reason']} {told['detail']}".rstrip(), "red"),
            soft_wrap=True,
        )


def _grid(values: dict[str, Any]) -> Table:
    grid = Table.grid(padding=(0, 2))
    for name, value in values.items():
        if value not in (None, "", [], {}) and name != "first_lines":
            grid.add_row(Text(f"  {name.replace('_', ' ')}", style="dim"), cell(_said(name, value)))
    return grid


def _said(name: str, value: Any) -> str:
    if name == "size":
        return format_size(value)
    if name == "redirects":
        return ", then ".join(f"{hop['status']} from {hop['url']}" for hop in value)
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


app = alone(try_url)
