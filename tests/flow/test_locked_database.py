"""Another program holds the lock of the database: commands say so, and do not blame the workers."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.flow.command_line import call_in

from headwater.cli import environment
from headwater.ops import system_checks
from headwater.store.write_lock import check_write_lock


@pytest.fixture
def locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[sqlite3.Connection]:
    """An installation whose database is locked; nobody waits for long."""
    call_in(tmp_path, "--data", "data", "init")
    for module in (environment, system_checks):
        monkeypatch.setattr(module, "check_write_lock", lambda url, _: check_write_lock(url, 0.01))
    database = tmp_path / "data" / "headwater.db"
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        yield connection


@pytest.mark.usefixtures("locked")
def test_health_says_that_the_database_is_locked(tmp_path: Path):
    result = call_in(tmp_path, "--data", "data", "health", "--json")
    parts = result.record["parts"]
    assert (result.code, parts["database"]["ok"]) == (1, False)
    assert "another process has held the lock of" in parts["database"]["detail"]
    assert parts["workers"]["detail"] == "unknown while the database is unavailable"


@pytest.mark.usefixtures("locked")
def test_a_run_waits_for_the_lock_and_then_gives_up_with_the_reason(tmp_path: Path):
    result = call_in(tmp_path, "--data", "data", "run", "crypto", "--once")
    waiting, error = result.err.strip().splitlines()
    assert waiting.startswith("headwater: waiting up to 60 s: another process has held the lock of ")
    assert (result.code, "No data is lost" in error) == (1, True)


def test_a_run_continues_when_the_lock_is_released(
    tmp_path: Path, locked: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
):
    tries: list[str] = []

    def check_and_release(url: str, _: float) -> None:
        tries.append(url)
        if len(tries) == 3:
            locked.execute("ROLLBACK")
        check_write_lock(url, 0.01)

    monkeypatch.setattr(environment, "check_write_lock", check_and_release)
    result = call_in(tmp_path, "--data", "data", "run", "crypto", "--once")
    assert (len(tries), result.err.count("waiting up to")) == (3, 1)
    assert "has no sources yet" in result.err
