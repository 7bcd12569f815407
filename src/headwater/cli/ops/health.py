"""`headwater health`."""

from typing import Any

import typer
from rich.console import Console

from headwater.app import App
from headwater.cli.environment import open_app
from headwater.cli.options import Json, single_command
from headwater.cli.render.console import cell, console, format_count, print_json
from headwater.cli.render.parts import parts_table
from headwater.model.errors import Temporary
from headwater.ops.health import check_health
from headwater.ops.system_checks import check_database
from headwater.runtime.maintenance import Maintenance

FIRST_LOCK_SECONDS = 0.5


def health(context: typer.Context, as_json: Json = False) -> None:
    """Check the system and every source now; raise and clear alarms; show the result.

    Checks database, archive (writes and reads), Redis, free disk, live workers, the beat, leases of dead workers, work that
    waits, the last poll, and whether recipes, channels and tables can be used. This process does it, whether or not workers
    run. The exit code is 0 if everything is healthy, and 1 otherwise.
    """
    report = current_health(open_app(context))
    if as_json:
        print_json(report)
    else:
        _show(report, console())
    if not report["healthy"]:
        raise typer.Exit(1)


def current_health(app: App) -> dict[str, Any]:
    """Alarms are raised and cleared, unless a worker is doing that at this moment or the database is unavailable."""
    if not check_database(app, FIRST_LOCK_SECONDS).ok:
        return check_health(app, settle_alarms=False)
    try:
        maintenance = Maintenance(app)
        maintenance.register(app.clock())
        report = maintenance.run_task("health_check", early=True)
    except Temporary:
        report = None
    return report if report and "parts" in report else check_health(app, settle_alarms=False)


def _show(report: dict[str, Any], out: Console) -> None:
    out.print("Healthy." if report["healthy"] else "Unhealthy.", style="bold")
    out.print(parts_table(report["parts"]))
    out.print(cell(report["uptime"]["line"]))
    out.print(cell(report["sandbox"]["line"]))
    for name, recipe in report["recipes"].items():
        out.print(cell(f"{name}: {format_count(recipe['alarms'], 'alarm')}; see `headwater alarms list`"))
        for task in recipe["waiting_too_long"]:
            out.print(cell(f"  {task} has been waiting for more than half an hour: is a worker running?"))
    for name, problem in report["searches"].items():
        out.print(cell(f"saved search {name}: {problem}; see `headwater searches list`"))
    for warning in report["warnings"]:
        out.print(cell(f"{warning}.", "yellow"), soft_wrap=True)


app = single_command(health)
