"""Packs of the archive in which no capture lies, files of documents that no document names, and the moment at which
they may be removed.

A worker writes a pack before the rows that speak of it, and holds a lease all the while. A pack may therefore be
removed only while nobody holds a lease and nobody can take one. A clean-up looks for its file once more when it has taken
its rows, and cannot take them then.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from sqlalchemy import Connection, Engine, select, text

from headwater.model.errors import Refused
from headwater.store.claims.leases import TASK_TABLES, holders
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.schema.flow import captures, documents

BeginTransaction = Callable[[Engine], AbstractContextManager[Connection]]
FindOrphans = Callable[[Connection, Sequence[str]], list[str]]


@contextmanager
def without_workers(engine: Engine, begin: BeginTransaction = write_transaction) -> Iterator[Connection]:
    """A transaction during which no work is under way and none can be claimed; Refused if there is some."""
    with begin(engine) as connection:  # on SQLite a writer is alone
        if connection.dialect.name == "postgresql":
            names = ", ".join(table.name for table in TASK_TABLES.values())
            connection.execute(text(f"LOCK TABLE {names} IN SHARE ROW EXCLUSIVE MODE"))
        if busy := holders(connection):
            raise Refused(
                "workers_busy",
                f"{len(busy)} workers are at work; stop them first, then try again",
            )
        yield connection


def orphaned_packs(connection: Connection, packs: Sequence[str]) -> list[str]:
    """Those of the packs in which no capture lies."""
    known = set(connection.scalars(select(captures.c.pack).where(captures.c.pack.in_(list(packs)))))
    return [pack for pack in packs if pack not in known]


def orphaned_record_files(connection: Connection, files: Sequence[str]) -> list[str]:
    """Those of the files of old documents that no document names: whoever wrote them died before the rows changed."""
    known = set(
        connection.scalars(select(documents.c.detail).distinct().where(documents.c.detail.in_(list(files))))
    )
    return [file for file in files if file not in known]


def find_orphans(engine: Engine, find: FindOrphans, names: Sequence[str]) -> list[str]:
    with read_transaction(engine) as connection:
        return find(connection, names)
