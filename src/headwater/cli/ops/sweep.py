"""`headwater sweep`."""

from typing import Annotated

import typer

from headwater.cli.environment import open_app
from headwater.cli.options import DryRun, Json, single_command
from headwater.cli.render.console import console, print_json
from headwater.cli.render.progress import ticking
from headwater.liveness import dead_owners, process_of
from headwater.ops.installation_lock import release_dead_owners
from headwater.ops.sweep import sweep_archive, sweep_records


def sweep(
    context: typer.Context,
    *,
    archive: Annotated[
        bool,
        typer.Option(
            "--archive", help="Also remove archive packs and files of old documents that no row refers to."
        ),
    ] = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Release the leases of dead workers, and expired leases.

    A worker is dead if its process on this machine is gone, or if it has had no heartbeat for 30 seconds. Other workers
    notice that by themselves; this command does it at once. Objects in the archive are removed only if
    they are older than an hour and no worker is running.
    """
    app = open_app(context)
    result = {"dry_run": dry_run, "freed_dead": 0, "freed_expired": 0}
    if dry_run:
        silent = [beat.process.id for beat in app.workers.heartbeats(app.clock()) if not beat.is_live]
        owners = app.store.lease_owners()
        dead = {process_of(owner) for owner in dead_owners(owners)} | set(silent)
        result["dead_workers"] = len({process_of(owner) for owner in owners} & dead)
    else:
        result["freed_dead"] = release_dead_owners(app) + app.workers.release_silent(app.clock())
        result["freed_expired"] = app.operations.release_expired_leases(app.clock())
    if archive:
        with ticking("looking for orphaned packs"):
            result["orphans"] = sweep_archive(app, dry_run=dry_run)
            result["unnamed_records"] = sweep_records(app, dry_run=dry_run)
    if as_json:
        print_json(result)
    else:
        console().print(_sentence(result, dry_run=dry_run, archive=archive))


def _sentence(result: dict[str, int], *, dry_run: bool, archive: bool) -> str:
    if dry_run:
        text = f"{result['dead_workers']} dead workers hold leases."
    else:
        text = f"Released {result['freed_dead']} leases of dead workers and {result['freed_expired']} expired leases."
    if archive:
        done = "would be removed" if dry_run else "removed"
        text += f" {result['orphans']} orphaned archive packs {done}."
        if result["unnamed_records"]:
            text += f" {result['unnamed_records']} orphaned files of documents {done}."
    return text


app = single_command(sweep)
