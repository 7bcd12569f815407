"""`headwater health`."""

from typing import Any

import typer
from rich.console import Console

from headwater.cli.environment import open_app
from headwater.cli.options import Json, single_command
from headwater.cli.render.console import cell, console, print_json
from headwater.runtime.maintenance import Maintenance


def health(context: typer.Context, as_json: Json = False) -> None:
    """Check the database, the archive and every source now; raise and clear alarms; show the result.

    Workers do this every five minutes. The exit code is 0 if everything is healthy, and 1 otherwise.
    """
    app = open_app(context)
    report = Maintenance(app).run_now("health_check")
    if as_json:
        print_json(report)
    else:
        _show(report, console())
    if not report["healthy"]:
        raise typer.Exit(1)


def _show(report: dict[str, Any], out: Console) -> None:
    out.print("Healthy." if report["healthy"] else "Unhealthy.", style="bold")
    out.print(f"database {report['database']}, archive {report['archive']}")
    out.print(cell(report["sandbox"]["line"]))
    for name, recipe in report["recipes"].items():
        out.print(cell(f"{name}: {recipe['alarms']} alarms; see `headwater alarms list`"))
        for task in recipe["waiting_too_long"]:
            out.print(cell(f"  {task} has been waiting for more than half an hour: is a worker running?"))


app = single_command(health)
