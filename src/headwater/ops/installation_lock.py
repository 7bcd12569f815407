"""Who may use an installation: many workers at the same time, or one move, restore or sweep alone.

The lock on the data folder is a kernel lock, so it ends with the process. Whether the installation has moved is stored in
the database it left, so workers stop no matter which folder they use.
"""

import asyncio
import fcntl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NoReturn

from sqlalchemy import URL, make_url

from headwater.app import App
from headwater.liveness import dead_owners, process_of
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
    """Held while workers run. Refused while the installation is being moved, restored or swept; MovedAway after a move."""
    with _locked(
        app, fcntl.LOCK_SH, "the installation is being moved, restored or swept; wait for that to end"
    ):
        check_not_moved(app)
        yield


@contextmanager
def exclusive_lock(app: App) -> Iterator[None]:
    """Refused while workers of this machine run, even idle ones."""
    with _locked(
        app, fcntl.LOCK_EX, "workers run on this folder, or a move, restore or sweep does; stop them first"
    ):
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
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return (folder / LOCK).open("ab")
    except OSError as error:
        raise Refused("data_unwritable", f"{folder} cannot be written: {error.strerror}") from error


def database_address(app: App) -> str:
    """The address of the database without user and password."""
    url = make_url(app.settings.database_url)
    if url.get_backend_name() == "sqlite":
        return f"sqlite:{Path(url.database or '').resolve()}"
    bare = URL.create("postgresql", host=url.host, port=url.port, database=url.database)
    return bare.render_as_string()


def find_move(app: App) -> Departure | Arrival | None:
    """Where the installation has moved, or where an unfinished move into this database comes from."""
    with read_transaction(app.engine) as connection:
        return find_departure(connection) or find_arrival(connection)


def refuse_moved_installation(app: App) -> None:
    with read_transaction(app.engine) as connection:
        refuse_if_moved(connection)


def check_not_moved(app: App) -> None:
    """MovedAway if the installation has moved; for processes that run for long and seldom write. A database that is unavailable
    does not count as a move."""
    with suppress(Temporary):
        refuse_moved_installation(app)


async def wait_until_moved(app: App) -> NoReturn:
    """Raises MovedAway once the installation has moved; for servers, which wait for requests."""
    while True:
        await asyncio.to_thread(check_not_moved, app)
        await asyncio.sleep(CHECK_SECONDS)


def undo_move(app: App) -> bool:
    """Use this database again, whatever has happened to the other one. Whether the installation had moved."""
    with exclusive_lock(app), unchecked_transaction(app.engine) as connection:
        return clear_move(connection)


def release_dead_owners(app: App, *, forget: bool = True) -> int:
    """Release the leases of processes of this machine that have died, and forget them unless a process that does no work
    itself asks; returns how many rows are free again."""
    dead = {process_of(owner) for owner in dead_owners(app.store.lease_owners())}
    dead |= {beat.process.id for beat in app.workers.heartbeats(app.clock()) if beat.has_ended}
    return app.workers.remove(dead, forget=forget) if dead else 0
