"""A backup drill: a restored installation equals the original, on each database and from one to the other."""

import shutil
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import Engine, func, select
from tests.flow.command_line import call
from tests.support.crypto_scene import ask, crypto, drafts
from tests.support.environments import on_sqlite
from tests.support.recipe_run import RecipeRun, recipe_run
from tests.support.scene import START, Scene, kept_result, make_source

from headwater.app import App
from headwater.archive.record_files import FolderRecords, copy_records
from headwater.model.errors import Refused, Temporary
from headwater.ops.backup import create_backup
from headwater.ops.backup_check import check_backup
from headwater.ops.backup_folder import list_backups, read_manifest, select_backup, write_manifest
from headwater.ops.restore import restore
from headwater.search.query import SearchFilters, SearchQuery, words_query
from headwater.settings.settings import Settings
from headwater.store.connect import read_transaction
from headwater.store.maintenance import snapshot
from headwater.store.maintenance.snapshot import check_snapshot, save_snapshot
from headwater.store.migrate import HEAD
from headwater.store.rows import capture_from
from headwater.store.schema.flow import captures, documents, sources
from headwater.store.search.document_search import DocumentSearch
from headwater.store.sql_store import SqlStore
from headwater.store.tables import metadata
from headwater_demo.internet import Internet, running

FEEDS = [("Ledger Lane", "http://ledgerlane.example/feed"), ("Odd", "http://oddfeeds.example/truncated.xml")]
Rows = dict[str, list[Any]]


@pytest.fixture(scope="module")
def internet() -> Iterator[Internet]:
    with running(size="small") as served:
        yield served


@pytest.fixture
def crypto_run(tmp_path: Path, internet: Internet, database: str) -> Iterator[RecipeRun]:
    with recipe_run(tmp_path, internet, database=database, feeds=FEEDS) as crypto_run:
        yield crypto_run


@pytest.fixture
def target(crypto_run: RecipeRun, empty_database: str, tmp_path: Path) -> Iterator[App]:
    """An empty installation to restore into, on either database."""
    settings = msgspec.structs.replace(
        crypto_run.settings, data=str(tmp_path / "target"), database=empty_database
    )
    opened = App(settings, clock=crypto_run.clock)
    yield opened
    opened.store.engine.dispose()


def all_rows(engine: Engine) -> Rows:
    with read_transaction(engine) as connection:
        return {
            table.name: sorted((tuple(row) for row in connection.execute(select(table))), key=repr)
            for table in metadata.sorted_tables
        }


def archived_bodies(app: App) -> dict[str, bytes]:
    with read_transaction(app.store.engine) as connection:
        stored_captures = [capture_from(row) for row in connection.execute(select(captures)).mappings()]
    return dict(app.archive.get(stored_captures))


def _search(app: App, query: SearchQuery) -> Sequence[dict[str, Any]]:
    return DocumentSearch(app.store.engine, app.settings.folder).search(query, method="words").rows


def test_c30_a_restored_store_equals_the_original_and_is_searched_as_before(
    crypto_run: RecipeRun, target: App, tmp_path: Path
):
    crypto_run.run()
    before, raw = all_rows(crypto_run.app.store.engine), archived_bodies(crypto_run.app)
    assert len(before["documents"]) > 5
    assert len(raw) == 2
    filters = SearchFilters(recipe=(crypto_run.recipe.name,))
    search_query = words_query("bitcoin market", filters=filters, limit=5)
    matches = {row["id"] for row in _search(crypto_run.app, search_query)}
    assert matches
    saved = create_backup(crypto_run.app, tmp_path / "kept")
    assert saved.damaged == ()
    shutil.rmtree(crypto_run.app.archive_folder)  # the original is lost
    restore(target, select_backup(tmp_path / "kept", None), force=False)
    after = all_rows(target.store.engine)
    assert {name: len(rows) for name, rows in after.items()} == {
        name: len(rows) for name, rows in before.items()
    }
    assert after == before
    assert archived_bodies(target) == raw
    assert {row["id"] for row in _search(target, search_query)} == matches
    views = ("publishers", "articles", "ingestion_jobs", "feed_performance")
    for view in views:
        query = f"SELECT id FROM {view} ORDER BY id"
        assert ask(target.store.engine, query) == ask(crypto_run.app.store.engine, query)


def test_c30_the_restored_store_continues_without_duplicates(
    crypto_run: RecipeRun, empty_database: str, tmp_path: Path
):
    crypto_run.run()
    create_backup(crypto_run.app, tmp_path / "kept")
    (tmp_path / "second").mkdir()
    options = {"database": empty_database, "feeds": FEEDS, "clock": crypto_run.clock}
    with recipe_run(tmp_path / "second", crypto_run.internet, **options) as second:
        empty = App(second.settings, clock=crypto_run.clock)
        restore(empty, select_backup(tmp_path / "kept", None), force=False)
        empty.store.engine.dispose()
        second.poll_again()
        assert sorted(row["id"] for row in second.documents()) == sorted(
            row["id"] for row in crypto_run.documents()
        )
        assert second.unfinished() == {}


