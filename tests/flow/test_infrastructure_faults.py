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
def lab(internet: Internet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RecipeRun]:
    monkeypatch.setattr(loops, "ERROR_SLEEP", 0.02)
    monkeypatch.setattr(loops, "NETWORK_GRACE", 0.1)
    # The process that runs all the tests is larger than a worker may be.
    monkeypatch.setattr(loops, "MEMORY_LIMIT_KILOBYTES", 10**9)
    monkeypatch.setattr(loops, "MAX_SLEEP", 0.02)
    internet.clear_log()
    with recipe_run(tmp_path, internet, feeds=[PAGES, WIRE]) as crypto_run:
        yield crypto_run


def _expected(lab: RecipeRun) -> set[str]:
    own_urls = {url for _, url in lab.feeds or ()}
    return {record["id"] for record in lab.internet.truth() if own_urls & set(record["feeds"])}


def _article_ids(lab: RecipeRun) -> set[str]:
    by_url = {url: record["id"] for record in lab.internet.truth() for url in record["urls"]}
    return {by_url[row["url"]] for row in lab.documents()}


def _requests(lab: RecipeRun) -> list[tuple[str, str]]:
    """Every feed and page that was requested."""
    requests = [(record["host"], record["path"]) for record in lab.internet.log()]
    return [(host, path) for host, path in requests if path != "/robots.txt"]


def _assert_complete(lab: RecipeRun) -> None:
    """Asserts that every article came in once."""
    assert _article_ids(lab) == _expected(lab)
    assert Counter(row["state"] for row in lab.documents())[State.QUARANTINED] == 0
    assert lab.delivered() == {row["id"] for row in lab.documents(State.KEPT)}
    assert lab.unfinished() == {}
    assert lab.app.store.lease_owners() == set()


def _stop_when(condition: Callable[[], bool], *, at_most: int = 2000) -> Callable[[], bool]:
    """A stop function for the loops of a worker; a loop that never meets the condition fails the test."""
    turns = iter(range(at_most))

    def stop() -> bool:
        assert next(turns, None) is not None, "the loop went on for ever"
        return condition()

    return stop


