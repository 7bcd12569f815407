"""Packs of the archive in which no capture lies, files of documents that no document names, and the moment at which
they may be removed.

A worker writes a pack before the rows that speak of it, and holds a lease all the while. A pack may therefore be
removed only while nobody holds a lease and nobody can take one. A clean-up looks for its file once more when it has taken
its rows, and cannot take them then.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from sqlalchemy import Connection, Engine, select, text

from headwater.backends.sql.claims import TABLES, holders
from headwater.backends.sql.connect import reading, writing
from headwater.backends.sql.schema import captures, documents
from headwater.model.errors import Refused

Begin = Callable[[Engine], AbstractContextManager[Connection]]
Find = Callable[[Connection, Sequence[str]], list[str]]


@contextmanager
def nobody_working(engine: Engine, begin: Begin = writing) -> Iterator[Connection]:
    """A transaction during which no work is under way and none can be claimed; Refused if there is some."""
    with begin(engine) as connection:  # on SQLite a writer is alone
        if connection.dialect.name == "postgresql":
            names = ", ".join(table.name for table in TABLES.values())
            connection.execute(text(f"LOCK TABLE {names} IN SHARE ROW EXCLUSIVE MODE"))
        if busy := holders(connection):
            raise Refused(
                "workers_busy",
                f"{len(busy)} workers are at work; stop them first, then try again",
            )
        yield connection


def orphans(connection: Connection, packs: Sequence[str]) -> list[str]:
    """Those of the packs in which no capture lies."""
    known = set(connection.scalars(select(captures.c.pack).where(captures.c.pack.in_(list(packs)))))
    return [pack for pack in packs if pack not in known]


def unnamed(connection: Connection, files: Sequence[str]) -> list[str]:
    """Those of the files of old documents that no document names: whoever wrote them died before the rows changed."""
    known = set(
        connection.scalars(select(documents.c.detail).distinct().where(documents.c.detail.in_(list(files))))
    )
    return [file for file in files if file not in known]


def look_for(engine: Engine, find: Find, names: Sequence[str]) -> list[str]:
    with reading(engine) as connection:
        return find(connection, names)
