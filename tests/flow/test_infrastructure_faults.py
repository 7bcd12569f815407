"""Faults of the infrastructure: a full disk, a locked or missing database, damaged bytes. Nothing is lost."""

import errno
import os
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import obstore
import pytest
from sqlalchemy import event
from tests.support.recipe_run import RECIPE, RecipeRun, recipe_run

from headwater.app import App
from headwater.model.errors import Refused, Temporary
from headwater.model.jobs import Job, State, Task
from headwater.runtime import worker_loop as loops
from headwater.settings.settings import Settings
from headwater.store.schema.flow import captures, documents, leads, quarantine, sources
from headwater_demo.internet import Internet, running

PAGES = ("Hashfield Notes", "http://hashfield.example/rss.xml")
WIRE = ("Ledger Lane", "http://ledgerlane.example/feed")


@pytest.fixture(scope="module")
def internet() -> Iterator[Internet]:
    with running(size="small") as demo_internet:
        yield demo_internet


@pytest.fixture
def crypto_run(internet: Internet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RecipeRun]:
    monkeypatch.setattr(loops, "ERROR_SLEEP", 0.02)
    monkeypatch.setattr(loops, "NETWORK_GRACE", 0.1)
    # The process that runs all the tests is larger than a worker may be.
    monkeypatch.setattr(loops, "MEMORY_LIMIT_KILOBYTES", 10**9)
    monkeypatch.setattr(loops, "MAX_SLEEP", 0.02)
    internet.clear_log()
    with recipe_run(tmp_path, internet, feeds=[PAGES, WIRE]) as crypto_run:
        yield crypto_run


def _expected(crypto_run: RecipeRun) -> set[str]:
    own_urls = {url for _, url in crypto_run.feeds or ()}
    return {record["id"] for record in crypto_run.internet.truth() if own_urls & set(record["feeds"])}


def _article_ids(crypto_run: RecipeRun) -> set[str]:
    by_url = {url: record["id"] for record in crypto_run.internet.truth() for url in record["urls"]}
    return {by_url[row["url"]] for row in crypto_run.documents()}


def _requests(crypto_run: RecipeRun) -> list[tuple[str, str]]:
    """Every feed and page that was requested."""
    requests = [(record["host"], record["path"]) for record in crypto_run.internet.log()]
    return [(host, path) for host, path in requests if path != "/robots.txt"]


def _assert_complete(crypto_run: RecipeRun) -> None:
    """Asserts that every article came in once."""
    assert _article_ids(crypto_run) == _expected(crypto_run)
    assert Counter(row["state"] for row in crypto_run.documents())[State.QUARANTINED] == 0
    assert crypto_run.delivered() == {row["id"] for row in crypto_run.documents(State.KEPT)}
    assert crypto_run.unfinished() == {}
    assert crypto_run.app.store.lease_owners() == set()


def _stop_when(condition: Callable[[], bool], *, at_most: int = 2000) -> Callable[[], bool]:
    """A stop function for the loops of a worker; a loop that never meets the condition fails the test."""
    turns = iter(range(at_most))

    def stop() -> bool:
        assert next(turns, None) is not None, "the loop went on for ever"
        return condition()

    return stop


