"""The write lock of an SQLite database: one process at a time holds it, and all others wait for it."""

import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import make_url

from headwater.model.errors import Temporary


def check_write_lock(url: str, seconds: float) -> None:
    """Take the lock and give it back; Temporary if another process keeps it for so long. Other databases have no such lock,
    and one that does not exist yet is not locked. Writes nothing."""
    parsed = make_url(url)
    path = Path(parsed.database or "")
    if parsed.get_backend_name() != "sqlite" or not path.is_file():
        return
    try:
        with closing(
            sqlite3.connect(
                f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=seconds, isolation_level=None
            )
        ) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
    except sqlite3.OperationalError as error:
        if "locked" not in str(error):
            return  # whoever opens it reports that better
        raise Temporary(
            "database_locked",
            f"another process has held the lock of {path} for more than {seconds:g} s, and everything waits for it; "
            f"`fuser {path}` names the processes that use it",
            counts=False,
        ) from error
    except sqlite3.DatabaseError:
        return  # as above
