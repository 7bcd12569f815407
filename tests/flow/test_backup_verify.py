"""A damaged backup is named with exit code 1, repaired by the next backup, and never restored silently."""

import shutil
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.flow.command_line import CommandResult, call
from tests.support.scene import START
from tests.support.small_installation import add_captures

from headwater.app import App
from headwater.model.errors import Refused
from headwater.ops.backup import create_backup
from headwater.ops.backup_check import verify_backups
from headwater.ops.backup_folder import list_backups, writing_backup
from headwater.ops.backup_retention import surplus_backups
from headwater.ops.installation_lock import worker_lock
from headwater.ops.restore import restore
from headwater.runtime.maintenance import Maintenance
from headwater.settings.settings import Settings
from headwater.store.maintenance.table_copy import row_counts

Command = Callable[..., CommandResult]


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    """An installation with three captures in a pack each, in a folder beside that of the backups."""
    monkeypatch.chdir(tmp_path)
    seconds = count()
    opened = App(Settings(data="data"), clock=lambda: START + timedelta(seconds=next(seconds)))
    add_captures(opened)
    yield opened
    opened.store.engine.dispose()


@pytest.fixture
def command(app: App, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    return lambda *words: call(capsys, monkeypatch, "--data", "data", *words)


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


@pytest.mark.parametrize("harm", [flip, truncate, Path.unlink])
def test_a_damaged_pack_is_named_refused_and_repaired_by_the_next_backup(
    app: App, command: Command, harm: Callable[[Path], None], tmp_path: Path
):
    first = create_backup(app, Path("kept")).name
    pack, *_ = sorted(Path("kept/packs").rglob("*.warc.gz"))
    harm(pack)
    name = f"packs/{pack.relative_to('kept/packs')}"
    checked = command("backup", "verify", "kept", "--json")
    assert (checked.code, checked.record["damaged"], checked.record["sound"]) == (1, [name], False)
    rehearsed = command("restore", "kept", "--dry-run")
    assert (rehearsed.code, rehearsed.out.count(name), "is sound" in rehearsed.out) == (1, 1, False)
    refused = call_elsewhere(command, "restore", "kept")
    assert (refused.code, name in refused.err, Path("other/headwater.db").exists()) == (1, True, False)
    partly = call_elsewhere(command, "restore", "kept", "--skip-damaged")
    assert "2 packs" in partly.out
    assert (partly.code, name in partly.out, len(list(Path("other/archive").rglob("*.warc.gz")))) == (
        1,
        True,
        2,
    )
    captures = call_elsewhere(command, "health", "--json").record["parts"]["captures"]
    assert (captures["ok"], pack.name in captures["detail"]) == (False, True)
    second = create_backup(app, Path("kept"))
    assert (len(second.repaired), second.packs_copied, second.damaged) == (1, 0, ())
    shutil.copytree("kept", tmp_path / "copy elsewhere")
    shutil.rmtree("data")
    sound = command("backup", "verify", str(tmp_path / "copy elsewhere"), "--json")
    assert (sound.code, [record["name"] for record in sound.records]) == (0, [first, second.name])


def call_elsewhere(command: Command, *words: str) -> CommandResult:
    return command("--data", "other", *words)


def test_a_pack_that_was_damaged_before_is_told_from_one_that_the_backup_lost(app: App, command: Command):
    lost, *_ = sorted(app.archive_folder.rglob("*.warc.gz"))
    lost.unlink()
    saved = create_backup(app, Path("kept"))
    assert [Path(name).name for name in saved.damaged] == [lost.name]
    assert (saved.packs, saved.packs_copied) == (2, 2)
    checked = command("backup", "verify", "kept")
    assert (checked.code, "already damaged in the installation" in checked.out) == (0, True)


def test_a_pack_that_is_damaged_in_the_installation_is_named_although_the_folder_has_a_good_copy(
    app: App, command: Command
):
    create_backup(app, Path("kept"))
    damaged, removed, *_ = sorted(
        path.relative_to(app.archive_folder) for path in app.archive_folder.rglob("*.warc.gz")
    )
    flip(app.archive_folder / damaged)
    Path("kept/packs", removed).unlink()
    saved = create_backup(app, Path("kept"))
    assert (saved.damaged, saved.lost, saved.repaired) == ((str(damaged),), (), (str(removed),))
    assert (saved.packs, saved.packs_copied) == (3, 0)
    again = command("backup", "create", "kept")
    assert (again.code, f"kept/packs/{damaged} is a good copy" in again.out) == (1, True)
    with app.engine.connect() as connection:
        assert again.out.startswith(f"Saved {sum(row_counts(connection).values()):,} rows")
    with pytest.raises(Refused, match=r"\. contains the data folder"):
        create_backup(app, Path())


@pytest.mark.parametrize(
    "damage",
    [b"", b"{", b"\xff" * 40, b"[" * 100_000, b'{"format": 1}', None],
    ids=["empty", "cut", "binary", "nested", "fields", "missing"],
)
def test_a_damaged_manifest_gives_one_sentence(app: App, command: Command, damage: bytes | None):
    name = create_backup(app, Path("kept")).name
    manifest = Path("kept") / name / "manifest.json"
    manifest.unlink() if damage is None else manifest.write_bytes(damage)
    refused = command("restore", "kept", "--force")
    assert (refused.code, refused.err.count("\n")) == (1, 1)
    assert "use another backup" in refused.err
    checked = command("backup", "verify", "kept")
    assert (checked.code, f"{name}/manifest.json" in checked.out) == (1, True)
    assert "repair it with the next one" not in checked.out


def test_a_manifest_that_still_parses_but_has_changed_is_damaged(app: App):
    name = create_backup(app, Path("kept")).name
    manifest = Path("kept") / name / "manifest.json"
    text = manifest.read_text(encoding="utf-8")
    pack = next(iter(sorted(Path("kept/packs").rglob("*.warc.gz")))).name
    assert pack in text
    manifest.write_text(text.replace('"tables": {', '"tables": {"more": 1, '), encoding="utf-8")
    (check,) = verify_backups(Path("kept"))
    assert check.damaged == (f"{name}/manifest.json",)


def test_only_the_newest_backups_and_what_they_need_are_kept(app: App, command: Command):
    first = create_backup(app, Path("kept"))
    packs = sorted(Path("kept/packs").rglob("*.warc.gz"))
    with app.store.engine.begin() as connection:  # a capture that only the first backup needs
        connection.exec_driver_sql("UPDATE captures SET pack = '' WHERE id = (SELECT min(id) FROM captures)")
    unfinished = packs[0].with_name(packs[0].name + "#1")
    unfinished.write_bytes(b"half")
    foreign = Path("kept/packs/readme.txt")
    foreign.write_text("mine", encoding="utf-8")
    second = create_backup(app, Path("kept"))
    assert sorted(Path("kept/packs").rglob("*.warc.gz")) == packs
    third = command("backup", "create", "kept", "--keep", "2", "--json").record
    assert third["removed"] == [first.name]
    assert list(list_backups(Path("kept"))) == [second.name, third["name"]]
    assert (len(list(Path("kept/packs").rglob("*.warc.gz"))), unfinished.exists()) == (2, False)
    assert foreign.exists()
    assert all(check.is_sound for check in verify_backups(Path("kept")))
    assert command("backup", "create", "kept", "--keep", "0").code == 2


def test_nothing_that_a_backup_with_an_unreadable_manifest_may_need_is_removed(app: App, command: Command):
    create_backup(app, Path("kept"))
    unreadable = create_backup(app, Path("kept")).name
    (Path("kept") / unreadable / "manifest.json").write_text("{}", encoding="utf-8")
    stray = Path("kept/packs/00") / f"{'0' * 64}.warc.gz"
    stray.parent.mkdir(exist_ok=True)
    stray.write_bytes(b"needed by it?")
    assert create_backup(app, Path("kept"), keep=2).unreadable == ()  # there are only two good ones
    answer = command("backup", "create", "kept", "--keep", "2")
    assert (answer.code, "No old backup was removed" in answer.out, unreadable in answer.out) == (
        0,
        True,
        True,
    )
    assert len(list_backups(Path("kept"))) == 4
    assert stray.exists()


def test_what_a_killed_backup_left_is_removed_by_the_next(app: App):
    left = Path("kept/20200101T000000Z.partial")
    left.mkdir(parents=True)
    (left / "headwater.db").write_bytes(b"half")
    foreign = Path("kept/notes.partial")
    foreign.mkdir()
    create_backup(app, Path("kept"))
    assert (left.exists(), foreign.exists()) == (False, True)


def test_one_backup_at_a_time_writes_to_a_folder(app: App):
    with writing_backup(Path("kept")), pytest.raises(Refused, match="another backup is writing"):
        create_backup(app, Path("kept"))


def test_a_damaged_pack_in_the_installation_is_replaced_by_a_restore(app: App):
    name = create_backup(app, Path("kept")).name
    pack, *_ = sorted(app.archive_folder.rglob("*.warc.gz"))
    flip(pack)
    restore(app, Path("kept") / name, force=True)
    assert app.archive.whole(pack.relative_to(app.archive_folder).as_posix()) is not None


def garble(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:] = bytes(value ^ 0x5A for value in data[4096:])
    path.write_bytes(data)


def overwrite_header(path: Path) -> None:
    path.write_bytes(b"\xff" * 100 + path.read_bytes()[100:])


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2 + 100])


