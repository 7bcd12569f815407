"""Who uses a data folder: workers together, or one who moves the installation elsewhere, alone.

The lock is the kernel's: it ends with the process, however that ends. What moved away is remembered in a file, so that
nobody goes on working on what is no longer the installation.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import msgspec
from sqlalchemy import make_url

from headwater.app import App
from headwater.model.errors import Refused

LOCK, MOVED = "workers.lock", "moved.json"


class Departure(msgspec.Struct, frozen=True):
    to: str
    at: str


@contextmanager
def at_work(app: App) -> Iterator[None]:
    """For as long as workers run. Refused while the installation is being moved, and after it was."""
    refuse_moved(app)
    with _locked(app, fcntl.LOCK_SH, "the installation is being moved; wait until that is done"):
        refuse_moved(app)
        yield


@contextmanager
def alone(app: App) -> Iterator[None]:
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


def identity(app: App) -> str:
    """Which database it is, without a password."""
    url = make_url(app.settings.database_url)
    if url.get_backend_name() == "sqlite":
        return f"sqlite:{Path(url.database or '').resolve()}"
    return url.set(drivername="postgresql", query={}).render_as_string(hide_password=True)


def departed_to(app: App) -> str | None:
    """The home to which it moved, if it did."""
    gone = _departures(app.settings.folder).get(identity(app))
    return gone.to if gone else None


def refuse_moved(app: App) -> None:
    gone = _departures(app.settings.folder).get(identity(app))
    if gone is not None:
        raise Refused(
            "moved",
            f"this installation moved to the home '{gone.to}' on {gone.at[:10]}: use it with --home {gone.to}, or "
            f"remove {app.settings.folder / MOVED} to work here nevertheless",
        )


def remember(app: App, target: App, to: str) -> None:
    """From now on it lives there, and not here."""
    folder = app.settings.folder
    told = {**_departures(folder), identity(app): Departure(to, app.clock().isoformat())}
    told.pop(identity(target), None)
    draft = folder / f"{MOVED}.tmp"
    draft.write_bytes(msgspec.json.format(msgspec.json.encode(told)))
    draft.replace(folder / MOVED)


def _departures(folder: Path) -> dict[str, Departure]:
    try:
        return msgspec.json.decode((folder / MOVED).read_bytes(), type=dict[str, Departure])
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.MsgspecError) as error:
        raise Refused(
            "unreadable_file", f"{folder / MOVED} cannot be read; remove it if you know why"
        ) from error
