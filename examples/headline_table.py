"""A sink: one row per document in a table of an SQLite database."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from headwater.model.document import Document
from headwater.model.errors import Temporary
from headwater.model.outcomes import Drop, Sent
from headwater.model.recipe import Envelope

TABLE = "CREATE TABLE IF NOT EXISTS headlines (id TEXT PRIMARY KEY, revision INTEGER, title TEXT, url TEXT)"
ROW = "INSERT OR REPLACE INTO headlines VALUES (?, ?, ?, ?)"


@dataclass(frozen=True)
class HeadlineTable:
    """A delivery may be repeated after a crash: writing the same row again changes nothing."""

    path: Path

    def send(self, envelopes: Sequence[Envelope]) -> Sequence[Sent | Drop]:
        try:
            with closing(sqlite3.connect(self.path)) as connection, connection:
                connection.execute(TABLE)
                return [self._write(connection, envelope) for envelope in envelopes]
        except sqlite3.OperationalError as error:
            raise Temporary("table_unavailable", str(error)) from error

    @staticmethod
    def _write(connection: sqlite3.Connection, envelope: Envelope) -> Sent | Drop:
        record = envelope.record
        if not isinstance(record, Document):
            return Drop("not_a_document")
        connection.execute(ROW, (record.id, envelope.revision, record.title, record.url))
        return Sent(receipt=f"row {record.id}")
