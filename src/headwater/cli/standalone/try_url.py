"""`headwater try`."""

from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from headwater.cli.environment import answering_app
from headwater.cli.options import Json, RecipeFilter, single_command
from headwater.cli.render.console import card, cell, console, format_size, print_json
from headwater.model.errors import Refused
from headwater.ops.url_trial import describe_outcome, fetch_once
from headwater.text.printable import printable_text


def try_url(
    context: typer.Context,
    url: Annotated[str, typer.Argument(metavar="URL", help="The URL to fetch.")],
    *,
    recipe: RecipeFilter = None,
    as_json: Json = False,
) -> None:
    """Fetch one URL and show what would be kept: the rule that allows the request, the response, the extracted content and
    its quality.

    Processes the page as the recipe of --recipe does, or the first one that can read it. Stores nothing. The exit code is 1 if nothing would be kept.
    """
    if not url.lower().startswith(("http://", "https://")):
        raise Refused(
            "bad_url", f"'{url}' is not an http(s) address; write it whole, like https://example.org/page"
        )
    app = answering_app(context)
    recipes = [app.recipe(recipe)] if recipe else list(app.recipes.values())
    report = describe_outcome(url, fetch_once(app, url), recipes, app.clock())
    if as_json:
        print_json(report)
    else:
        _show(report, console())
    if not report["ok"]:
        raise typer.Exit(1)


def _show(report: dict[str, Any], out: Console) -> None:
    out.print(cell(report["url"], "bold"), soft_wrap=True)
    for name in ("policy", "answer", "feed", "sitemap", "reading", "quality"):
        if report.get(name):
            out.print(Text(f"\n{name}", style="bold cyan"))
            out.print(_grid(report[name]))
    for line in (report.get("reading") or {}).get("first_lines", ()):
        out.print(Text("    ") + Text(printable_text(line), style="dim"))
    if not report["ok"]:
        out.print(
            cell(f"\nNot kept: {report['reason']} {report['detail']}".rstrip(), "red"),
            soft_wrap=True,
        )


def _grid(values: dict[str, Any]) -> Table:
    shown = {
        name.replace("_", " "): _value_text(name, value)
        for name, value in values.items()
        if value not in (None, "", [], {}) and name != "first_lines"
    }
    return card(shown, indent="  ")


def _value_text(name: str, value: Any) -> str:
    if name == "size":
        return format_size(value)
    if name == "redirects":
        return ", then ".join(f"{hop['status']} from {hop['url']}" for hop in value)
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


app = single_command(try_url)
