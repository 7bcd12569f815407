"""Objects in the archive that no row refers to: a worker died between writing them and committing the row."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from datetime import timedelta
from itertools import islice

from headwater.app import App
from headwater.ops.installation_lock import exclusive_lock, refuse_moved_installation
from headwater.store.maintenance.orphans import (
    FindOrphans,
    find_orphans,
    orphaned_packs,
    orphaned_record_files,
    without_workers,
)

MINIMUM_AGE = timedelta(hours=1)
BATCH = 500


def sweep_archive(app: App, *, dry_run: bool) -> int:
    """Remove archive packs without a capture; returns how many, or with `dry_run` how many there are. Refused if the
    environment was moved away: its captures may still be here. Also refused while workers run, except with `dry_run`."""
    refuse_moved_installation(app)
    with nullcontext() if dry_run else exclusive_lock(app):
        packs = app.archive.packs(before=app.clock() - MINIMUM_AGE)
        return _sweep(app, packs, orphaned_packs, app.archive.remove, dry_run=dry_run)


def sweep_records(app: App, *, dry_run: bool) -> int:
    """The same for files of old documents that no document refers to."""
    refuse_moved_installation(app)
    with nullcontext() if dry_run else exclusive_lock(app):
        files = app.records.written_before(app.clock() - MINIMUM_AGE)
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
        orphans = find_orphans(app.store.engine, find, batch)
        if orphans and not dry_run:
            with without_workers(app.store.engine) as connection:
                orphans = find(connection, orphans)
                remove(orphans)
        count += len(orphans)
    return count


def _batches(names: Iterator[str]) -> Iterator[Sequence[str]]:
    while batch := list(islice(names, BATCH)):
        yield batch
