"""One process at a time: two pages of one name must see each other's files, and ledgers are written as a whole."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager

from headwater.model.errors import Temporary
from headwater_recipes.procedures.files.layout import Layout


@contextmanager
def our_turn(layout: Layout) -> Iterator[None]:
    """Waits for whoever writes now. The lock ends with the process that holds it."""
    path = layout.folder / "ingestion" / ".lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.open("ab")
    except OSError as error:
        raise Temporary("folder_unwritable", f"{error.strerror}: {path.parent}") from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
