"""`headwater health`."""

from typing import Any

import typer
from rich.console import Console

from headwater.cli.environment import open_app
from headwater.cli.options import Json, single_command
from headwater.cli.render.console import cell, console, print_json
from headwater.runtime.maintenance import Maintenance


def health(context: typer.Context, as_json: Json = False) -> None:
    """Check the database, the archive and every source now, let alarms begin and end, and tell how it stands.

    Workers do this every five minutes. The exit code is 0 if all is well and 1 if not.
    """
    app = open_app(context)
    told = Maintenance(app).run_now("health_check")
    if as_json:
        print_json(told)
    else:
        _show(told, console())
    if not told["healthy"]:
        raise typer.Exit(1)


def _show(told: dict[str, Any], out: Console) -> None:
    out.print("All is well." if told["healthy"] else "Not all is well.", style="bold")
    out.print(f"database {told['database']}, archive {told['archive']}")
    for name, recipe in told["recipes"].items():
        out.print(cell(f"{name}: {recipe['alarms']} alarms; see `headwater alarms list`"))
        for task in recipe["waiting_too_long"]:
            out.print(cell(f"  {task} has waited for more than half an hour: is a worker running?"))


app = single_command(health)
