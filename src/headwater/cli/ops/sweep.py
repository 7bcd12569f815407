"""`headwater sweep`."""

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from itertools import islice
from typing import Annotated

import typer

from headwater.app import App
from headwater.cli.environment import open_app
from headwater.cli.options import Json, single_command
from headwater.cli.render.console import console, print_json
from headwater.liveness import dead_owners
from headwater.ops.installation_lock import refuse_moved_installation, release_dead_owners
from headwater.store.maintenance.orphans import (
    FindOrphans,
    find_orphans,
    orphaned_packs,
    orphaned_record_files,
    without_workers,
)

YOUNG = timedelta(hours=1)
AT_ONCE = 500


def sweep(
    context: typer.Context,
    *,
    archive: Annotated[
        bool,
        typer.Option(
            "--archive", help="Also remove archive packs and files of old documents of which no row speaks."
        ),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only tell what would be done.")] = False,
    as_json: Json = False,
) -> None:
    """Free what dead workers of this machine hold, and leases that have run out.

    Workers do this themselves when they start; a sweep does it without starting any. Objects in the archive are
    removed only if they are older than an hour and nobody is at work.
    """
    app = open_app(context)
    result = {"dry_run": dry_run, "freed_dead": 0, "freed_expired": 0}
    if dry_run:
        result["dead_workers"] = len(dead_owners(app.store.lease_owners()))
    else:
        result["freed_dead"] = release_dead_owners(app)
        result["freed_expired"] = app.operations.free_expired(app.clock())
    if archive:
        result["orphans"] = sweep_archive(app, dry_run=dry_run)
        result["unnamed_records"] = sweep_records(app, dry_run=dry_run)
    if as_json:
        print_json(result)
    else:
        console().print(_told(result, dry_run=dry_run, archive=archive))


def sweep_archive(app: App, *, dry_run: bool) -> int:
    """Gives how many objects were removed, or would be. Refused where the installation moved away: its captures may
    lie here all the same."""
    refuse_moved_installation(app)
    packs = app.archive.packs(before=app.clock() - YOUNG)
    return _sweep(app, packs, orphaned_packs, app.archive.remove, dry_run=dry_run)


def sweep_records(app: App, *, dry_run: bool) -> int:
    """The same for files of old documents that no document names."""
    refuse_moved_installation(app)
    files = app.records.written_before(app.clock() - YOUNG)
    return _sweep(app, iter(files), orphaned_record_files, app.records.remove, dry_run=dry_run)


def _sweep(
    app: App,
    names: Iterator[str],
    find: FindOrphans,
    remove: Callable[[Sequence[str]], None],
    *,
    dry_run: bool,
) -> int:
    count = 0
    for batch in _batches(names):
        found = find_orphans(app.store.engine, find, batch)
        if found and not dry_run:
            with without_workers(app.store.engine) as connection:
                found = find(connection, found)
                remove(found)
        count += len(found)
    return count


def _batches(names: Iterator[str]) -> Iterator[Sequence[str]]:
    while batch := list(islice(names, AT_ONCE)):
        yield batch


def _told(result: dict[str, int], *, dry_run: bool, archive: bool) -> str:
    if dry_run:
        told = f"{result['dead_workers']} dead workers hold leases."
    else:
        told = (
            f"Freed {result['freed_dead']} rows of dead workers and {result['freed_expired']} expired leases."
        )
    if archive:
        done = "would be removed" if dry_run else "removed"
        told += f" {result['orphans']} archive packs that no capture lies in {done}."
        if result["unnamed_records"]:
            told += f" {result['unnamed_records']} files of documents that no row names {done}."
    return told


app = single_command(sweep)
