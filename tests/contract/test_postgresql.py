"""PostgreSQL with time limits: what takes too long ends with a temporary error, and what may take long is allowed to."""

import time
from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import Engine, text
from tests.servers.postgres import Postgres

from headwater.model.errors import Temporary
from headwater.store.connect import connect, read_transaction, unchecked_transaction
from headwater.store.connection_settings import ConnectionSettings
from headwater.store.postgresql import disable_timeouts

Opened = Callable[..., Engine]


@pytest.fixture
def opened(postgres: Postgres) -> Iterator[Opened]:
    engines: list[Engine] = []

    def make(suffix: str = "", **options: int) -> Engine:
        engines.append(connect(postgres.url("postgres") + suffix, ConnectionSettings(**options)))
        return engines[-1]

    yield make
    for engine in engines:
        engine.dispose()


def show_setting(engine: Engine, name: str) -> str:
    with read_transaction(engine) as connection:
        return str(connection.scalar(text(f"SHOW {name}")))


def test_there_are_limits_unless_the_settings_or_the_address_say_otherwise(opened: Opened):
    usual = opened()
    assert show_setting(usual, "statement_timeout") == "2min"
    assert show_setting(usual, "lock_timeout") == "30s"
    assert show_setting(usual, "idle_in_transaction_session_timeout") == "5min"
    assert show_setting(usual, "application_name") == "headwater"
    assert show_setting(opened(statement_timeout=0), "statement_timeout") == "0"
    own_options = opened("?options=-c%20statement_timeout%3D7s&application_name=mine")
    assert (show_setting(own_options, "statement_timeout"), show_setting(own_options, "lock_timeout")) == (
        "7s",
        "30s",
    )
    assert show_setting(own_options, "application_name") == "mine"


def test_a_statement_that_takes_too_long_raises_a_temporary_error(opened: Opened):
    engine = opened(statement_timeout=1)
    with pytest.raises(Temporary, match="statement timeout"), read_transaction(engine) as connection:
        connection.execute(text("SELECT pg_sleep(20)"))
    with unchecked_transaction(engine) as connection:
        disable_timeouts(connection)
        connection.execute(text("SELECT pg_sleep(1.2)"))
        assert connection.scalar(text("SELECT 1")) == 1


def test_a_lock_that_does_not_come_raises_a_temporary_error(opened: Opened):
    engine = opened(lock_timeout=1)
    lock = text("SELECT pg_advisory_xact_lock(77)")
    with unchecked_transaction(engine) as first:
        first.execute(lock)
        with pytest.raises(Temporary, match="lock timeout"), unchecked_transaction(engine) as second:
            second.execute(lock)


def test_a_transaction_that_stands_still_is_ended_and_the_next_one_is_not(opened: Opened):
    engine = opened(idle_timeout=1)
    with pytest.raises(Temporary):
        _stand_still(engine)
    assert show_setting(engine, "idle_in_transaction_session_timeout") == "1s"


def _stand_still(engine: Engine) -> None:
    with unchecked_transaction(engine) as connection:
        connection.execute(text("SELECT 1"))
        time.sleep(1.5)  # the limit is in whole seconds, and the server's own
        connection.execute(text("SELECT 1"))


def test_when_all_connections_are_busy_the_error_is_temporary(opened: Opened):
    engine = opened(pool_size=1, max_overflow=0)
    engine.pool._timeout = 0.1
    with (
        read_transaction(engine),
        pytest.raises(Temporary, match="connections of this process are busy"),
        read_transaction(engine),
    ):
        pass


def test_the_connection_is_encrypted_where_the_server_can_and_must_be_where_the_address_says_so(
    opened: Opened,
):
    """`prefer` is the driver's own default: this server cannot, so it is spoken to in the clear."""
    with read_transaction(opened()) as connection:
        driver = connection.connection.driver_connection
        assert driver.pgconn.ssl_in_use is False
        modes = {option.keyword: option.val for option in driver.pgconn.info}
        assert modes[b"sslmode"] == b"prefer"
    with pytest.raises(Temporary, match="SSL"), read_transaction(opened("?sslmode=require")):
        pass