def test_c30_a_backup_during_writes_is_consistent(store: SqlStore, tmp_path: Path):
    stop = threading.Event()
    written_numbers: list[int] = []

    def write() -> None:
        for number in range(100_000):
            if stop.is_set():
                return
            pair = [make_source(f"S{number}-{side}") for side in "ab"]
            store.register(pair, START)
            written_numbers.append(number)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        while len(written_numbers) < 20:
            stop.wait(0.01)
        for index in range(3):
            save_snapshot(store.engine, tmp_path / f"{index}.db")
    finally:
        stop.set()
        writer.join()
    counts = [check_snapshot(tmp_path / f"{index}.db")["sources"] for index in range(3)]
    assert all(count % 2 == 0 and count >= 40 for count in counts)
    assert counts == sorted(counts)


@pytest.fixture
def app(database: str, tmp_path: Path, scene: Scene) -> Iterator[App]:
    opened = App(Settings(data=str(tmp_path / "data"), database=database), clock=lambda: scene.now)
    opened.install_views()
    yield opened
    opened.store.engine.dispose()


def fill(scene: Scene, *paths: str) -> None:
    scene.refine(*(kept_result(draft) for draft in drafts(scene, crypto(), *paths)))


def test_c30_existing_data_is_replaced_only_with_force(app: App, scene: Scene, tmp_path: Path):
    fill(scene, "a")
    before = all_rows(app.store.engine)
    backup = tmp_path / "kept" / create_backup(app, tmp_path / "kept").name
    fill(scene, "b")
    with pytest.raises(Refused, match="there is data already"):
        restore(app, backup, force=False)
    assert scene.count(documents) == 2
    restore(app, backup, force=True)
    assert all_rows(app.store.engine) == before


def test_a_restore_is_refused_while_workers_are_at_work(app: App, scene: Scene, tmp_path: Path):
    drafts(scene, crypto(), "a")  # claimed, and so leased
    backup = tmp_path / "kept" / create_backup(app, tmp_path / "kept").name
    with pytest.raises(Refused, match="workers are active"):
        restore(app, backup, force=True)
    scene.store.release(["me"], counts=False)
    restore(app, backup, force=True)
    assert [row["lease_owner"] for row in scene.rows(documents)] == [None]


class WorkerDied(BaseException):
    """Nothing catches it."""


def _die(*_: Any, **__: Any) -> None:
    raise WorkerDied


