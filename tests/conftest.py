"""Fixtures that several suites share: both databases, each test with a fresh one."""

import shutil
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from tests.postgres import Postgres, running_postgres
from tests.scene import Scene

from headwater.backends.sql.connect import connect
from headwater.backends.sql.migrate import migrate
from headwater.backends.sql.schema import metadata
from headwater.backends.sql.store import SqlStore

BOTH = ("sqlite", "postgresql")
MIGRATED = "migrated"
numbers = count(1)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One server per test process; it starts when the first test asks for it."""
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def migrated_postgres(postgres: Postgres) -> Postgres:
    """The server, with a database that has the schema; whoever uses it leaves it empty."""
    _migrate(postgres.create(MIGRATED))
    return postgres


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sqlite") / "template.db"
    _migrate(f"sqlite:///{path}")
    return path


def _migrate(url: str) -> None:
    engine = connect(url)
    migrate(engine)
    engine.dispose()


@pytest.fixture(params=BOTH)
def empty_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database without any table, on each of the two."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'empty.db'}"
        return
    server: Postgres = request.getfixturevalue("postgres")
    name = f"empty{next(numbers)}"
    yield server.create(name)
    server.drop(name)


@pytest.fixture(params=BOTH)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database with the schema and no rows, on each of the two."""
    if request.param == "sqlite":
        template: Path = request.getfixturevalue("migrated_sqlite")
        shutil.copyfile(template, tmp_path / "headwater.db")
        yield f"sqlite:///{tmp_path / 'headwater.db'}"
        return
    server: Postgres = request.getfixturevalue("migrated_postgres")
    yield server.url(MIGRATED)
    server.empty(MIGRATED, [table.name for table in reversed(metadata.sorted_tables)])


@pytest.fixture
def open_store() -> Iterator[Callable[[str], SqlStore]]:
    """Stores whose connections are closed when the test ends."""
    opened: list[SqlStore] = []

    def make(url: str) -> SqlStore:
        opened.append(SqlStore(connect(url)))
        return opened[-1]

    yield make
    for store in opened:
        store.engine.dispose()


@pytest.fixture
def store(database: str, open_store: Callable[[str], SqlStore]) -> SqlStore:
    return open_store(database)


@pytest.fixture
def scene(store: SqlStore) -> Scene:
    return Scene(store)
