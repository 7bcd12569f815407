"""A connection to somebody else's database, for as long as it is needed."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, create_engine
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.pool import NullPool

from headwater.model.errors import Permanent, Refused, Temporary
from headwater.settings.channels import revealed

WHERE = "database"
SECONDS = 10
# Others work there too: whoever holds a table must not hold us, nor all who queue behind us.
LIMITS = "-c lock_timeout=10s -c statement_timeout=120s -c idle_in_transaction_session_timeout=60s"


def checked_address(told: str) -> str:
    """An address with a password has no place in a list that is copied into rows: it is named, not written down."""
    if not told.startswith(("env:", "file:")):
        raise Refused("bad_config", f"{WHERE}: write env:NAME or file:PATH, and the address there")
    return told


@contextmanager
def connected(told: str) -> Iterator[Connection]:
    """One transaction. Errors name no address."""
    try:
        engine = create_engine(
            _driver(revealed(checked_address(told), WHERE)),
            poolclass=NullPool,
            connect_args={"connect_timeout": SECONDS, "options": LIMITS},
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