def _no_space(*_args: object, **_options: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_an_unknown_recipe_is_refused_with_the_available_ones(lab: RecipeRun):
    with pytest.raises(Refused, match=r"no recipe 'weather'; there are: .*crypto"):
        lab.app.recipe("weather")
    with pytest.raises(Refused, match="no recipe 'weather'"):
        lab.context.recipe(Job("weather", Task.REFINE))


def test_a_data_folder_that_cannot_be_created_is_refused(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(Refused, match="cannot be created") as refused:
        assert App(Settings(data=str(tmp_path / "file" / "data"))).store
    assert refused.value.reason == "data_unwritable"


def test_a_worker_waits_for_a_full_disk_and_fetches_no_page_twice(
    lab: RecipeRun, monkeypatch: pytest.MonkeyPatch
):
    failures = []
    original_put = obstore.put

    def put(*args: object, **options: object) -> object:
        if len(failures) < 10:
            failures.append(args)
            _no_space()
        return original_put(*args, **options)

    monkeypatch.setattr(obstore, "put", put)
    loops.run_network_loop(lab.context, [RECIPE], _stop_when(lambda: _all_fetched(lab)))
    assert len(failures) == 10
    requests = Counter(_requests(lab))
    assert set(requests.values()) == {1}
    assert {row["failures"] for row in lab.rows(sources)} == {0}
    assert lab.app.store.lease_owners() == set()
    loops.run_local_loop(lab.context, [RECIPE], _stop_when(lambda: lab.unfinished() == {}))
    _assert_complete(lab)


def test_nothing_more_is_claimed_while_results_wait_for_space(
    lab: RecipeRun, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(obstore, "put", _no_space)
    loops.run_network_loop(lab.context, [RECIPE], _stop_when(iter([False] * 30 + [True]).__next__))
    assert len(_requests(lab)) == 2
    assert lab.rows(leads) == lab.rows(captures) == []
    assert lab.app.store.lease_owners() == set()


def test_a_run_that_a_full_disk_ended_is_completed_by_the_next(
    lab: RecipeRun, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as patch:
        patch.setattr(obstore, "put", _no_space)
        with pytest.raises(Temporary, match="no space left"):
            lab.run()
    lab.clock.advance(lab.context.retry_policy.lease)
    lab.run()
    _assert_complete(lab)


def test_a_local_worker_waits_for_an_unreadable_archive(lab: RecipeRun, monkeypatch: pytest.MonkeyPatch):
    failures = []
    original_get = obstore.get_ranges

    def get(*args: object, **options: object) -> object:
        if len(failures) < 12:
            failures.append(args)
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return original_get(*args, **options)

    _fetch_all(lab)
    monkeypatch.setattr(obstore, "get_ranges", get)
    loops.run_local_loop(lab.context, [RECIPE], _stop_when(lambda: lab.unfinished() == {}))
    assert len(failures) == 12
    _assert_complete(lab)


def _all_fetched(lab: RecipeRun) -> bool:
    polled = [row["last_polled_at"] for row in lab.rows(sources)]
    return None not in polled and Task.FETCH not in lab.unfinished()


def _fetch_all(lab: RecipeRun) -> None:
    loops.run_network_loop(lab.context, [RECIPE], _stop_when(lambda: _all_fetched(lab)))


def _shorten_lock_wait(lab: RecipeRun) -> None:
    """Shortens the wait for a lock, which is half a minute otherwise."""

    @event.listens_for(lab.app.store.engine, "connect")
    def _prepare(connection: sqlite3.Connection, record: object) -> None:
        connection.execute("PRAGMA busy_timeout=20")

    lab.app.store.engine.dispose()


def _lock(lab: RecipeRun) -> sqlite3.Connection:
    other = sqlite3.connect(Path(lab.settings.data) / "headwater.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    return other


def test_a_locked_database_is_a_temporary_error(lab: RecipeRun):
    _shorten_lock_wait(lab)
    other = _lock(lab)
    with pytest.raises(Temporary, match="locked") as caught:
        lab.app.operations.wake(RECIPE, lab.clock())
    assert caught.value.reason == "database_unavailable"
    other.close()
    assert lab.app.operations.wake(RECIPE, lab.clock()) == 2


def test_a_worker_waits_for_a_lock_of_another_process(lab: RecipeRun):
    _shorten_lock_wait(lab)
    for run_loop, is_done in (
        (loops.run_network_loop, _all_fetched),
        (loops.run_local_loop, lambda lab: lab.unfinished() == {}),
    ):
        run_loop(lab.context, [RECIPE], _stop_when(_Disturbance(lab, is_done)))
    _assert_complete(lab)


@dataclass
class _Disturbance:
    """Locks the database again and again for a few turns; true when the work is done nevertheless."""

    lab: RecipeRun
    is_done: Callable[[RecipeRun], bool]
    turn: int = 0
    lock: sqlite3.Connection | None = None

    def __call__(self) -> bool:
        self.turn += 1
        if self.lock is not None and self.turn % 8 == 5:
            self.lock.close()
            self.lock = None
        elif self.lock is None and self.turn % 8 == 2:
            self.lock = _lock(self.lab)
        return self.lock is None and self.turn > 20 and self.is_done(self.lab)


@pytest.mark.parametrize("what", ["file", "folder", "replaced"])
def test_a_removed_database_stops_the_work_with_a_clear_message(lab: RecipeRun, what: str):
    lab.run()
    data_folder = Path(lab.settings.data)
    if what == "folder":
        shutil.rmtree(data_folder)
    else:
        for path in data_folder.glob("headwater.db*"):
            path.unlink()
    if what == "replaced":
        sqlite3.connect(data_folder / "headwater.db").close()
        (data_folder / "headwater.db").write_bytes(b"")
    with pytest.raises(Refused, match="removed or replaced while in use") as refused:
        lab.run()
    assert refused.value.reason == "database_missing"


def test_damaged_bytes_are_quarantined_alone_and_can_be_retried_after_repair(lab: RecipeRun):
    _fetch_all(lab)
    capture = next(row for row in lab.rows(captures) if row["lead_id"])
    store = lab.app.archive.store
    sound = bytes(obstore.get(store, capture["pack"]).bytes())
    end = capture["start"] + capture["size"]
    obstore.put(store, capture["pack"], sound[: end - 1] + b"?" + sound[end:])
    loops.run_local_loop(lab.context, [RECIPE], _stop_when(lambda: lab.unfinished() == {}))
    (row,) = lab.rows(documents, state=State.QUARANTINED)
    assert (row["reason"], row["capture_id"]) == ("capture_damaged", capture["id"])
    assert [entry["reason"] for entry in lab.rows(quarantine)] == ["capture_damaged"]
    assert len(lab.documents()) == len(_expected(lab))
    obstore.put(store, capture["pack"], sound)
    assert lab.app.operations.retry([row["id"]], RECIPE, lab.clock()) == 1
    loops.run_local_loop(lab.context, [RECIPE], _stop_when(lambda: lab.unfinished() == {}))
    assert lab.rows(quarantine) == []
    _assert_complete(lab)


def test_an_unwritable_output_folder_delays_deliveries_and_loses_none(lab: RecipeRun):
    out = Path(lab.settings.data) / "out"
    out.parent.mkdir(parents=True)
    out.write_text("in the way")
    _fetch_all(lab)
    loops.run_local_loop(lab.context, [RECIPE], _stop_when(lambda: _deliveries_are_delayed(lab)))
    assert lab.status()["deliveries"] == {"waiting": len(lab.documents(State.KEPT))}
    out.unlink()
    loops.run_local_loop(lab.context, [RECIPE], _stop_when(lambda: lab.unfinished() == {}))
    _assert_complete(lab)


def _deliveries_are_delayed(lab: RecipeRun) -> bool:
    waiting = lab.status()["unfinished"]["deliver"]
    return set(lab.unfinished()) == {Task.DELIVER} and waiting["later"] > 0 and waiting["due"] == 0
