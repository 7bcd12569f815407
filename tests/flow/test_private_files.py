"""Other users of the machine can read nothing that Headwater creates."""

import os
import stat
from pathlib import Path

import pytest
from tests.flow.command_line import call

from headwater.app import App
from headwater.settings.settings import Settings


@pytest.fixture(autouse=True)
def open_mask():
    previous = os.umask(0o022)
    yield
    os.umask(previous)


def test_data_folder_database_archive_and_exports_are_private(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    data = tmp_path / "data"
    assert call(capsys, monkeypatch, "--data", str(data), "init").code == 0
    export = ("export", "articles", "--recipe", "crypto", "--out", "articles.csv", "--format", "csv")
    assert call(capsys, monkeypatch, "--data", str(data), *export).code == 0
    created = [data, tmp_path / "articles.csv", *data.rglob("*")]
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in created}
    assert len(modes) > 3
    assert {name: oct(mode) for name, mode in modes.items() if mode & 0o077} == {}
    assert os.umask(0o022) == 0o022


def test_a_data_folder_that_a_library_creates_is_private(tmp_path: Path):
    app = App(Settings(data=str(tmp_path / "data")))
    assert app.store
    app.store.engine.dispose()
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700
