"""Moving an installation: the same rows and captures in the target, and a run that continues without fetching again."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from sqlalchemy import insert, select, update
from tests.flow.command_line import CommandResult, call
from tests.flow.test_backup_drill import all_rows, archived_bodies
from tests.servers.postgres import Postgres
from tests.servers.seaweed import Seaweed
from tests.support.recipe_run import QuickClock, RecipeRun, recipe_run

from headwater.app import App
from headwater.model.errors import MovedAway, Refused
from headwater.model.jobs import State
from headwater.ops.installation_lock import (
    exclusive_lock,
    find_move,
    refuse_moved_installation,
    undo_move,
    worker_lock,
)
from headwater.ops.move import move, preview_move
from headwater.ops.move_files import list_packs
from headwater.ops.move_target import TargetEnvironment
from headwater.ops.sweep import sweep_archive
from headwater.runtime.worker_pool import run_workers
from headwater.settings.archive import ArchiveSettings
from headwater.settings.environments import Environment
from headwater.settings.settings import Settings
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.connection_settings import ConnectionSettings
from headwater.store.maintenance import table_copy as transfer
from headwater.store.maintenance.retention import mark_archived
from headwater.store.maintenance.snapshot import tables_with_rows
from headwater.store.rows import capture_from
from headwater.store.schema.flow import captures, documents, sources
from headwater.store.schema.knowledge import facts
from headwater_demo.internet import Internet, running

FEEDS = [("Ledger Lane", "http://ledgerlane.example/feed"), ("Odd", "http://oddfeeds.example/truncated.xml")]
numbers = count(1)


@pytest.fixture(scope="module")
def internet() -> Iterator[Internet]:
    with running(size="small") as served:
        yield served


@dataclass
class MovingInstallation:
    """An installation in a folder that has run, and an empty environment as the target of a move."""

    crypto_run: RecipeRun
    settings: Settings

    @property
    def target_settings(self) -> Settings:
        return self.settings.in_environment("cluster")


def cluster(postgres: Postgres, seaweed: Seaweed) -> tuple[str, Environment]:
    name = f"moved{next(numbers)}"
    place = ArchiveSettings(f"s3://moved/{name}", seaweed.endpoint, key=seaweed.key, secret=seaweed.secret)
    return name, Environment(database=postgres.create(name), archive=place)


def destination(app: App, name: str) -> TargetEnvironment:
    return TargetEnvironment(name, app.settings.in_environment(name))


def add_packs(app: App, number: int = 3, text: str = "another body") -> None:
    """Adds packs, because the number of packs after a run depends on timing."""
    with write_transaction(app.store.engine) as connection:
        template = dict(connection.execute(select(captures)).mappings().first())
        for body in (f"{text} {place}".encode() for place in range(number)):
            values = {"sha256": sha256(body).hexdigest(), "size": len(body)}
            (stored,) = app.archive.put([(replace(capture_from(template), **values), body)])
            row = template | values | {"id": stored.sha256, "pack": stored.pack, "start": stored.start}
            connection.execute(insert(captures).values(row))


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory: pytest.TempPathFactory, internet: Internet) -> tuple[Path, datetime]:
    """The data folder of an installation that has run, and the time when it ended. Each test gets a copy."""
    folder = tmp_path_factory.mktemp("finished")
    with recipe_run(folder, internet, feeds=FEEDS) as crypto_run:
        crypto_run.run()
        add_packs(crypto_run.app)
        assert [record["status"] for record in internet.log() if record["path"] == "/feed"] == [200]
        return folder / "data", crypto_run.clock()


@pytest.fixture
def installation(
    tmp_path: Path,
    internet: Internet,
    postgres: Postgres,
    seaweed: Seaweed,
    finished_run: tuple[Path, datetime],
) -> Iterator[MovingInstallation]:
    name, environment = cluster(postgres, seaweed)
    data, ended_at = finished_run
    shutil.copytree(data, tmp_path / "data")
    with recipe_run(tmp_path, internet, feeds=FEEDS, clock=QuickClock(start=ended_at)) as crypto_run:
        settings = msgspec.structs.replace(crypto_run.settings, environments={"cluster": environment})
        yield MovingInstallation(crypto_run, settings)
    postgres.drop(name)


@pytest.fixture
def app(installation: MovingInstallation) -> Iterator[App]:
    source_app = App(installation.settings, clock=installation.crypto_run.clock)
    yield source_app
    source_app.store.engine.dispose()


@pytest.fixture
def target(installation: MovingInstallation) -> Iterator[App]:
    target_app = App(installation.target_settings, clock=installation.crypto_run.clock)
    yield target_app
    target_app.store.engine.dispose()


def test_a_moved_installation_is_equal(app: App, target: App):
    before, raw = all_rows(app.store.engine), archived_bodies(app)
    assert len(before["documents"]) > 5
    rehearsed = preview_move(app, destination(app, "cluster"))
    assert not rehearsed.damaged
    assert rehearsed.rows_copied == sum(len(rows) for rows in before.values())
    stages: list[str] = []
    moved = move(app, destination(app, "cluster"), lambda stage, *_: stages.append(stage))
    assert moved.tables == rehearsed.tables
    assert (moved.packs, moved.packs_copied) == (rehearsed.packs, rehearsed.packs_copied)
    assert moved.packs > 0
    assert all_rows(target.store.engine) == before
    assert archived_bodies(target) == raw
    assert {"packs", "rows of documents", "committed", "done"} <= set(stages)


def test_a_run_continues_there_without_fetching_anything_again(
    installation: MovingInstallation, app: App, tmp_path: Path
):
    revisions = {row["id"]: row["revision"] for row in installation.crypto_run.documents()}
    internet = installation.crypto_run.internet
    move(app, destination(app, "cluster"))
    internet.clear_log()
    (tmp_path / "second").mkdir()
    with recipe_run(
        tmp_path / "second", internet, feeds=FEEDS, clock=installation.crypto_run.clock
    ) as second:
        second.__dict__["settings"] = installation.target_settings
        second.poll_again()
        assert {row["id"]: row["revision"] for row in second.documents()} == revisions
        assert second.unfinished() == {}
    statuses = {record["path"]: record["status"] for record in internet.log()}
    assert statuses["/feed"] == 304  # the validators of the source were moved as well
    assert statuses.keys() <= {"/feed", "/truncated.xml", "/robots.txt", "/.well-known/tdmrep.json"}


def test_workers_no_longer_start_here_and_captures_are_not_swept(app: App):
    move(app, destination(app, "cluster"))
    with pytest.raises(MovedAway, match="--env cluster"):
        run_workers(app, ["crypto"], until_idle=True)
    with pytest.raises(Refused, match="moved"):
        sweep_archive(app, dry_run=False)
    assert move(app, destination(app, "cluster")).rows_copied == 0  # once more: only compared


def test_a_move_is_refused_while_workers_run_and_workers_during_a_move(app: App):
    with worker_lock(app), pytest.raises(Refused, match="workers run"):
        move(app, destination(app, "cluster"))
    with exclusive_lock(app), pytest.raises(Refused, match="being moved"), worker_lock(app):
        pass
    with write_transaction(app.store.engine) as connection:
        lease = {"lease_owner": "elsewhere:1:1:local", "lease_until": app.clock() + timedelta(hours=1)}
        connection.execute(update(sources).values(**lease))
    with pytest.raises(Refused, match="workers are active"):
        move(app, destination(app, "cluster"))


def test_other_data_at_the_target_is_not_touched(app: App, target: App):
    target.store.register(app.recipe("crypto").bundled({}).sources[:1], app.clock())
    for operation in (move, preview_move):
        with pytest.raises(Refused, match="already holds other data"):
            operation(app, destination(app, "cluster"))
    with read_transaction(target.store.engine) as connection:
        assert tables_with_rows(connection) == ["sources"]


def test_the_same_number_of_different_rows_is_other_data(app: App, target: App):
    move(app, destination(app, "cluster"))
    with write_transaction(target.store.engine) as connection:
        connection.execute(update(documents).values(title="Something else"))
    with pytest.raises(Refused, match="already holds other data"):
        move(app, destination(app, "cluster"))


def test_a_copy_that_differs_stops_the_move(app: App, target: App, monkeypatch: pytest.MonkeyPatch):
    converted = transfer._conversion

    def corrupt_titles(connection: Any, column: Any) -> Any:
        usual = converted(connection, column)
        return (lambda value: usual(value) + "!") if column is documents.c.title else usual

    with monkeypatch.context() as broken:
        broken.setattr(transfer, "_conversion", corrupt_titles)
        with pytest.raises(Refused, match="the copy of documents differs"):
            move(app, destination(app, "cluster"))
    with read_transaction(target.store.engine) as connection:
        assert tables_with_rows(connection) == []
    move(app, destination(app, "cluster"))
    assert all_rows(target.store.engine) == all_rows(app.store.engine)


def test_a_damaged_pack_is_reported_and_a_damaged_copy_is_replaced(app: App, target: App):
    harmed, torn = list_packs(app.store.engine)[:2]
    target.archive.add(torn, b"half")
    app.archive.add(harmed, b"half")
    moved = move(app, destination(app, "cluster"))
    assert moved.damaged == (harmed,)
    assert target.archive.whole(torn) is not None
    assert target.archive.whole(harmed) is None


def test_retention_on_another_machine_during_a_move_loses_nothing(app: App, target: App):
    """The clean-up writes a record file after the files were listed, and empties the rows."""
    with read_transaction(app.store.engine) as connection:
        kept_rows = select(documents.c.id, documents.c.revision).where(documents.c.state == State.KEPT)
        old = [
            (row.id, row.revision)
            for row in connection.execute(kept_rows.where(documents.c.due_at.is_(None)))
        ]
    target.archive.ready()
    assert list(target.records.names()) == []  # opened now, it copies nothing by itself later
    first, new = (f"crypto/2026/2026-01-0{day}-part.parquet" for day in (1, 2))

    def archive_document(name: str, number: int) -> None:
        app.records.write(name, name.encode())
        old_row, has_record = old[number : number + 1], app.records.has
        assert mark_archived(app.store.engine, old_row, name, app.clock(), has_record) == 1

    archive_document(first, 0)
    calls: list[tuple[str, int]] = []

    def progress(stage: str, count: int, _: int) -> None:
        if stage == "records" and stage not in dict(calls):
            archive_document(new, 1)
        calls.append((stage, count))

    assert move(app, destination(app, "cluster"), progress).records == 2
    assert {name: target.records.read(name) for name in (first, new)} == {
        name: name.encode() for name in (first, new)
    }
    assert [count for stage, count in calls if stage == "records"] == [1, 1]  # none is read twice
    assert all_rows(target.store.engine) == all_rows(app.store.engine)


def test_values_that_databases_write_differently_compare_equal(app: App, target: App):
    with write_transaction(app.store.engine) as connection:
        odd = {"whole": 1.0, "large": 1e20, "small": 1e-9, "b": 1, "a": "é\\u0001", "deep": [{"x": None}]}
        connection.execute(update(facts).values(value=odd))
    move(app, destination(app, "cluster"))
    assert all_rows(target.store.engine) == all_rows(app.store.engine)


def test_the_command_moves_and_reports(
    installation: MovingInstallation,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.chdir(tmp_path)
    environment = msgspec.to_builtins(installation.settings.environments["cluster"])
    settings = {
        "data": installation.settings.data,
        "environments": {"cluster": {k: v for k, v in environment.items() if v is not None}},
    }
    Path("headwater.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    installation.crypto_run.close()
    assert "no environment 'moon'" in call(capsys, monkeypatch, "move", "--to", "moon").err
    rehearsed = call(capsys, monkeypatch, "move", "--to", "cluster", "--dry-run", "--json").record
    assert rehearsed["dry_run"] is True
    assert "Would move" in call(capsys, monkeypatch, "move", "--to", "cluster", "--dry-run").out
    moved = call(capsys, monkeypatch, "move", "--to", "cluster", "--json").record
    assert moved["tables"] == rehearsed["tables"]
    assert set(moved["hashes"]) == set(moved["tables"])
    assert "all hashes agree" in call(capsys, monkeypatch, "move", "--to", "cluster").out
    local_list, moved_list = (
        call(capsys, monkeypatch, *options, "docs", "list", "--json").out
        for options in ((), ("--env", "cluster"))
    )
    assert local_list == moved_list != ""
    noted = call(capsys, monkeypatch, "docs", "list", "--json")
    assert "the data here may be out of date" in noted.err
    answer = call(capsys, monkeypatch, "run", "crypto", "--once")
    assert answer.code == 1
    assert answer.err.count("moved to the environment 'cluster'") == 1
    assert call(capsys, monkeypatch, "--env", "cluster", "move", "--to", "cluster").code == 1


def test_an_installation_moves_back_into_a_folder(app: App, target: App, tmp_path: Path):
    before, raw = all_rows(app.store.engine), archived_bodies(app)
    move(app, destination(app, "cluster"))
    environments = {
        "attic": Environment(
            data=str(tmp_path / "attic"), database=f"sqlite:///{tmp_path / 'attic.db'}", archive=""
        )
    }
    changes = {
        "environments": environments,
        "connections": ConnectionSettings(pool_size=1, max_overflow=0),
    }  # one will do
    back = App(msgspec.structs.replace(target.settings, **changes), clock=app.clock)
    move(back, destination(back, "attic"))
    attic = App(back.settings.in_environment("attic"), clock=app.clock)
    assert all_rows(attic.store.engine) == before
    assert archived_bodies(attic) == raw
    back.store.engine.dispose()
    attic.store.engine.dispose()


def test_a_database_is_recognised_under_another_address(installation: MovingInstallation, app: App):
    """The target may be the database in use, under another name."""
    environment = installation.settings.environments["cluster"]
    move(app, destination(app, "cluster"))
    other = replace_environment(
        environment, database=environment.database.replace("@127.0.0.1:", "@localhost:")
    )
    settings = msgspec.structs.replace(installation.target_settings, environments={"itself": other})
    moved = App(settings, clock=app.clock)
    for operation in (move, preview_move):
        with pytest.raises(Refused, match="has the same database"):
            operation(moved, destination(moved, "itself"))
    moved.store.engine.dispose()
    again = App(msgspec.structs.replace(installation.settings, environments={"same": other}), clock=app.clock)
    assert move(again, destination(again, "same")).rows_copied == 0  # moved there already, under another name
    again.store.engine.dispose()


def test_another_database_at_the_same_address_is_another_environment(
    installation: MovingInstallation, app: App, postgres: Postgres
):
    move(app, destination(app, "cluster"))
    name = str(installation.settings.environments["cluster"].database).rpartition("/")[2]
    postgres.drop(name)
    postgres.create(name)
    with pytest.raises(MovedAway, match="moved to the environment 'cluster'"):
        move(app, destination(app, "cluster"))


def test_an_environment_that_has_moved_is_not_used_again(
    installation: MovingInstallation, app: App, target: App, tmp_path: Path
):
    move(app, destination(app, "cluster"))
    attic = Environment(
        data=str(tmp_path / "attic"), database=f"sqlite:///{tmp_path / 'attic.db'}", archive=""
    )
    back = App(msgspec.structs.replace(target.settings, environments={"attic": attic}), clock=app.clock)
    move(back, destination(back, "attic"))
    with pytest.raises(MovedAway, match=r"'cluster' has moved: .*'attic'.*--env cluster move --undo"):
        move(app, destination(app, "cluster"))
    with pytest.raises(MovedAway, match="--env attic"):
        run_workers(back, ["crypto"], until_idle=True)
    assert undo_move(app)
    with pytest.raises(MovedAway, match="'cluster' has moved"):
        preview_move(app, destination(app, "cluster"))
    back.store.engine.dispose()


class Killed(BaseException):
    """Ends a move as a kill does: nothing is cleaned up except by the database."""


def die_at(moment: str) -> Callable[[str, int, int], None]:
    def progress(stage: str, *_: int) -> None:
        if stage == moment:
            raise Killed

    return progress


def test_no_worker_uses_an_environment_before_the_move_into_it_ends(app: App, target: App):
    with pytest.raises(Killed):
        move(app, destination(app, "cluster"), die_at("committed"))
    with pytest.raises(MovedAway, match="has not ended: repeat the move there"):
        run_workers(target, ["crypto"], until_idle=True)
    add_packs(app, 1, "went on")  # work here is still allowed
    assert preview_move(app, destination(app, "cluster")).packs_copied == 1
    with pytest.raises(Killed):
        move(app, destination(app, "cluster"), die_at("left"))
    assert all_rows(target.store.engine) == all_rows(app.store.engine)
    for place, message in ((app, "moved to the environment 'cluster'"), (target, "has not ended")):
        with pytest.raises(MovedAway, match=message):
            refuse_moved_installation(place)
    assert move(app, destination(app, "cluster")).rows_copied == 0
    assert find_move(target) is None


def test_an_empty_target_takes_no_writes_once_its_first_pack_is_copied(app: App, target: App):
    with pytest.raises(Killed):
        move(app, destination(app, "cluster"), die_at("packs"))
    with pytest.raises(MovedAway, match="has not ended: repeat the move there"):
        run_workers(target, ["crypto"], until_idle=True)
    assert move(app, destination(app, "cluster")).rows_copied > 0


def test_an_unfinished_move_blocks_other_moves_into_the_environment(
    installation: MovingInstallation, app: App, tmp_path: Path
):
    with pytest.raises(Killed):
        move(app, destination(app, "cluster"), die_at("committed"))
    other = App(msgspec.structs.replace(installation.settings, data=str(tmp_path / "other")), clock=app.clock)
    for operation in (move, preview_move):
        with pytest.raises(Refused, match=r"'cluster' is in use: .*--env cluster move --undo"):
            operation(other, destination(other, "cluster"))
    environments = {"other": Environment(database=other.settings.database_url, archive="")}
    waiting = App(
        msgspec.structs.replace(installation.target_settings, environments=environments), clock=app.clock
    )
    with pytest.raises(MovedAway, match="has not ended"):
        move(waiting, destination(waiting, "other"))
    assert undo_move(waiting) is True
    add_packs(waiting, 1, "went on there")
    with pytest.raises(Refused, match="already holds other data"):
        move(app, destination(app, "cluster"))
    for opened in (other, waiting):
        opened.store.engine.dispose()


def replace_environment(environment: Environment, **changes: Any) -> Environment:
    return msgspec.structs.replace(environment, **changes)


WRITING = (
    "run crypto --once",
    "work",
    "beat --recipe crypto",
    "worker",
    "agent --once",
    "serve",
    "queue retry",
    "replay --recipe crypto --since 30d",
    "sources pause SOURCE",
    "quarantine retry --recipe crypto",
    "cleanup",
    "health",
    "sweep",
)
READING = (
    "status",
    "docs list --json",
    "sources list",
    "explain DOCUMENT",
    "export articles --out OUT",
    "search bitcoin",
)


@pytest.fixture
def elsewhere(installation: MovingInstallation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another folder whose settings name the same database."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    settings = {
        "data": str(tmp_path / "elsewhere" / "data"),
        "database": installation.settings.database_url,
        "archive": str(installation.settings.folder / "archive"),
        "redis": "redis://127.0.0.1:9/0",
        "callback": "https://news.example/websub",
        "api_key": "a key that is hard to guess",
        "agent": {"endpoint": "http://127.0.0.1:9/v1", "model": "some"},
    }
    Path("headwater.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")


@pytest.mark.usefixtures("elsewhere")
def test_a_database_that_was_moved_from_takes_no_writes(
    installation: MovingInstallation,
    app: App,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    (source,) = {row["id"] for row in app.catalogue.sources() if row["name"] == "Odd"}
    (document, *_) = [row["id"] for row in installation.crypto_run.documents()]
    words = {"SOURCE": source, "DOCUMENT": document, "OUT": "out.jsonl"}
    move(app, destination(app, "cluster"))
    before = all_rows(app.store.engine)

    def run_line(line: str) -> CommandResult:
        return call(capsys, monkeypatch, *(words.get(word, word) for word in line.split()))

    for line in WRITING:
        result = run_line(line)
        assert (result.code, result.err.count("moved to the environment 'cluster'")) == (1, 1), (line, result)
    for line in READING:
        result = run_line(line)
        assert result.code == 0, (line, result)
        assert result.err.count("the data here may be out of date") == 1, (line, result)
    assert all_rows(app.store.engine) == before
    assert "give one of them" in run_line("move --undo --dry-run --json").err
    assert run_line("sources pause SOURCE").code == 1
    assert run_line("move --undo --json").record == {"was_away": True}
    assert run_line("move --undo --json").record == {"was_away": False}
    assert "This environment is in use." in run_line("move --undo").out
    assert run_line("sources pause SOURCE").code == 0
    assert "--to NAME" in run_line("move").err
    assert "--to NAME" in run_line("move --undo --to cluster").err
