"""A move goes where `--env NAME` leads, and succeeds only if every capture was read back from there."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from tests.flow.command_line import CommandResult, call
from tests.support.small_installation import add_captures

from headwater.app import App
from headwater.ops.move_files import list_packs
from headwater.settings.settings import Settings, read_settings

SETTINGS = {
    "data": "data",
    "archive": "captures",
    "environments": {
        "attic": {"data": "attic", "database": "sqlite:///attic.db", "archive": "attic captures"},
        "cellar": {"database": "sqlite:///cellar.db"},  # names no archive: that of the top level is used
    },
}
Command = Callable[..., CommandResult]


def open_environment(name: str) -> App:
    return App(read_settings(Path("headwater.yaml"), {}, name))


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.chdir(tmp_path)
    Path("headwater.yaml").write_text(yaml.safe_dump(SETTINGS), encoding="utf-8")
    attic = open_environment("attic")
    add_captures(attic)
    attic.store.engine.dispose()
    return lambda *words: call(capsys, monkeypatch, *words)


def sound_packs(name: str) -> tuple[int, int]:
    """How many packs the rows of an environment refer to, and how many of them its archive has."""
    app = open_environment(name)
    packs = list_packs(app.store.engine)
    app.store.engine.dispose()
    return len(packs), sum(app.archive.whole(pack) is not None for pack in packs)


def test_a_move_between_two_named_environments_takes_the_captures_along(command: Command):
    rehearsed = command("--env", "attic", "move", "--to", "cellar", "--dry-run", "--json").record
    assert (rehearsed["packs"], rehearsed["packs_copied"]) == (3, 3)
    moved = command("--env", "attic", "move", "--to", "cellar", "--json").record
    assert (moved["packs_copied"], moved["packs_read"]) == (3, 3)
    assert sound_packs("cellar") == (3, 3)
    back = command("--env", "cellar", "move", "--to", "default")
    assert (back.code, "3 of 3 packs of captures were read back there" in back.out) == (0, True)
    assert "`headwater --env default work`" in back.out
    assert sound_packs("default") == (3, 3)


def test_captures_that_a_shared_archive_lost_are_not_called_moved(command: Command):
    command("--env", "attic", "move", "--to", "cellar", "--quiet")
    lost, *_ = sorted(Path("captures").rglob("*.warc.gz"))
    lost.unlink()
    back = command("--env", "cellar", "move", "--to", "default", "--quiet")
    assert (back.code, lost.name in back.out, "all hashes agree" in back.out) == (1, True, False)
    assert "2 of 3 packs of captures were read back" in back.out


def test_an_option_that_would_override_the_target_is_refused(
    command: Command, monkeypatch: pytest.MonkeyPatch
):
    App(Settings(data="elsewhere")).store.engine.dispose()
    App(Settings(data="data")).store.engine.dispose()
    refused = command("--data", "elsewhere", "move", "--to", "attic")
    assert (refused.code, "--data would override the environment 'attic'" in refused.err) == (1, True)
    monkeypatch.setenv("HEADWATER_ARCHIVE", "somewhere")
    refused = command("move", "--to", "attic")
    assert "HEADWATER_ARCHIVE would override the environment 'attic'" in refused.err


def test_the_message_repeats_the_options_that_lead_there(command: Command):
    App(Settings(data="other")).store.engine.dispose()
    moved = command("--data", "other", "move", "--to", "cellar", "--quiet")
    assert (moved.code, "`headwater --data other --env cellar work`" in moved.out) == (0, True)
