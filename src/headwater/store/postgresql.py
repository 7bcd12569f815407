"""Connections to PostgreSQL: pool size, timeouts, and what a pooler does not allow.

A session keeps no state: each transaction sets what it needs, so any connection can serve any transaction.
"""

from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL

from headwater.database_tls import tls_arguments
from headwater.model.errors import Refused
from headwater.store.connection_settings import ConnectionSettings

# A machine that disappeared is noticed within a minute, not after the hours that systems allow.
CONNECT_ARGUMENTS = {
    "application_name": "headwater",
    "connect_timeout": 10,
    "keepalives_idle": 20,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 50_000,
}
SCHEMA_LOCK = 4_849_270  # an arbitrary number that all Headwater processes agree on
NO_TIMEOUTS = (
    "SELECT set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true),"
    " set_config('idle_in_transaction_session_timeout', '0', true)"
)


def create_postgresql_engine(url: URL, connections: ConnectionSettings, options: dict[str, Any]) -> Engine:
    try:
        engine = create_engine(
            url,
            pool_pre_ping=True,
            pool_size=connections.pool_size,
            max_overflow=connections.max_overflow,
            pool_recycle=connections.recycle or -1,
            connect_args=_arguments(url, connections),
            **options,
        )
    except ModuleNotFoundError as error:
        raise Refused(
            "missing_driver", "PostgreSQL needs a driver: install it with `pip install 'headwater[postgres]'`"
        ) from error
    if connections.pooler:
        _limit_transactions(engine, connections)
    return engine


def _arguments(url: URL, connections: ConnectionSettings) -> dict[str, Any]:
    """Options in the URL take precedence."""
    arguments: dict[str, Any] = {
        name: value for name, value in CONNECT_ARGUMENTS.items() if name not in url.query
    }
    arguments |= tls_arguments(url)
    if connections.pooler:
        return arguments | {"prepare_threshold": None}
    limits = " ".join(f"-c {name}={value}" for name, value in connections.timeouts.items())
    return arguments | {"options": f"{limits} {url.query.get('options', '')}".strip()}


def _limit_transactions(engine: Engine, connections: ConnectionSettings) -> None:
    """A pooler accepts no options at connect, so each transaction sets its limits."""
    limits = ", ".join(
        f"set_config('{name}', '{value}', true)" for name, value in connections.timeouts.items()
    )

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(f"SELECT {limits}")


def disable_timeouts(connection: Connection) -> None:
    """No timeouts in this transaction: it changes the schema, or all rows."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(NO_TIMEOUTS)


def lock_schema(connection: Connection) -> None:
    """One process at a time changes the schema. SQLite has one writer at a time anyway."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": SCHEMA_LOCK})
