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
from tests.flow.test_backup_drill import all_rows, archived_bodies
from tests.servers.seaweed import Seaweed
from tests.support.recipe_run import RecipeRun, recipe_run

from headwater.app import App
from headwater.archive import record_files
from headwater.archive.record_files import BucketRecords, FolderRecords
from headwater.model.errors import Refused, Temporary
from headwater.ops.backup import create_backup
from headwater.ops.backup_check import check_backup
from headwater.ops.backup_folder import select_backup
from headwater.ops.health import check_health
from headwater.ops.move import move
from headwater.ops.move_target import TargetEnvironment
from headwater.ops.restore import restore
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
def crypto_run(tmp_path: Path, internet: Internet, place: ArchiveSettings) -> Iterator[RecipeRun]:
    with recipe_run(tmp_path, internet, feeds=FEEDS) as crypto_run:
        crypto_run.__dict__["settings"] = msgspec.structs.replace(crypto_run.settings, archive=place)
        yield crypto_run


def test_a_run_is_archived_in_the_bucket_and_can_be_saved_restored_and_swept(
    crypto_run: RecipeRun, tmp_path: Path
):
    crypto_run.run()
    assert crypto_run.unfinished() == {}
    raw = archived_bodies(crypto_run.app)
    assert raw
    assert not (tmp_path / "data" / "archive").exists()
    assert check_health(crypto_run.app)["parts"]["archive"]["ok"] is True
    saved = create_backup(crypto_run.app, tmp_path / "kept")
    assert saved.damaged == ()

    obstore.put(crypto_run.app.archive.store, f"00/{'0' * 64}.warc.gz", b"no row refers to it")
    later = App(crypto_run.settings, clock=lambda: crypto_run.clock() + timedelta(days=3650))
    assert sweep_archive(later, dry_run=False) == 1
    later.store.engine.dispose()
    assert archived_bodies(crypto_run.app) == raw

    elsewhere = msgspec.structs.replace(
        crypto_run.settings.archive_settings, place="s3://installation/restored"
    )
    settings = msgspec.structs.replace(crypto_run.settings, data=str(tmp_path / "other"), archive=elsewhere)
    other = App(settings, clock=crypto_run.clock)
    restore(other, select_backup(tmp_path / "kept", None), force=False)
    assert all_rows(other.store.engine) == all_rows(crypto_run.app.store.engine)
    assert archived_bodies(other) == raw
    other.store.engine.dispose()