def test_c35_a_kill_during_a_backup_leaves_no_backup(
    app: App, scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    fill(scene, "a")
    monkeypatch.setattr("headwater.ops.backup.file_hash", _die)
    with pytest.raises(WorkerDied):
        create_backup(app, tmp_path / "kept")
    assert list_backups(tmp_path / "kept") == []


def test_c35_a_kill_during_a_restore_leaves_the_old_store(
    app: App, scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    fill(scene, "a")
    backup = tmp_path / "kept" / create_backup(app, tmp_path / "kept").name
    fill(scene, "b")
    before = all_rows(app.store.engine)
    target = "_path" if app.store.engine.dialect.name == "sqlite" else "copy_rows"
    with monkeypatch.context() as broken:
        broken.setattr(snapshot, target, _die)
        with pytest.raises(WorkerDied):
            restore(app, backup, force=True)
    assert all_rows(app.store.engine) == before


@pytest.mark.parametrize("harm", ["database", "manifest", "missing"])
def test_c30_a_damaged_backup_is_refused_before_anything_changes(
    app: App, scene: Scene, tmp_path: Path, harm: str
):
    fill(scene, "a")
    backup = tmp_path / "kept" / create_backup(app, tmp_path / "kept").name
    _harm(backup, harm)
    before = all_rows(app.store.engine)
    with pytest.raises(Refused, match="another backup"):
        restore(app, backup, force=True)
    assert all_rows(app.store.engine) == before


def _harm(backup: Path, harm: str) -> None:
    database = backup / "headwater.db"
    if harm == "missing":
        database.unlink()
    elif harm == "manifest":
        (backup / "manifest.json").write_text("{}", encoding="utf-8")
    else:
        data = bytearray(database.read_bytes())
        data[len(data) // 2] ^= 0xFF
        database.write_bytes(data)


def test_packs_are_copied_once_and_damage_is_reported(crypto_run: RecipeRun, tmp_path: Path):
    crypto_run.run()
    first = create_backup(crypto_run.app, tmp_path / "kept")
    second = create_backup(crypto_run.app, tmp_path / "kept")
    assert (first.packs_copied, second.packs_copied) == (first.packs, 0)
    assert first.packs > 0
    (pack, *_) = crypto_run.app.archive_folder.rglob("*.warc.gz")
    pack.write_bytes(b"gone bad")
    third = create_backup(crypto_run.app, tmp_path / "elsewhere")
    assert [Path(name).name for name in third.damaged] == [pack.name]
    check = check_backup(tmp_path / "elsewhere" / third.name)
    assert check.missing == third.damaged
    restore(crypto_run.app, select_backup(tmp_path / "kept", first.name), force=True)
    assert create_backup(crypto_run.app, tmp_path / "again").damaged == ()


@on_sqlite
def test_c30_a_backup_includes_the_record_files(app: App, tmp_path: Path):
    records = app.records.folder / "crypto" / "2026" / "2026-01-01-x.parquet"
    records.parent.mkdir(parents=True)
    records.write_bytes(b"rows")
    name = create_backup(app, tmp_path / "kept").name
    records.write_bytes(b"spoilt")
    restore(app, tmp_path / "kept" / name, force=True)
    assert records.read_bytes() == b"rows"
    (tmp_path / "kept" / "records" / "crypto" / "2026" / "2026-01-01-x.parquet").write_bytes(b"bad")
    damaged = "records/crypto/2026/2026-01-01-x.parquet"
    assert check_backup(tmp_path / "kept" / name).damaged == (damaged,)
    with pytest.raises(Refused, match=f"changed since the backup {name}: {damaged}"):
        restore(app, tmp_path / "kept" / name, force=True)


def old_file(app: App, name: str = "crypto/2026/2026-01-01-x.parquet") -> Path:
    path = app.records.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"rows")
    return path


@on_sqlite
def test_c30_a_damaged_record_file_does_not_replace_good_copies(app: App, tmp_path: Path):
    spoilt, intact = old_file(app), old_file(app, "crypto/2026/2026-01-02-x.parquet")
    first = create_backup(app, tmp_path / "kept")
    assert first.records_damaged == ()
    spoilt.write_bytes(b"rot")
    for _ in range(2):
        later = create_backup(app, tmp_path / "kept")
        assert later.records_damaged == ("crypto/2026/2026-01-01-x.parquet",)
        assert check_backup(tmp_path / "kept" / later.name).records == 2
    assert check_backup(tmp_path / "kept" / first.name).records == 2
    restore(app, tmp_path / "kept" / later.name, force=True)
    assert (spoilt.read_bytes(), intact.read_bytes()) == (b"rows", b"rows")


@on_sqlite
def test_a_good_file_replaces_the_damaged_copy_and_two_damaged_ones_are_reported(app: App, tmp_path: Path):
    original = old_file(app)
    copy = tmp_path / "kept" / "records" / original.relative_to(app.records.folder)
    first = create_backup(app, tmp_path / "kept")
    copy.write_bytes(b"rot")
    assert create_backup(app, tmp_path / "kept").records_damaged == ()
    assert check_backup(tmp_path / "kept" / first.name).records == 1
    copy.write_bytes(b"rot")
    original.write_bytes(b"worse")
    for _ in range(2):
        backup = create_backup(app, tmp_path / "kept")
        assert len(backup.records_damaged) == 1
        assert check_backup(tmp_path / "kept" / backup.name).records == 0
    assert copy.read_bytes() == b"rot"


@on_sqlite
def test_an_unreadable_manifest_does_not_prevent_a_backup(app: App, tmp_path: Path):
    old_file(app)
    first, second = create_backup(app, tmp_path / "kept"), create_backup(app, tmp_path / "kept")
    (tmp_path / "kept" / second.name / "manifest.json").write_text("{}", encoding="utf-8")
    old_file(app).write_bytes(b"rot")
    assert create_backup(app, tmp_path / "kept").records_damaged
    assert check_backup(tmp_path / "kept" / first.name).records == 1


def test_copies_that_differ_are_named_and_both_stay(tmp_path: Path):
    originals, copies = FolderRecords(tmp_path / "here"), FolderRecords(tmp_path / "there")
    names = [f"crypto/2026/2026-01-0{day}-x.parquet" for day in (1, 2, 3)]
    for name in names:
        originals.write(name, b"rows")
    copies.write(names[0], b"rot")
    copies.write(names[1], b"rows")
    with pytest.raises(Refused, match="one of the two is damaged") as refusal:
        copy_records(originals, copies)
    assert str(copies.folder / names[0]) in str(refusal.value)
    assert [copies.read(name) for name in names] == [b"rot", b"rows", b"rows"]
    assert [originals.read(name) for name in names] == [b"rows"] * 3
    copies.write(names[0], b"rows")
    (copies.folder / names[2]).unlink()
    assert copy_records(originals, copies) == 1


@on_sqlite
def test_files_of_other_programs_are_left_alone(app: App, tmp_path: Path):
    old_file(app)
    for stray in ("mine.parquet", "crypto/2026/a copy.parquet", "crypto/notes/2026.parquet"):
        old_file(app, stray)
    (app.records.folder / "crypto" / "2026" / "folder.parquet").mkdir()
    assert list(app.records.names()) == ["crypto/2026/2026-01-01-x.parquet"]
    assert check_backup(tmp_path / "kept" / create_backup(app, tmp_path / "kept").name).records == 1


@on_sqlite
def test_a_backup_of_an_earlier_version_with_a_file_of_another_program_is_restored(app: App, tmp_path: Path):
    record_file = old_file(app)
    backup = tmp_path / "kept" / create_backup(app, tmp_path / "kept").name
    manifest = read_manifest(backup)
    shutil.copy(record_file, tmp_path / "kept" / "records" / "mine.parquet")
    manifest.records["mine.parquet"] = manifest.records["crypto/2026/2026-01-01-x.parquet"]
    write_manifest(backup, manifest)
    record_file.unlink()
    assert restore(app, backup, force=True).check.records == 2
    assert list(app.records.names()) == ["crypto/2026/2026-01-01-x.parquet"]


@on_sqlite
def test_c30_a_clean_up_during_a_backup_does_no_harm(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    old_file(app)
    original_read = FolderRecords.read

    def read(files: FolderRecords, name: str) -> bytes | None:
        old_file(app, "crypto/2026/2026-01-02-new.parquet")
        return original_read(files, name)

    monkeypatch.setattr(FolderRecords, "read", read)
    assert check_backup(tmp_path / "kept" / create_backup(app, tmp_path / "kept").name).records == 1


@on_sqlite
def test_a_file_that_disappears_during_a_backup_is_named(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    record_file = old_file(app)
    monkeypatch.setattr(FolderRecords, "read", lambda *_: None)
    with pytest.raises(Temporary, match="was there a moment ago") as raised:
        create_backup(app, tmp_path / "kept")
    assert str(record_file) in str(raised.value)
    assert list_backups(tmp_path / "kept") == []


@on_sqlite
def test_a_backup_folder_may_have_any_name(app: App, scene: Scene, tmp_path: Path):
    fill(scene, "a")
    folder = tmp_path / "100 % saved & #1?"
    assert check_backup(folder / create_backup(app, folder).name).rows > 0


@on_sqlite
def test_a_backup_inside_the_archive_or_the_data_folder_is_refused(app: App):
    assert app.archive is not None
    with pytest.raises(Refused, match="choose another folder"):
        create_backup(app, app.archive_folder / "kept")
    with pytest.raises(Refused, match="inside the data folder"):
        create_backup(app, app.settings.folder / "kept")


def test_c30_the_commands_save_check_and_restore(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    def run_cli(data: str, *words: str) -> Any:
        return call(capsys, monkeypatch, "--data", str(tmp_path / data), *words)

    monkeypatch.chdir(tmp_path)
    assert run_cli("one", "init", "--json").code in {0, 2}
    assert run_cli("one", "sources", "add", "crypto", "https://wire.example/feed", "--no-check").code in {
        0,
        1,
        2,
    }
    saved = run_cli("one", "backup", "create", "kept", "--json").record
    assert run_cli("one", "restore", "kept", "--dry-run", "--json").record["restored"] is False
    assert "is sound" in run_cli("one", "restore", "kept", "--dry-run").out
    restored = run_cli("two", "restore", "kept", "--name", saved["name"], "--json").record
    assert (restored["restored"], restored["rows"]) == (True, saved["rows"])
    files = FolderRecords(tmp_path / "one" / "records")
    files.write("crypto/2026/2026-01-01-x.parquet", b"rows")
    assert run_cli("one", "backup", "create", "kept").code == 0
    files.write("crypto/2026/2026-01-01-x.parquet", b"rot")
    spoilt = run_cli("one", "backup", "create", "kept")
    assert (spoilt.code, spoilt.out.count("2026-01-01-x.parquet")) == (1, 2)
    unknown = run_cli("two", "restore", "kept", "--name", "20000101T000000Z")
    assert unknown.code == 1
    assert saved["name"] in unknown.err
    assert run_cli("two", "restore", "nowhere").code == 1
    assert read_manifest(tmp_path / "kept" / saved["name"]).schema == HEAD


def test_the_manifest_counts_every_row(app: App, scene: Scene, tmp_path: Path):
    fill(scene, *(str(i) for i in range(30)))
    manifest = read_manifest(tmp_path / "kept" / create_backup(app, tmp_path / "kept").name)
    with read_transaction(app.store.engine) as connection:
        for table in metadata.sorted_tables:
            count = connection.scalar(select(func.count()).select_from(table))
            assert manifest.tables[table.name] == count, table.name
    assert manifest.tables["sources"] == scene.count(sources)