def _no_space(*_args: object, **_options: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_an_unknown_recipe_is_refused_with_the_available_ones(crypto_run: RecipeRun):
    with pytest.raises(Refused, match=r"no recipe 'weather'\. There are: .*crypto"):
        crypto_run.app.recipe("weather")
    with pytest.raises(Refused, match="no recipe 'weather'"):
        crypto_run.context.recipe(Job("weather", Task.REFINE))


def test_a_data_folder_that_cannot_be_created_is_refused(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(Refused, match="cannot be created") as refused:
        assert App(Settings(data=str(tmp_path / "file" / "data"))).store
    assert refused.value.reason == "data_unwritable"


def test_a_worker_waits_for_a_full_disk_and_fetches_no_page_twice(
    crypto_run: RecipeRun, monkeypatch: pytest.MonkeyPatch
):
    failures = []
    original_put = obstore.put

    def put(*args: object, **options: object) -> object:
        if len(failures) < 10:
            failures.append(args)
            _no_space()
        return original_put(*args, **options)

    monkeypatch.setattr(obstore, "put", put)
    loops.run_network_loop(crypto_run.context, [RECIPE], _stop_when(lambda: _all_fetched(crypto_run)))
    assert len(failures) == 10
    requests = Counter(_requests(crypto_run))
    assert set(requests.values()) == {1}
    assert {row["failures"] for row in crypto_run.rows(sources)} == {0}
    assert crypto_run.app.store.lease_owners() == set()
    loops.run_local_loop(crypto_run.context, [RECIPE], _stop_when(lambda: crypto_run.unfinished() == {}))
    _assert_complete(crypto_run)


def test_nothing_more_is_claimed_while_results_wait_for_space(
    crypto_run: RecipeRun, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(obstore, "put", _no_space)
    turns = iter(range(30))
    loops.run_network_loop(crypto_run.context, [RECIPE], _stop_when(lambda: next(turns, None) is None))
    assert len(_requests(crypto_run)) == 2
    assert crypto_run.rows(leads) == crypto_run.rows(captures) == []
    assert crypto_run.app.store.lease_owners() == set()


def test_a_run_that_a_full_disk_ended_is_completed_by_the_next(
    crypto_run: RecipeRun, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as patch:
        patch.setattr(obstore, "put", _no_space)
        with pytest.raises(Temporary, match="no space left"):
            crypto_run.run()
    crypto_run.clock.advance(crypto_run.context.retry_policy.lease)
    crypto_run.run()
    _assert_complete(crypto_run)


def test_a_local_worker_waits_for_an_unreadable_archive(
    crypto_run: RecipeRun, monkeypatch: pytest.MonkeyPatch
):
    failures = []
    original_get = obstore.get_ranges

    def get(*args: object, **options: object) -> object:
        if len(failures) < 12:
            failures.append(args)
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return original_get(*args, **options)

    _fetch_all(crypto_run)
    monkeypatch.setattr(obstore, "get_ranges", get)
    loops.run_local_loop(crypto_run.context, [RECIPE], _stop_when(lambda: crypto_run.unfinished() == {}))
    assert len(failures) == 12
    _assert_complete(crypto_run)


def _all_fetched(crypto_run: RecipeRun) -> bool:
    polled = [row["last_polled_at"] for row in crypto_run.rows(sources)]
    return None not in polled and Task.FETCH not in crypto_run.unfinished()


def _fetch_all(crypto_run: RecipeRun) -> None:
    loops.run_network_loop(crypto_run.context, [RECIPE], _stop_when(lambda: _all_fetched(crypto_run)))


def _shorten_lock_wait(crypto_run: RecipeRun) -> None:
    """Shortens the wait for a lock, which is half a minute otherwise."""

    @event.listens_for(crypto_run.app.store.engine, "connect")
    def _prepare(connection: sqlite3.Connection, record: object) -> None:
        connection.execute("PRAGMA busy_timeout=20")

    crypto_run.app.store.engine.dispose()


def _lock(crypto_run: RecipeRun) -> sqlite3.Connection:
    other = sqlite3.connect(Path(crypto_run.settings.data) / "headwater.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    return other


def test_a_locked_database_is_a_temporary_error(crypto_run: RecipeRun):
    _shorten_lock_wait(crypto_run)
    other = _lock(crypto_run)
    with pytest.raises(Temporary, match="locked") as caught:
        crypto_run.app.operations.wake(RECIPE, crypto_run.clock())
    assert caught.value.reason == "database_unavailable"
    other.close()
    assert crypto_run.app.operations.wake(RECIPE, crypto_run.clock()) == 2


def test_a_worker_waits_for_a_lock_of_another_process(crypto_run: RecipeRun):
    _shorten_lock_wait(crypto_run)
    for run_loop, is_done in (
        (loops.run_network_loop, _all_fetched),
        (loops.run_local_loop, lambda crypto_run: crypto_run.unfinished() == {}),
    ):
        run_loop(crypto_run.context, [RECIPE], _stop_when(_Disturbance(crypto_run, is_done)))
    _assert_complete(crypto_run)


@dataclass
class _Disturbance:
    """Locks the database again and again for a few turns; true when the work is done nevertheless."""

    crypto_run: RecipeRun
    is_done: Callable[[RecipeRun], bool]
    turn: int = 0
    lock: sqlite3.Connection | None = None

    def __call__(self) -> bool:
        self.turn += 1
        if self.lock is not None and self.turn % 8 == 5:
            self.lock.close()
            self.lock = None
        elif self.lock is None and self.turn % 8 == 2:
            self.lock = _lock(self.crypto_run)
        return self.lock is None and self.turn > 20 and self.is_done(self.crypto_run)


@pytest.mark.parametrize("what", ["file", "folder", "replaced"])
def test_a_removed_database_stops_the_work_with_a_clear_message(crypto_run: RecipeRun, what: str):
    crypto_run.run()
    data_folder = Path(crypto_run.settings.data)
    if what == "folder":
        shutil.rmtree(data_folder)
    else:
        for path in data_folder.glob("headwater.db*"):
            path.unlink()
    if what == "replaced":
        sqlite3.connect(data_folder / "headwater.db").close()
        (data_folder / "headwater.db").write_bytes(b"")
    with pytest.raises(Refused, match="removed or replaced while in use") as refused:
        crypto_run.run()
    assert refused.value.reason == "database_missing"


def test_damaged_bytes_are_quarantined_alone_and_can_be_retried_after_repair(crypto_run: RecipeRun):
    _fetch_all(crypto_run)
    capture = next(row for row in crypto_run.rows(captures) if row["lead_id"])
    store = crypto_run.app.archive.store
    sound = bytes(obstore.get(store, capture["pack"]).bytes())
    middle = capture["start"] + capture["length"] // 2
    damaged = sound[:middle] + bytes([sound[middle] ^ 1]) + sound[middle + 1 :]
    obstore.put(store, capture["pack"], damaged)
    loops.run_local_loop(crypto_run.context, [RECIPE], _stop_when(lambda: crypto_run.unfinished() == {}))
    (row,) = crypto_run.rows(documents, state=State.QUARANTINED)
    assert (row["reason"], row["capture_id"]) == ("capture_damaged", capture["id"])
    assert [entry["reason"] for entry in crypto_run.rows(quarantine)] == ["capture_damaged"]
    assert len(crypto_run.documents()) == len(_expected(crypto_run))
    obstore.put(store, capture["pack"], sound)
    assert crypto_run.app.operations.retry([row["id"]], RECIPE, crypto_run.clock()) == 1
    loops.run_local_loop(crypto_run.context, [RECIPE], _stop_when(lambda: crypto_run.unfinished() == {}))
    assert crypto_run.rows(quarantine) == []
    _assert_complete(crypto_run)


def test_an_unwritable_output_folder_delays_deliveries_and_loses_none(crypto_run: RecipeRun):
    out = Path(crypto_run.settings.data) / "out"
    out.parent.mkdir(parents=True)
    out.write_text("in the way")
    _fetch_all(crypto_run)
    loops.run_local_loop(
        crypto_run.context, [RECIPE], _stop_when(lambda: _deliveries_are_delayed(crypto_run))
    )
    assert crypto_run.status()["deliveries"] == {"waiting": len(crypto_run.documents(State.KEPT))}
    out.unlink()
    loops.run_local_loop(crypto_run.context, [RECIPE], _stop_when(lambda: crypto_run.unfinished() == {}))
    _assert_complete(crypto_run)


def _deliveries_are_delayed(crypto_run: RecipeRun) -> bool:
    waiting = crypto_run.status()["unfinished"]["deliver"]
    return set(crypto_run.unfinished()) == {Task.DELIVER} and waiting["later"] > 0 and waiting["due"] == 0