def test_commands_report_what_is_wrong_with_a_bucket(
    place: ArchiveSettings,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.chdir(tmp_path)

    def write_settings(**changes: str) -> None:
        archive = {**msgspec.structs.asdict(place), **changes}
        Path("headwater.yaml").write_text(yaml.safe_dump({"data": "d", "archive": archive}), encoding="utf-8")

    write_settings()
    assert call(capsys, monkeypatch, "init", "--json").record["places"]["archive"] == place.place
    write_settings(secret="not-the-secret")
    refused = call(capsys, monkeypatch, "init")
    assert refused.code == 1
    assert "refuses this key" in refused.err
    assert "not-the-secret" not in refused.err
    answer = call(capsys, monkeypatch, "health", "--json")
    archive = answer.record["parts"]["archive"]
    assert (answer.code, archive["ok"]) == (1, False)
    assert archive["detail"].startswith("archive_denied")
    write_settings(endpoint="http://127.0.0.1:1")
    assert "its server answers" in call(capsys, monkeypatch, "init").err


def move_old_documents(app: App) -> list[str]:
    """Applies retention as the maintenance task does; returns the names of the record files."""
    months_later = App(
        msgspec.structs.replace(app.settings, retention=Retention(documents=30)),
        clock=lambda: app.clock() + timedelta(days=90),
    )
    counts = apply_retention(months_later)
    months_later.store.engine.dispose()
    assert counts["documents"] > 0
    return sorted(counts["files"])


def test_record_files_are_found_from_every_machine(
    crypto_run: RecipeRun,
    place: ArchiveSettings,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch,
):
    crypto_run.run()
    names = move_old_documents(crypto_run.app)
    assert not (tmp_path / "data" / "records").exists()
    monkeypatch.chdir(tmp_path)
    settings = {
        "data": "another-machine",
        "database": crypto_run.settings.database_url,
        "archive": msgspec.to_builtins(place),
    }
    Path("headwater.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    listed = call(capsys, monkeypatch, "archive", "records", "--json").records
    assert [row["name"] for row in listed] == names
    assert listed[0]["place"] == f"{place.place}/records/{names[0]}"
    assert call(capsys, monkeypatch, "archive", "records", "--recipe", "crypto", "--to", "here").out.count(
        ".parquet"
    ) == len(names)
    assert sorted(path.relative_to("here").as_posix() for path in Path("here").rglob("*.parquet")) == names
    rows = [row for name in names for row in pyarrow.parquet.read_table(Path("here") / name).to_pylist()]
    assert {row["id"] for row in rows} == {
        row["id"] for row in crypto_run.documents() if row["reason"] == "archived"
    }
    assert "No document" in call(capsys, monkeypatch, "archive", "records", "--recipe", "markets").out
    packs = list(crypto_run.app.archive.packs(before=datetime.now(UTC) + timedelta(days=1)))
    assert not [name for name in packs if "records" in name]  # a sweep does not take record files for packs


def test_record_files_are_saved_restored_and_moved(
    crypto_run: RecipeRun, place: ArchiveSettings, tmp_path: Path
):
    crypto_run.run()
    app = crypto_run.app
    names = move_old_documents(app)
    before = {name: app.records.read(name) for name in names}
    saved = create_backup(app, tmp_path / "kept")
    obstore.delete(app.records.store, names)
    assert list(app.records.names()) == []
    restore(app, tmp_path / "kept" / saved.name, force=True)
    assert {name: app.records.read(name) for name in app.records.names()} == before
    attic = Environment(
        data=str(tmp_path / "attic"), database=f"sqlite:///{tmp_path / 'attic.db'}", archive=""
    )
    app_with_attic = App(
        msgspec.structs.replace(app.settings, environments={"attic": attic}), clock=app.clock
    )
    assert move(
        app_with_attic, TargetEnvironment("attic", app_with_attic.settings.in_environment("attic"))
    ).records == len(names)
    moved_records = App(app_with_attic.settings.in_environment("attic")).records
    assert {name: moved_records.read(name) for name in moved_records.names()} == before
    assert {path.suffix for path in (tmp_path / "attic" / "records").rglob("*.*")} == {".parquet"}
    app_with_attic.store.engine.dispose()


def test_record_files_that_an_earlier_version_left_in_the_data_folder_are_copied(
    crypto_run: RecipeRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    crypto_run.app.archive.ready()
    old_records = FolderRecords(tmp_path / "data" / "records")
    names = [f"crypto/2026/2026-01-0{day}-x.parquet" for day in (1, 2)]
    for name in names:
        old_records.write(name, name.encode())
    assert crypto_run.app.records.where(names[0]).startswith("s3://")
    assert {name: crypto_run.app.records.read(name) for name in crypto_run.app.records.names()} == {
        name: name.encode() for name in names
    }
    assert [old_records.read(name) for name in names] == [name.encode() for name in names]

    def write(*_: object) -> None:
        pytest.fail("the bucket holds the file already")

    monkeypatch.setattr(BucketRecords, "write", write)
    another = App(crypto_run.settings, clock=crypto_run.clock)
    assert list(another.records.names()) == names


def test_a_record_file_that_a_backup_holds_is_not_read_from_the_bucket_again(
    crypto_run: RecipeRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    app, names_read = crypto_run.app, []
    original_read = BucketRecords.read

    def read(files: BucketRecords, name: str) -> bytes | None:
        names_read.append(name)
        return original_read(files, name)

    monkeypatch.setattr(BucketRecords, "read", read)
    names = [f"crypto/2026/2026-01-0{day}-x.parquet" for day in (1, 2, 3)]
    app.records.write(names[0], b"rows")
    app.records.write(names[1], b"rows")
    create_backup(app, tmp_path / "kept")
    assert names_read == names[:2]
    names_read.clear()
    app.records.write(names[2], b"rows")
    (tmp_path / "kept" / "records" / names[0]).write_bytes(b"rot")
    second = create_backup(app, tmp_path / "kept")
    assert names_read == [names[0], names[2]]
    assert check_backup(tmp_path / "kept" / second.name).records == len(names)


OUTSIDE = (
    "../2026/secret.parquet",
    ".hidden/2026/x.parquet",
    "crypto/2026/.parquet",
    "crypto/2026/../x.parquet",
)


def test_no_name_of_a_record_file_leads_out_of_its_folder(crypto_run: RecipeRun, tmp_path: Path):
    secret = tmp_path / "2026" / "secret.parquet"
    secret.parent.mkdir()
    secret.write_bytes(b"secret")
    for files in (crypto_run.app.records, FolderRecords(tmp_path / "records")):
        files.write("crypto/2026/2026-01-01-a.parquet", b"rows")
        assert files.read("crypto/2026/2026-01-01-a.parquet") == b"rows"
        assert files.read("crypto/2026/2026-01-01-none.parquet") is None
        for name in OUTSIDE:
            assert files.read(name) is None
            with pytest.raises(Refused, match="not a valid record file name"):
                files.write(name, b"taken")
    assert secret.read_bytes() == b"secret"


def test_a_failed_write_of_a_record_file_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    files = FolderRecords(tmp_path / "records")
    with monkeypatch.context() as patch:
        patch.setattr(record_files.os, "fsync", _disk_full)
        with pytest.raises(Temporary, match="No space"):
            files.write("crypto/2026/2026-01-01-a.parquet", b"rows")
    assert [path for path in files.folder.rglob("*") if path.is_file()] == []


def _disk_full(_: int) -> None:
    raise OSError(ENOSPC, "No space left on device")


def test_a_written_record_file_syncs_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    synced_folders = []
    monkeypatch.setattr(record_files, "_sync_folder", synced_folders.append)
    FolderRecords(tmp_path / "records").write("crypto/2026/2026-01-01-a.parquet", b"rows")
    assert synced_folders[0] == tmp_path / "records" / "crypto" / "2026"
