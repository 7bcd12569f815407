"""Files of old documents on their way into another home."""

from dataclasses import dataclass, field

from headwater.app import App
from headwater.backends.record_files import FolderRecords, copy_records
from headwater.worker.moving_packs import Progress, same_archive


def same_records(app: App, target: App) -> bool:
    here, there = app.records, target.records
    if isinstance(here, FolderRecords) and isinstance(there, FolderRecords):
        return here.folder.resolve() == there.folder.resolve()
    return type(here) is type(there) and same_archive(app, target)


@dataclass
class Records:
    """`seen` are the files that were looked after. They never change under their name, but a clean-up somewhere else
    writes new ones, and empties the rows: so they are to be moved once more when nobody writes any more."""

    app: App
    target: App
    progress: Progress
    seen: set[str] = field(default_factory=set)

    def move(self) -> None:
        if same_records(self.app, self.target):
            return
        names = [name for name in self.app.records.names() if name not in self.seen]
        copy_records(self.app.records, self.target.records, names)
        self.seen.update(names)
        self.progress("records", len(names), len(names))