@pytest.mark.parametrize("harm", [garble, overwrite_header, cut])
def test_a_damaged_database_is_set_aside_by_a_forced_restore(
    app: App, command: Command, harm: Callable[[Path], None]
):
    create_backup(app, Path("kept"))
    app.store.engine.dispose()
    harm(Path("data/headwater.db"))
    damaged = Path("data/headwater.db").read_bytes()
    restored = command("restore", "kept", "--force", "--json")
    assert restored.code == 0, restored.err
    aside = Path(restored.record["set_aside"])
    assert (aside.parent.name, aside.read_bytes()) == ("data", damaged)
    assert command("restore", "kept", "--force", "--json").record["set_aside"] is None
    assert command("health", "--json").record["parts"]["database"]["ok"]


def test_a_file_in_the_place_of_the_archive_is_a_problem_beside_the_other_parts(app: App, command: Command):
    shutil.rmtree("data/archive")
    Path("data/archive").touch()
    parts = command("health", "--json").record["parts"]
    assert (parts["archive"]["ok"], "cannot be made" in parts["archive"]["detail"]) == (False, True)
    assert parts["database"]["ok"]


def test_workers_and_a_restore_or_a_sweep_exclude_each_other(app: App, command: Command):
    create_backup(app, Path("kept"))
    with worker_lock(app):
        for words in (("restore", "kept", "--force"), ("sweep", "--archive")):
            refused = command(*words)
            assert (refused.code, "workers run on this folder" in refused.err) == (1, True)
        assert command("sweep", "--archive", "--dry-run").code == 0
    assert command("sweep", "--archive").code == 0


@given(st.sets(st.from_regex(r"\d{8}T\d{6}Z", fullmatch=True)), st.integers(1, 9))
def test_the_newest_backups_stay(names: set[str], keep: int):
    surplus = surplus_backups(sorted(names), keep)
    remaining = names - set(surplus)
    assert len(remaining) == min(keep, len(names))
    assert not surplus or max(surplus) < min(remaining)


def test_a_damaged_pack_of_the_installation_is_noticed_and_named_until_it_is_whole(
    app: App, command: Command
):
    pack, *_ = sorted(app.archive_folder.rglob("*.warc.gz"))
    good = pack.read_bytes()
    pack.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    maintenance = Maintenance(app)
    assert maintenance.run_now("verify_packs")["checked"] == 3
    captures = command("health", "--json").record["parts"]["captures"]
    assert (captures["ok"], captures["detail"].startswith("1 of 3 packs is damaged")) == (False, True)
    assert pack.name in captures["detail"]
    pack.write_bytes(good)
    maintenance.run_now("verify_packs")
    assert command("health", "--json").record["parts"]["captures"]["ok"]
