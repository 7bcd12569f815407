"""Every command reports errors of a disk or a folder in one sentence."""

import errno
import os
from pathlib import Path

import pytest
from tests.flow.command_line import call
from tests.support.scene import Scene

import headwater.ops.restore
from headwater.model.errors import Temporary
from headwater.store.maintenance.snapshot import check_snapshot, save_snapshot


def test_an_error_of_the_operating_system_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    assert call(capsys, monkeypatch, "--data", "a", "init").code == 0
    assert call(capsys, monkeypatch, "--data", "a", "backup", "create", "kept").code == 0

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "b/headwater.db")

    monkeypatch.setattr(headwater.ops.restore.shutil, "copyfile", full)
    answer = call(capsys, monkeypatch, "--data", "b", "restore", "kept")
    assert (answer.code, answer.out) == (1, "")
    assert answer.err.startswith(
        "headwater: the system reports: No space left on device (b/headwater.db). Free some"
    )


def test_an_unwritable_path_is_reported_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    assert call(capsys, monkeypatch, "init").code == 0
    answer = call(
        capsys, monkeypatch, "export", "articles", "--recipe", "crypto", "--out", "nowhere/articles.jsonl"
    )
    assert (answer.code, answer.out) == (1, "")
    assert "headwater: the folder cannot be written (No such file or directory: nowhere/" in answer.err


def test_a_snapshot_that_cannot_be_written_is_a_temporary_error(scene: Scene, tmp_path: Path):
    with pytest.raises(Temporary, match="unable to open"):
        save_snapshot(scene.store.engine, tmp_path / "missing" / "headwater.db")


def test_a_data_folder_may_have_any_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    assert call(capsys, monkeypatch, "--data", "what? 100%41", "init").code == 0
    assert (tmp_path / "what? 100%41" / "headwater.db").is_file()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["headwater.yaml", "what? 100%41"]


def test_a_folder_of_backups_may_have_any_name(scene: Scene, tmp_path: Path):
    scene.keep("a")
    odd = tmp_path / "back ups #1? 100%41"
    odd.mkdir()
    save_snapshot(scene.store.engine, odd / "headwater.db")
    assert check_snapshot(odd / "headwater.db")["documents"] == 1
