"""Errors are one sentence on standard error, with the right exit code and without a traceback."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.flow.command_line import CommandResult, call_in, shell

from headwater.store import connect


def assert_sentence(answer: CommandResult, *words: str) -> None:
    assert answer.code == 1
    assert answer.out == ""
    assert len(answer.err.splitlines()) == 1, answer.err
    assert answer.err.startswith("headwater: ")
    for word in words:
        assert word in answer.err


def assert_usage(answer: CommandResult, *words: str) -> None:
    assert answer.code == 2
    assert "Traceback" not in answer.err
    for word in words:
        assert word in answer.err


def test_a_process_ends_with_the_code_and_the_sentence(tmp_path: Path):
    """The other tests call the program in this process."""
    assert_sentence(shell("--data", "nowhere", "status", at=tmp_path), "no database in nowhere", "init")


def test_an_unknown_recipe_is_reported_with_the_available_ones(tmp_path: Path):
    assert_sentence(call_in(tmp_path, "run", "nope", "--once"), "no recipe 'nope'", "crypto")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("data: d\nworkers: many\n", ("bad.yaml:2", "workers", "a whole number")),
        ("data: d\n\nworkrs: 2\n", ("bad.yaml:3", "workrs")),
        ("data: [\n", ("bad.yaml:", "not valid YAML")),
        ("workers: 0\n", ("workers",)),
    ],
)
def test_a_bad_settings_file_is_reported_with_file_line_and_field(
    tmp_path: Path, text: str, words: tuple[str, ...]
):
    (tmp_path / "bad.yaml").write_text(text)
    assert_sentence(call_in(tmp_path, "--config", "bad.yaml", "run", "crypto", "--once"), *words)


def test_a_mistake_in_a_recipe_is_reported_to_who_asks_for_that_recipe(tmp_path: Path):
    (tmp_path / "bad.yaml").write_text("recipes:\n  crypto:\n    sauces: x\n")
    answer = call_in(tmp_path, "--config", "bad.yaml", "run", "crypto", "--once")
    assert_sentence(answer, "bad.yaml:3", "recipes.crypto.sauces")


def test_a_missing_settings_file_is_reported(tmp_path: Path):
    assert_sentence(call_in(tmp_path, "--config", "none.yaml", "status"), "no file none.yaml")


def test_reading_a_missing_installation_creates_nothing(tmp_path: Path):
    assert_sentence(call_in(tmp_path, "--data", "nowhere", "status"), "no database in nowhere", "init")
    assert list(tmp_path.iterdir()) == []


def test_a_data_folder_that_cannot_be_created_leaves_nothing_behind(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    assert_sentence(call_in(tmp_path, "--data", "file/data", "init"), "cannot be created")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("garbage", ("database", "postgresql://")),
        ("postgresql://someone:hush@[::/x", ("database",)),
        ("mysql://someone:hush@host/x", ("mysql", "sqlite or postgresql")),
        ("postgresql://someone:hush@127.0.0.1:1/x", ("is unavailable", "refused")),
        ("sqlite:////nonexistent/folder/x.db", ("is unavailable", "database")),
    ],
)
def test_a_bad_database_is_reported_without_its_password(
    tmp_path: Path, address: str, words: tuple[str, ...]
):
    answer = call_in(tmp_path, "status", HEADWATER_DATABASE=address)
    assert_sentence(answer, *words)
    assert "hush" not in answer.err


def test_a_damaged_database_is_reported(tmp_path: Path):
    (tmp_path / "headwater.db").write_bytes(random.Random(7).randbytes(9000))
    assert_sentence(call_in(tmp_path, "--data", ".", "status"), "damaged", "backup")


def test_a_locked_database_can_be_read_but_not_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    # A command waits half a minute for a locked database; this test does not.
    monkeypatch.setattr(connect, "SQLITE_PRAGMAS", (*connect.SQLITE_PRAGMAS, "PRAGMA busy_timeout=50"))
    assert call_in(tmp_path, "--data", "d", "init").code == 0
    with closing(sqlite3.connect(tmp_path / "d" / "headwater.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        status = call_in(tmp_path, "--data", "d", "status")
        pause = call_in(tmp_path, "--data", "d", "sources", "pause", "x")
    assert status.code == 0
    assert_sentence(pause, "database is locked", "try again")


def test_a_usage_error_has_exit_code_2(tmp_path: Path):
    assert_usage(call_in(tmp_path, "nope"), "No such command 'nope'")
    assert_usage(call_in(tmp_path, "stats"), "Did you mean 'status'")
    assert_usage(call_in(tmp_path, "run"), "RECIPE")


def test_the_version_is_printed(tmp_path: Path):
    answer = shell("--version", at=tmp_path)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("headwater ")


def test_init_asks_for_a_contact_only_if_there_is_none(tmp_path: Path):
    assert "`contact`" in call_in(tmp_path, "--data", "a", "init").out
    (tmp_path / "headwater.yaml").write_text("contact: me@example.org\n")
    assert "`contact`" not in call_in(tmp_path, "--data", "b", "init").out
