"""An installation whose archive is a bucket: everything that works with a folder works there too."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from errno import ENOSPC
from itertools import count
from pathlib import Path

import msgspec
import obstore
import pyarrow.parquet
import pytest
import yaml
from tests.flow.command_line import call
from tests.flow.test_backup_drill import bodies, everything
from tests.servers.seaweed import Seaweed
from tests.support.recipe_run import RecipeRun, recipe_run

from headwater.app import App
from headwater.archive import record_files
from headwater.archive.record_files import BucketRecords, FolderRecords
from headwater.model.errors import Refused, Temporary
from headwater.ops.backup import create_backup
from headwater.ops.health import check_health
from headwater.ops.move import move
from headwater.ops.restore import check_backup, restore, select_backup
from headwater.ops.retention import apply_retention
from headwater.ops.sweep import sweep_archive
from headwater.settings.archive import ArchiveSettings
from headwater.settings.environments import Environment
from headwater.settings.settings import Retention
from headwater_demo.internet import Internet, running

FEEDS = [("Ledger Lane", "http://ledgerlane.example/feed")]
numbers = count(1)


@pytest.fixture(scope="module")
def internet() -> Iterator[Internet]:
    with running(size="small") as served:
        yield served


@pytest.fixture
def place(seaweed: Seaweed) -> ArchiveSettings:
    return ArchiveSettings(
        place=f"s3://installation/{next(numbers)}",
        endpoint=seaweed.endpoint,
        key=seaweed.key,
        secret=seaweed.secret,
    )


@pytest.fixture
def lab(tmp_path: Path, internet: Internet, place: ArchiveSettings) -> Iterator[RecipeRun]:
    with recipe_run(tmp_path, internet, feeds=FEEDS) as made:
        made.__dict__["settings"] = msgspec.structs.replace(made.settings, archive=place)
        yield made


def test_a_run_is_archived_in_the_bucket_and_can_be_saved_restored_and_swept(lab: RecipeRun, tmp_path: Path):
    lab.run()
    assert lab.unfinished() == {}
    raw = bodies(lab.app)
    assert raw
    assert not (tmp_path / "data" / "archive").exists()
    assert check_health(lab.app)["archive"] == "ok"
    saved = create_backup(lab.app, tmp_path / "kept")
    assert saved.damaged == ()

    obstore.put(lab.app.archive.store, f"00/{'0' * 64}.warc", b"nobody speaks of it")
    later = App(lab.settings, clock=lambda: lab.clock() + timedelta(days=3650))
    assert sweep_archive(later, dry_run=False) == 1
    later.store.engine.dispose()
    assert bodies(lab.app) == raw

    elsewhere = msgspec.structs.replace(lab.settings.archive_settings, place="s3://installation/restored")
    settings = msgspec.structs.replace(lab.settings, data=str(tmp_path / "other"), archive=elsewhere)
    other = App(settings, clock=lab.clock)
    restore(other, select_backup(tmp_path / "kept", None), force=False)
    assert everything(other.store.engine) == everything(lab.app.store.engine)
    assert bodies(other) == raw
    other.store.engine.dispose()


def test_verbs_say_what_is_wrong_with_a_bucket(
    place: ArchiveSettings,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.chdir(tmp_path)

    def told(**changes: str) -> None:
        archive = {**msgspec.structs.asdict(place), **changes}
        Path("headwater.yaml").write_text(yaml.safe_dump({"data": "d", "archive": archive}), encoding="utf-8")

    told()
    assert call(capsys, monkeypatch, "init", "--json").record["places"]["archive"] == place.place
    told(secret="not-the-secret")
    refused = call(capsys, monkeypatch, "init")
    assert refused.code == 1
    assert "refuses this key" in refused.err
    assert "not-the-secret" not in refused.err
    answer = call(capsys, monkeypatch, "health", "--json")
    assert (answer.code, answer.record["archive"]) == (1, "archive_denied")
    told(endpoint="http://127.0.0.1:1")
    assert "its server answers" in call(capsys, monkeypatch, "init").err


def old_documents_moved(app: App) -> list[str]:
    """As a machine does whose turn it is."""
    months_later = App(
        msgspec.structs.replace(app.settings, retention=Retention(documents=30)),
        clock=lambda: app.clock() + timedelta(days=90),
    )
    told = apply_retention(months_later)
    months_later.store.engine.dispose()
    assert told["documents"] > 0
    return sorted(told["files"])


def test_files_of_old_documents_are_found_from_every_machine(
    lab: RecipeRun, place: ArchiveSettings, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch
):
    lab.run()
    names = old_documents_moved(lab.app)
    assert not (tmp_path / "data" / "records").exists()
    monkeypatch.chdir(tmp_path)
    told = {
        "data": "another-machine",
        "database": lab.settings.database_url,
        "archive": msgspec.to_builtins(place),
    }
    Path("headwater.yaml").write_text(yaml.safe_dump(told), encoding="utf-8")
    listed = call(capsys, monkeypatch, "archive", "records", "--json").records
    assert [row["name"] for row in listed] == names
    assert listed[0]["place"] == f"{place.place}/records/{names[0]}"
    assert call(capsys, monkeypatch, "archive", "records", "crypto", "--to", "here").out.count(
        ".parquet"
    ) == len(names)
    assert sorted(path.relative_to("here").as_posix() for path in Path("here").rglob("*.parquet")) == names
    rows = [row for name in names for row in pyarrow.parquet.read_table(Path("here") / name).to_pylist()]
    assert {row["id"] for row in rows} == {
        row["id"] for row in lab.documents() if row["reason"] == "archived"
    }
    assert "No document" in call(capsys, monkeypatch, "archive", "records", "markets").out
    packs = list(lab.app.archive.packs(before=datetime.now(UTC) + timedelta(days=1)))
    assert not [name for name in packs if "records" in name]  # a sweep takes them for nothing of its own


def test_files_of_old_documents_are_saved_restored_and_moved(
    lab: RecipeRun, place: ArchiveSettings, tmp_path: Path
):
    lab.run()
    app = lab.app
    names = old_documents_moved(app)
    before = {name: app.records.read(name) for name in names}
    saved = create_backup(app, tmp_path / "kept")
    obstore.delete(app.records.store, names)
    assert list(app.records.names()) == []
    restore(app, tmp_path / "kept" / saved.name, force=True)
    assert {name: app.records.read(name) for name in app.records.names()} == before
    attic = Environment(
        data=str(tmp_path / "attic"), database=f"sqlite:///{tmp_path / 'attic.db'}", archive=""
    )
    back = App(msgspec.structs.replace(app.settings, environments={"attic": attic}), clock=app.clock)
    assert move(back, "attic").records == len(names)
    here = App(back.settings.in_environment("attic")).records
    assert {name: here.read(name) for name in here.names()} == before
    assert {path.suffix for path in (tmp_path / "attic" / "records").rglob("*.*")} == {".parquet"}
    back.store.engine.dispose()


def test_files_that_an_earlier_version_left_in_the_data_folder_are_brought_along(
    lab: RecipeRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    lab.app.archive.ready()
    left = FolderRecords(tmp_path / "data" / "records")
    names = [f"crypto/2026/2026-01-0{day}-x.parquet" for day in (1, 2)]
    for name in names:
        left.write(name, name.encode())
    assert lab.app.records.where(names[0]).startswith("s3://")
    assert {name: lab.app.records.read(name) for name in lab.app.records.names()} == {
        name: name.encode() for name in names
    }
    assert [left.read(name) for name in names] == [name.encode() for name in names]

    def write(*_: object) -> None:
        pytest.fail("it is there already")

    monkeypatch.setattr(BucketRecords, "write", write)
    another = App(lab.settings, clock=lab.clock)
    assert list(another.records.names()) == names


def test_what_a_backup_holds_already_is_not_fetched_from_the_bucket_again(
    lab: RecipeRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    app, asked = lab.app, []
    really = BucketRecords.read

    def read(files: BucketRecords, name: str) -> bytes | None:
        asked.append(name)
        return really(files, name)

    monkeypatch.setattr(BucketRecords, "read", read)
    names = [f"crypto/2026/2026-01-0{day}-x.parquet" for day in (1, 2, 3)]
    app.records.write(names[0], b"rows")
    app.records.write(names[1], b"rows")
    create_backup(app, tmp_path / "kept")
    assert asked == names[:2]
    asked.clear()
    app.records.write(names[2], b"rows")
    (tmp_path / "kept" / "records" / names[0]).write_bytes(b"rot")
    second = create_backup(app, tmp_path / "kept")
    assert asked == [names[0], names[2]]
    assert check_backup(tmp_path / "kept" / second.name).records == len(names)


OUTSIDE = (
    "../2026/secret.parquet",
    ".hidden/2026/x.parquet",
    "crypto/2026/.parquet",
    "crypto/2026/../x.parquet",
)


def test_no_name_leads_out_of_where_they_lie(lab: RecipeRun, tmp_path: Path):
    secret = tmp_path / "2026" / "secret.parquet"
    secret.parent.mkdir()
    secret.write_bytes(b"secret")
    for files in (lab.app.records, FolderRecords(tmp_path / "records")):
        files.write("crypto/2026/2026-01-01-a.parquet", b"rows")
        assert files.read("crypto/2026/2026-01-01-a.parquet") == b"rows"
        assert files.read("crypto/2026/2026-01-01-none.parquet") is None
        for name in OUTSIDE:
            assert files.read(name) is None
            with pytest.raises(Refused, match="no name"):
                files.write(name, b"taken")
    assert secret.read_bytes() == b"secret"


def test_a_file_that_could_not_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    files = FolderRecords(tmp_path / "records")
    with monkeypatch.context() as full:
        full.setattr(record_files.os, "fsync", _disk_full)
        with pytest.raises(Temporary, match="No space"):
            files.write("crypto/2026/2026-01-01-a.parquet", b"rows")
    assert [path for path in files.folder.rglob("*") if path.is_file()] == []


def _disk_full(_: int) -> None:
    raise OSError(ENOSPC, "No space left on device")


def test_the_name_of_a_file_is_on_the_disk_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    synced = []
    monkeypatch.setattr(record_files, "_sync_folder", synced.append)
    FolderRecords(tmp_path / "records").write("crypto/2026/2026-01-01-a.parquet", b"rows")
    assert synced[0] == tmp_path / "records" / "crypto" / "2026"
