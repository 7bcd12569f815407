"""`headwater cleanup`."""

from typing import Any

import typer

from headwater.cli.environment import open_app
from headwater.cli.options import DryRun, Json, single_command
from headwater.cli.render.console import console, format_count, print_json
from headwater.cli.render.progress import ticking
from headwater.ops.retention import apply_retention
from headwater.runtime.maintenance import Maintenance

NOUNS = {
    "polls": "poll",
    "runs": "run",
    "alarms": "alarm",
    "captures": "capture",
    "queue": "queue item",
    "summaries": "summary request",
    "matches": "matched record",
}


def cleanup(
    context: typer.Context,
    *,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Remove what the setting `retention` no longer keeps; move old documents to Parquet files.

    Workers do this every night at 02:00 UTC, and remove old polls and old rows of tables of other programs every 25 minutes. A
    document that was moved keeps its row with its metadata and the name of the file that holds its content. After captures were removed, `headwater sweep --archive` frees their space.
    """
    app = open_app(context)
    with ticking("cleaning up"):
        report = (
            apply_retention(app, dry_run=True) if dry_run else Maintenance(app).run_now("cleanup_old_jobs")
        )
    if as_json:
        print_json(report)
        return
    console().print(_sentence(report))
    for name in report["files"]:
        console().print(f"  {app.records.where(name)}", soft_wrap=True)


def _sentence(report: dict[str, Any]) -> str:
    would = "would be " if report["dry_run"] else ""
    counts = [format_count(report[kind], noun) for kind, noun in NOUNS.items() if report[kind]]
    counts += [f"{format_count(count, 'row')} of {name}" for name, count in report["tables"].items()]
    return f"{', '.join(counts) or 'Nothing'} {would}removed; {format_count(report['documents'], 'document')} {would}moved to files."


app = single_command(cleanup)
