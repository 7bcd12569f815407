"""Who uses a data folder: workers together, or one who moves the installation elsewhere, alone.

The lock is the kernel's: it ends with the process, however that ends. That an installation moved away is told by the
database that it left, so that nobody goes on working on what is no longer the installation, from whatever folder.
"""

import asyncio
import fcntl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NoReturn

from sqlalchemy import URL, make_url

from headwater.app import App
from headwater.liveness import dead_owners
from headwater.model.errors import Refused, Temporary
from headwater.store.connect import read_transaction, unchecked_transaction
from headwater.store.relocation import (
    Arrival,
    Departure,
    clear_move,
    find_arrival,
    find_departure,
    refuse_if_moved,
)

LOCK = "workers.lock"
CHECK_SECONDS = 5.0


@contextmanager
def worker_lock(app: App) -> Iterator[None]:
    """For as long as workers run. Refused while the installation is being moved, and after it was."""
    with _locked(app, fcntl.LOCK_SH, "the installation is being moved; wait until that is done"):
        check_not_moved(app)
        yield


@contextmanager
def exclusive_lock(app: App) -> Iterator[None]:
    """Refused while workers of this machine run, even if they have nothing to do."""
    with _locked(app, fcntl.LOCK_EX, "workers run on this folder, or another move; stop them first"):
        yield


@contextmanager
def _locked(app: App, kind: int, busy: str) -> Iterator[None]:
    with _lock_file(app.settings.folder) as file:
        try:
            fcntl.flock(file, kind | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Refused("folder_busy", busy) from error
        yield


def _lock_file(folder: Path) -> IO[bytes]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return (folder / LOCK).open("ab")
    except OSError as error:
        raise Refused("data_unwritable", f"{folder} cannot be written: {error.strerror}") from error


def database_address(app: App) -> str:
    """Where its database is, without who asks and by which password."""
    url = make_url(app.settings.database_url)
    if url.get_backend_name() == "sqlite":
        return f"sqlite:{Path(url.database or '').resolve()}"
    bare = URL.create("postgresql", host=url.host, port=url.port, database=url.database)
    return bare.render_as_string()


def find_move(app: App) -> Departure | Arrival | None:
    """Where it went, if it moved away; or whence it comes, if that has not ended."""
    with read_transaction(app.store.engine) as connection:
        return find_departure(connection) or find_arrival(connection)


def refuse_moved_installation(app: App) -> None:
    with read_transaction(app.store.engine) as connection:
        refuse_if_moved(connection)


def check_not_moved(app: App) -> None:
    """For those who run for long and seldom write: MovedAway when the installation has gone. A database that is away says
    nothing of the kind."""
    with suppress(Temporary):
        refuse_moved_installation(app)


async def wait_until_moved(app: App) -> NoReturn:
    """The same for those who wait for others to call; ends with MovedAway alone."""
    while True:
        await asyncio.to_thread(check_not_moved, app)
        await asyncio.sleep(CHECK_SECONDS)


def undo_move(app: App) -> bool:
    """Whatever has become of the other home; gives whether the installation had moved."""
    with exclusive_lock(app), unchecked_transaction(app.store.engine) as connection:
        return clear_move(connection)


def release_dead_owners(app: App) -> int:
    """Release the leases of processes of this machine that have died; returns how many rows are free again."""
    dead = dead_owners(app.store.lease_owners())
    return app.store.release(dead, counts=True) if dead else 0
