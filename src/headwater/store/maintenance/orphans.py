"""Orphans: packs without a capture, and files of archived documents that no document names.

A worker writes a pack before its rows and holds a lease meanwhile. A pack may therefore be removed only while no lease
exists and none can be taken. Archiving checks its file again after locking its rows, when no sweep can run.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from sqlalchemy import Connection, Engine, select, text

from headwater.model.errors import Refused
from headwater.store.claims.leases import TASK_TABLES, lease_owners
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.schema.flow import captures, documents

BeginTransaction = Callable[[Engine], AbstractContextManager[Connection]]
FindOrphans = Callable[[Connection, Sequence[str]], list[str]]


@contextmanager
def without_workers(engine: Engine, begin: BeginTransaction = write_transaction) -> Iterator[Connection]:
    """A transaction during which no row is leased and none can be. Refused if there are leases."""
    with begin(engine) as connection:  # on SQLite there is one writer at a time
        if connection.dialect.name == "postgresql":
            names = ", ".join(table.name for table in TASK_TABLES.values())
            connection.execute(text(f"LOCK TABLE {names} IN SHARE ROW EXCLUSIVE MODE"))
        if busy := lease_owners(connection):
            raise Refused(
                "workers_busy",
                f"{len(busy)} workers are active: stop them first, then try again",
            )
        yield connection


def orphaned_packs(connection: Connection, packs: Sequence[str]) -> list[str]:
    """The packs without a capture."""
    referenced = set(connection.scalars(select(captures.c.pack).where(captures.c.pack.in_(list(packs)))))
    return [pack for pack in packs if pack not in referenced]


def orphaned_record_files(connection: Connection, files: Sequence[str]) -> list[str]:
    """The files that no document names: their writer died before it changed the rows."""
    referenced = set(
        connection.scalars(select(documents.c.detail).distinct().where(documents.c.detail.in_(list(files))))
    )
    return [file for file in files if file not in referenced]


def find_orphans(engine: Engine, find: FindOrphans, names: Sequence[str]) -> list[str]:
    with read_transaction(engine) as connection:
        return find(connection, names)
