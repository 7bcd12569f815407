"""A database that an installation left refuses every writer, by any address and from any machine."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Engine, delete, func, select
from tests.servers.postgres import Postgres
from tests.support.deadline import DEADLINE
from tests.support.scene import HOUR, RECIPE, START, Scene

from headwater.model.errors import MovedAway, Refused
from headwater.model.jobs import Task
from headwater.search.query import words_query
from headwater.store.changes.operations import Operations
from headwater.store.changes.queues import SqlQueues
from headwater.store.claims.poll import register_sources
from headwater.store.connect import connect, read_transaction, unchecked_transaction, write_transaction
from headwater.store.maintenance.snapshot import load_snapshot, save_snapshot
from headwater.store.maintenance.tasks import MaintenanceTasks
from headwater.store.migrate import migrate
from headwater.store.relocation import (
    Departure,
    clear_move,
    database_id,
    find_departure,
    lock_database_identity,
    record_departure,
)
from headwater.store.schema.flow import sources
from headwater.store.schema.search import search_entries
from headwater.store.search.document_search import DocumentSearch
from headwater.store.search.entries import index_documents
from headwater.store.sql_store import SqlStore

GONE = Departure(to="cluster", id="somewhere", address="postgresql://db.example/news", at=START)


@contextmanager
def left_database(engine: Engine) -> Iterator[None]:
    with unchecked_transaction(engine) as connection:
        record_departure(connection, GONE)
    try:
        yield
    finally:
        with unchecked_transaction(engine) as connection:
            clear_move(connection)


def name_of(engine: Engine) -> str:
    with read_transaction(engine) as connection:
        return str(database_id(connection))


def test_every_writer_is_refused_with_one_sentence(scene: Scene):
    scene.keep("first")
    engine = scene.store.engine
    writers: list[Callable[[], object]] = [
        lambda: scene.store.register([scene.source], START),
        lambda: scene.claim(Task.POLL),
        lambda: scene.store.release(["me"], counts=False),
        lambda: Operations(engine).pause(scene.source.id, active=False, now=START),
        lambda: SqlQueues(engine, lambda: START).pop("some", "me", 1, HOUR),
        lambda: MaintenanceTasks(engine).register({"some": START}, START),
    ]
    with left_database(engine):
        for write in writers:
            with pytest.raises(MovedAway) as refused:
                write()
            assert refused.value.reason == "moved"
            assert "moved to the environment 'cluster' (postgresql://db.example/news) on 2026-11-13" in str(
                refused.value
            )
    assert scene.store.release(["me"], counts=False) == 0  # and now again


def test_a_database_that_was_left_can_be_read_and_searched(scene: Scene):
    scene.keep("first", title="Harbour cranes")
    with left_database(scene.store.engine):
        assert scene.store.next_due(RECIPE)
        with unchecked_transaction(scene.store.engine) as connection:
            connection.execute(delete(search_entries))
        assert index_documents(scene.store.engine, RECIPE) == 1
        results = DocumentSearch(scene.store.engine, Path()).search(words_query("cranes"), method="words")
        assert [row["title"] for row in results.rows] == ["Harbour cranes"]


def test_a_writer_commits_before_the_move_or_is_refused(scene: Scene):
    """One holds a transaction open when the move begins; another begins one while the move is under way."""
    engine, source = scene.store.engine, scene.source
    inside, leave, locked, requested = (threading.Event() for _ in range(4))

    def early() -> int:
        with write_transaction(engine) as connection:
            inside.set()
            assert leave.wait(DEADLINE)
            return register_sources(connection, [source], START, "recipe")

    def mover() -> int:
        with unchecked_transaction(engine) as connection:
            lock_database_identity(connection)
            locked.set()
            assert requested.wait(DEADLINE)
            source_count = connection.scalar(select(func.count()).select_from(sources))
            record_departure(connection, GONE)
            return int(source_count or 0)

    def late() -> None:
        requested.set()
        scene.claim(Task.POLL)

    with ThreadPoolExecutor(3) as hands:
        first = hands.submit(early)
        assert inside.wait(DEADLINE)
        moving = hands.submit(mover)
        leave.set()
        assert locked.wait(DEADLINE)
        last = hands.submit(late)
        assert first.result(DEADLINE) == 1
        assert moving.result(DEADLINE) == 1  # what the early one wrote was there to be counted
        assert isinstance(last.exception(DEADLINE), MovedAway)
    with unchecked_transaction(engine) as connection:
        assert find_departure(connection) == GONE
        assert clear_move(connection) is True
        assert clear_move(connection) is False


def test_every_database_has_a_name_of_its_own_that_stays(
    empty_database: str, open_store: Callable[[str], SqlStore], engine: Engine
):
    new_engine = open_store(empty_database).engine
    with read_transaction(new_engine) as connection:
        assert database_id(connection) is None
    migrate(new_engine)
    name = name_of(new_engine)
    migrate(new_engine)
    assert name == name_of(new_engine) == name_of(open_store(empty_database).engine) != name_of(engine)
    assert len(name) == 36


def test_one_database_has_one_name_by_all_its_addresses(postgres: Postgres):
    names = []
    address = postgres.create("twonames")
    for url in (address, address.replace("@127.0.0.1:", "@localhost:")):
        engine = connect(url)
        migrate(engine)
        names.append(name_of(engine))
        engine.dispose()
    postgres.drop("twonames")
    again = connect(postgres.create("twonames"))
    migrate(again)
    names.append(name_of(again))
    again.dispose()
    postgres.drop("twonames")
    assert names[0] == names[1] != names[2]


def test_a_backup_takes_the_name_of_the_place_where_it_is_put(
    scene: Scene, empty_database: str, open_store: Callable[[str], SqlStore], tmp_path: Path
):
    scene.keep("first")
    other = open_store(empty_database).engine
    migrate(other)
    name = name_of(other)
    with left_database(scene.store.engine):
        save_snapshot(scene.store.engine, tmp_path / "saved.db")
    load_snapshot(tmp_path / "saved.db", other, force=False)
    assert name_of(other) == name
    assert Operations(other).wake(RECIPE, START) == 1  # the move of the original does not matter here


def test_nothing_is_restored_over_a_database_that_was_left(scene: Scene, tmp_path: Path):
    scene.keep("first")
    save_snapshot(scene.store.engine, tmp_path / "saved.db")
    with left_database(scene.store.engine), pytest.raises(Refused, match="--undo"):
        load_snapshot(tmp_path / "saved.db", scene.store.engine, force=True)
