"""The connection to the database of day tables, and their names, such as `feed_entries_20261113`."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, create_engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.pool import NullPool

from headwater.database_tls import tls_arguments
from headwater.model.errors import Permanent, Refused, Temporary
from headwater.secret_references import resolve_secret

WHERE = "database"
SECONDS = 10
# Other programs use the database too: a lock must not hold us, nor all that wait behind us.
SESSION_LIMITS = "-c lock_timeout=10s -c statement_timeout=120s -c idle_in_transaction_session_timeout=60s"
DAY = re.compile(r"\d{8}")
ENTRIES, FLASHPOINTS, CLUSTERS = "feed_entries", "flash_point", "news_clusters"


def table_of_day(base: str, day: str) -> str:
    """The name of a day's table. Checks the day, because it becomes part of SQL statements."""
    if not DAY.fullmatch(day):
        raise ValueError("a day has eight digits")
    return f"{base}_{day}"


def latest_day(tables: Iterable[str], requested: str | None = None) -> str | None:
    """The last day that has tables of entries and of flashpoints, or the requested day if it has both. Tables with similar
    names (copies, backups) do not count."""
    names = set(tables)
    days = {name.removeprefix(f"{ENTRIES}_") for name in names if name.startswith(f"{ENTRIES}_")}
    complete = [day for day in days if DAY.fullmatch(day) and table_of_day(FLASHPOINTS, day) in names]
    if requested is not None:
        day = requested.replace("-", "")
        return day if day in complete else None
    return max(complete, default=None)


def checked_reference(reference: str) -> str:
    """A reference to the address. The address itself has a password, and options of sources are copied into rows."""
    if not reference.startswith(("env:", "file:")):
        raise Refused("bad_config", f"{WHERE}: use env:NAME or file:PATH, and put the address there")
    return reference


@contextmanager
def database_connection(reference: str) -> Iterator[Connection]:
    """One transaction. Errors do not contain the address."""
    try:
        url = make_url(_with_psycopg(resolve_secret(checked_reference(reference), WHERE)))
        engine = create_engine(
            url,
            poolclass=NullPool,
            connect_args={"connect_timeout": SECONDS, "options": SESSION_LIMITS, **tls_arguments(url)},
        )
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as error:
        raise Permanent("bad_options", f"{WHERE}: not the address of a PostgreSQL database") from error
    try:
        with engine.begin() as connection:
            yield connection
    except DBAPIError as error:
        error_type = type(error.orig or error).__name__
        raise Temporary("database_failed", f"{WHERE}: {error_type}") from error
    finally:
        engine.dispose()


def _with_psycopg(address: str) -> str:
    """The address with our driver in place of none or another one."""
    for scheme in ("postgres://", "postgresql://", "postgresql+asyncpg://"):
        if address.startswith(scheme):
            return "postgresql+psycopg://" + address.removeprefix(scheme)
    if not address.startswith("postgresql+psycopg://"):
        raise Permanent("bad_options", f"{WHERE}: day tables need PostgreSQL")
    return address
