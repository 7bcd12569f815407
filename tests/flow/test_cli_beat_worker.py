"""`headwater beat` and `headwater worker` report in one sentence what is missing."""

import sys
from pathlib import Path

import pytest
from tests.flow.command_line import call, shell

WITHOUT_CELERY = "import sys; sys.modules['celery'] = None; from headwater.cli import main; main()"


@pytest.fixture(autouse=True)
def _in_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("command", ["beat", "worker"])
def test_without_a_server_the_command_names_the_missing_setting(command, capsys, monkeypatch):
    answer = call(capsys, monkeypatch, command, "--recipe", "crypto")
    assert answer.code == 1
    assert "set `redis: redis://HOST:6379/0`" in answer.err


@pytest.mark.parametrize("command", ["beat", "worker"])
def test_without_the_extra_the_command_says_what_to_install(command, tmp_path):
    answer = shell(command, at=tmp_path, program=("-c", WITHOUT_CELERY))
    assert (answer.code, answer.out) == (1, "")
    assert "pip install 'headwater[cluster]'" in answer.err


def test_without_the_extra_everything_else_works(tmp_path):
    answer = shell("init", at=tmp_path, program=("-c", WITHOUT_CELERY))
    assert answer.code == 0, answer.err


def test_an_unknown_queue_or_recipe_is_named(tmp_path, capsys, monkeypatch):
    Path("headwater.yaml").write_text("redis: redis://127.0.0.1:1/0\n")
    answer = call(capsys, monkeypatch, "worker", "--queues", "refine,mow")
    assert (answer.code, "mow" in answer.err) == (1, True)
    answer = call(capsys, monkeypatch, "worker", "--recipe", "weather")
    assert (answer.code, "weather" in answer.err) == (1, True)
    answer = call(capsys, monkeypatch, "beat", "--recipe", "weather")
    assert (answer.code, "weather" in answer.err) == (1, True)
    assert "headwater.runtime.celery.worker" in sys.modules
