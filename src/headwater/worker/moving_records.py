"""Files of old documents on their way into another home.

A clean-up somewhere else may write one at any time, and empties its rows then. Once rows speak of a file, it never
changes; so what no row spoke of at the start is looked at again when nobody writes any more.
"""

from dataclasses import dataclass, field

from sqlalchemy import Connection, select

from headwater.app import App
from headwater.backends.record_files import FolderRecords, copy_records
from headwater.backends.sql.connect import reading
from headwater.backends.sql.retention import ARCHIVED
from headwater.backends.sql.schema import documents
from headwater.worker.moving_packs import Progress, same_archive


def same_records(app: App, target: App) -> bool:
    here, there = app.records, target.records
    if isinstance(here, FolderRecords) and isinstance(there, FolderRecords):
        return here.folder.resolve() == there.folder.resolve()
    return type(here) is type(there) and same_archive(app, target)


def records_of(connection: Connection) -> set[str]:
    """The files that rows speak of."""
    spoken_of = select(documents.c.detail).where(documents.c.reason == ARCHIVED).distinct()
    return {name for name in connection.scalars(spoken_of) if name}


@dataclass
class Records:
    """`seen` are the files that were looked after."""

    app: App
    target: App
    progress: Progress
    seen: set[str] = field(default_factory=set)
    settled: set[str] = field(default_factory=set)

    def move(self) -> None:
        with reading(self.app.store.engine) as connection:
            settled = records_of(connection)
        self.move_rest()
        self.settled = settled & self.seen

    def move_rest(self) -> None:
        """For when nobody writes here any more: what came since, and what may have been written anew."""
        if same_records(self.app, self.target):
            return
        names = [name for name in self.app.records.names() if name not in self.settled]
        copy_records(self.app.records, self.target.records, names)
        self.seen.update(names)
        self.progress("records", len(names), len(names))
