"""Tables by day: `feed_entries_20261113`. Whatever else has a like name (copies, backups) is not one of them."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, create_engine
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.pool import NullPool

from headwater.model.errors import Permanent, Refused, Temporary
from headwater.settings.secrets import resolve_secret

DAY = re.compile(r"\d{8}")
ENTRIES, FLASHPOINTS, CLUSTERS = "feed_entries", "flash_point", "news_clusters"


def table_of_day(base: str, day: str) -> str:
    """The name of a day's table; a day that is no eight digits never becomes part of a statement."""
    if not DAY.fullmatch(day):
        raise ValueError("a day is eight digits")
    return f"{base}_{day}"


def latest_day(names: Iterable[str], wanted: str | None = None) -> str | None:
    """The last day that has both entries and flashpoints, or the one that is wanted, if it has."""
    known = set(names)
    days = {name.removeprefix(f"{ENTRIES}_") for name in known if name.startswith(f"{ENTRIES}_")}
    whole = [day for day in days if DAY.fullmatch(day) and table_of_day(FLASHPOINTS, day) in known]
    if wanted is not None:
        asked = wanted.replace("-", "")
        return asked if asked in whole else None
    return max(whole, default=None)


WHERE = "database"
SECONDS = 10
# Others work there too: whoever holds a table must not hold us, nor all who queue behind us.
SESSION_LIMITS = "-c lock_timeout=10s -c statement_timeout=120s -c idle_in_transaction_session_timeout=60s"


def checked_reference(told: str) -> str:
    """An address with a password has no place in a list that is copied into rows: it is named, not written down."""
    if not told.startswith(("env:", "file:")):
        raise Refused("bad_config", f"{WHERE}: write env:NAME or file:PATH, and the address there")
    return told


@contextmanager
def database_connection(told: str) -> Iterator[Connection]:
    """One transaction. Errors name no address."""
    try:
        engine = create_engine(
            _driver(resolve_secret(checked_reference(told), WHERE)),
            poolclass=NullPool,
            connect_args={"connect_timeout": SECONDS, "options": SESSION_LIMITS},
        )
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as error:
        raise Permanent("bad_options", f"{WHERE}: not the address of a PostgreSQL database") from error
    try:
        with engine.begin() as connection:
            yield connection
    except DBAPIError as error:
        told_kind = type(error.orig).__name__ if error.orig else type(error).__name__
        raise Temporary("database_failed", f"{WHERE}: {told_kind}") from error
    finally:
        engine.dispose()


def _driver(address: str) -> str:
    """As others write it: with no driver, or with one that works differently."""
    for begin in ("postgres://", "postgresql://", "postgresql+asyncpg://"):
        if address.startswith(begin):
            return "postgresql+psycopg://" + address.removeprefix(begin)
    if not address.startswith("postgresql+psycopg://"):
        raise Permanent("bad_options", f"{WHERE}: day tables are read from PostgreSQL")
    return address
