"""Fixtures that several suites share: both databases, empty for each test."""

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
import structlog
from hypothesis import settings
from sqlalchemy import Engine
from tests.servers.postgres import Postgres, running_postgres
from tests.servers.seaweed import Seaweed, running_seaweed
from tests.servers.valkey import Valkey, running_valkey
from tests.support.environments import ENVIRONMENTS, EnvironmentUnderTest, bucket
from tests.support.recorded_migration import record_migrations
from tests.support.scene import Scene
from tests.support.shared_statements import share_statements

from headwater.store import migrate as migrations
from headwater.store.connect import connect, write_transaction
from headwater.store.migrate import migrate
from headwater.store.schema.identity import uptime_periods, workers
from headwater.store.schema.search import search_metadata
from headwater.store.sql_store import SqlStore
from headwater.store.tables import metadata
from headwater.store.views import install_views

# A shell starts background jobs with SIGINT ignored, and every child inherits that; some tests interrupt a program.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Without bytecode files, each program that a test starts would compile all of Headwater first.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# The same examples each time: a suite that blocks everyone must not fail at random.
settings.register_profile("steady", derandomize=True, deadline=None, max_examples=40)
settings.load_profile("steady")

run_alembic = record_migrations()
share_statements()

DATABASES = ("sqlite", "postgresql")
numbers = count(1)
HEAVY = ("chaos", "browser", "flow", "contract", "architecture", "pure")


# Thousands of tests and their modules stay until the end: the garbage collector need not look at them again and again.
COLLECT_AFTER = 20_000  # objects; the usual 700 means many times for each test
gc.disable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    gc.collect()
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER)
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long suites come first, so that no process is left with a long test when the others are done. The order within
    a folder stays random."""
    items.sort(key=lambda item: HEAVY.index(item.path.relative_to(Path(__file__).parent).parts[0]))


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One server per test process; it starts when the first test asks for it."""
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def valkey_server() -> Iterator[Valkey]:
    with running_valkey() as server:
        yield server


@pytest.fixture
def valkey(valkey_server: Valkey) -> Iterator[Valkey]:
    """A server without any key."""
    yield valkey_server
    with valkey_server.client() as client:
        client.flushall()


@pytest.fixture(scope="session")
def seaweed() -> Iterator[Seaweed]:
    """One server per test process; each test chooses its own bucket."""
    with running_seaweed() as server:
        yield server


@pytest.fixture(scope="session")
def postgresql_engine(postgres: Postgres) -> Iterator[Engine]:
    with _migrated(postgres.create("shared")) as engine:
        yield engine


@pytest.fixture(scope="session")
def sqlite_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with _migrated(f"sqlite:///{tmp_path_factory.mktemp('sqlite') / 'shared.db'}") as engine:
        yield engine


@contextmanager
def _migrated(url: str) -> Iterator[Engine]:
    engine = connect(url)
    migrate(engine)
    yield engine
    engine.dispose()


@pytest.fixture
def alembic(monkeypatch: pytest.MonkeyPatch) -> None:
    """For a test of the migrations themselves: Alembic runs each time."""
    monkeypatch.setattr(migrations, "_upgrade", run_alembic)


@pytest.fixture(params=DATABASES)
def empty_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database without any table, on each of the two."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'empty.db'}"
        return
    server: Postgres = request.getfixturevalue("postgres")
    name = f"empty{next(numbers)}"
    yield server.create(name)
    server.drop(name)


@pytest.fixture(params=DATABASES)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """A database with the schema and no rows, on each of the two. Deleting rows is much faster than creating a database,
    and compiled statements stay in the cache."""
    shared: Engine = request.getfixturevalue(f"{request.param}_engine")
    yield shared
    delete_all_rows(shared)


def delete_all_rows(engine: Engine) -> None:
    """One round trip: there are forty tables, and most tests leave almost all of them empty."""
    tables = [*reversed(metadata.sorted_tables), *search_metadata.sorted_tables, workers, uptime_periods]
    statements = [f'DELETE FROM "{table.name}"' for table in tables]
    with write_transaction(engine) as connection:
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql("; ".join(["SET LOCAL lock_timeout = '20s'", *statements]))
            return
        for statement in statements:
            connection.exec_driver_sql(statement)


@pytest.fixture
def recipe_views(engine: Engine) -> None:
    """The views of the recipes that have some, in that database."""
    from headwater_recipes.crypto.views import CRYPTO_VIEWS
    from headwater_recipes.geopolitics.views import GEOPOLITICS_VIEWS
    from headwater_recipes.markets.views import MARKET_VIEWS

    views = {"crypto": CRYPTO_VIEWS, "markets": MARKET_VIEWS, "geopolitics": GEOPOLITICS_VIEWS}
    for recipe, recipe_views in views.items():
        install_views(engine, recipe, recipe_views)


@pytest.fixture
def database(engine: Engine) -> str:
    """The address of the database under test."""
    return engine.url.render_as_string(hide_password=False)


@pytest.fixture(scope="module", params=ENVIRONMENTS)
def environment(request: pytest.FixtureRequest) -> Iterator[EnvironmentUnderTest]:
    """For an installation that a whole module reads, on each of the two."""
    if request.param == "embedded":
        yield EnvironmentUnderTest()
        return
    server: Postgres = request.getfixturevalue("postgres")
    name = f"environment{next(numbers)}"
    yield EnvironmentUnderTest(server.create(name), bucket(request.getfixturevalue("seaweed"), name))
    server.drop(name)


@pytest.fixture
def own_environment(request: pytest.FixtureRequest, engine: Engine, database: str) -> EnvironmentUnderTest:
    """For an installation of one test, on each of the two."""
    if engine.dialect.name == "sqlite":
        return EnvironmentUnderTest(database)
    return EnvironmentUnderTest(database, bucket(request.getfixturevalue("seaweed"), f"own{next(numbers)}"))


@pytest.fixture
def store(engine: Engine) -> SqlStore:
    return SqlStore(engine)


@pytest.fixture
def scene(store: SqlStore) -> Scene:
    return Scene(store)


@pytest.fixture
def open_store() -> Iterator[Callable[[str], SqlStore]]:
    """Opens further stores, whose connections are closed when the test ends."""
    opened: list[SqlStore] = []

    def make(url: str) -> SqlStore:
        opened.append(SqlStore(connect(url)))
        return opened[-1]

    yield make
    for store in opened:
        store.engine.dispose()


@pytest.fixture(autouse=True)
def _own_logs() -> Iterator[None]:
    """A test that configures logging does so for itself only."""
    yield
    structlog.reset_defaults()
