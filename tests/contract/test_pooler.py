"""PostgreSQL behind a pooler that assigns another connection to each transaction: the same contract, no session state.

The pooler is simulated: after each transaction the connection is checked for session state and then reset.
"""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from sqlalchemy import Engine, event, text
from sqlalchemy.exc import ProgrammingError
from tests.conftest import delete_all_rows
from tests.contract import test_search, test_store_claims, test_store_refine
from tests.servers.postgres import Postgres
from tests.support.shared_statements import separate_statements

from headwater.store.connect import connect, read_transaction, write_transaction
from headwater.store.connection_settings import ConnectionSettings
from headwater.store.migrate import migrate
from headwater.store.postgresql import disable_timeouts

LEFT = b"""
SELECT 'prepared ' || name FROM pg_prepared_statements
UNION ALL SELECT 'lock ' || objid FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()
UNION ALL SELECT 'set ' || name FROM pg_settings WHERE source = 'session'
UNION ALL SELECT 'cursor ' || name FROM pg_cursors WHERE is_holdable
UNION ALL SELECT 'temporary ' || relname FROM pg_class WHERE relnamespace = pg_my_temp_schema()
UNION ALL SELECT 'listening ' || pg_listening_channels()
"""
# What takes leases and locks, writes most, and keeps an index up to date; the other suites use the same few statements.
CONTRACT = (test_store_claims, test_store_refine, test_search)

# Their tests, with the engine below in the place of the usual one.
for module in CONTRACT:
    for name, thing in vars(module).items():
        if name.startswith("test_") and callable(thing):
            globals()[f"{name}__{module.__name__.rpartition('.')[2]}"] = thing
        elif type(thing).__name__ == "FixtureFunctionDefinition":
            globals()[name] = thing


class Swapped(psycopg.Connection[Any]):
    """Every transaction starts in a fresh session, as if it were on another connection."""

    leftovers: tuple[str, ...] = ()

    def commit(self) -> None:
        super().commit()
        self._swap()

    def rollback(self) -> None:
        super().rollback()
        self._swap()

    def _swap(self) -> None:
        if self.closed:
            return
        leftovers = self.pgconn.exec_(LEFT)
        assert leftovers.error_message == b""
        self.leftovers += tuple(str(leftovers.get_value(row, 0)) for row in range(leftovers.ntuples))
        assert self.pgconn.exec_(b"DISCARD ALL").error_message == b""


def swapping(url: str, settings: ConnectionSettings) -> tuple[Engine, list[Swapped]]:
    connections: list[Swapped] = []
    with separate_statements():
        engine = connect(url, settings)

    @event.listens_for(engine, "do_connect")
    def _connect(_dialect: Any, _record: Any, _args: Any, options: dict[str, Any]) -> Swapped:
        connections.append(Swapped.connect(**options))
        return connections[-1]

    return engine, connections


@pytest.fixture(scope="module")
def pooled(postgres: Postgres) -> Iterator[tuple[Engine, list[Swapped]]]:
    engine, connections = swapping(postgres.create("pooled"), ConnectionSettings(pooler=True, pool_size=2))
    migrate(engine)
    yield engine, connections
    engine.dispose()
    postgres.drop("pooled")


@pytest.fixture
def engine(pooled: tuple[Engine, list[Swapped]]) -> Iterator[Engine]:
    shared, connections = pooled
    yield shared
    assert [leftover for connection in connections for leftover in connection.leftovers] == []
    delete_all_rows(shared)


def test_the_simulated_pooler_detects_what_a_session_keeps(postgres: Postgres):
    """Ordinary connections prepare statements, and the check of the session detects that."""
    engine, connections = swapping(postgres.url("postgres"), ConnectionSettings(pool_size=1, max_overflow=0))
    with pytest.raises(ProgrammingError, match="prepared statement"):
        _ask_often(engine)
    assert any(
        leftover.startswith("b'prepared") for connection in connections for leftover in connection.leftovers
    )
    engine.dispose()


def _ask_often(engine: Engine) -> None:
    for _ in range(20):
        with read_transaction(engine) as connection:
            connection.execute(text("SELECT 1 + :one"), {"one": 1})


def test_each_transaction_has_its_limits_and_may_do_without(engine: Engine):
    shown = text("SELECT current_setting('statement_timeout'), current_setting('lock_timeout')")
    for _ in range(3):
        with write_transaction(engine) as connection:
            assert tuple(connection.execute(shown).one()) == ("2min", "30s")
    with write_transaction(engine) as connection:
        disable_timeouts(connection)
        assert tuple(connection.execute(shown).one()) == ("0", "0")
    with read_transaction(engine) as connection:
        assert tuple(connection.execute(shown).one()) == ("2min", "30s")
