"""Moving house: the same rows and captures there, killed anywhere and run again, and a run that goes on without a refetch."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from sqlalchemy import insert, select, update
from tests.flow.command_line import Answer, call, shell
from tests.flow.test_backup_drill import bodies, everything
from tests.servers.postgres import Postgres
from tests.servers.seaweed import Seaweed
from tests.support.recipe_run import RecipeRun, recipe_run

from headwater.app import App
from headwater.model.connection_settings import ConnectionSettings
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
from headwater.ops.sweep import sweep_archive
from headwater.runtime.worker_pool import run_workers
from headwater.settings.archive import ArchiveSettings
from headwater.settings.environments import Environment
from headwater.settings.settings import Settings
from headwater.store.connect import read_transaction, write_transaction
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
class House:
    """An installation in a folder that has run, and an empty home elsewhere."""

    lab: RecipeRun
    settings: Settings

    @property
    def there(self) -> Settings:
        return self.settings.in_environment("cluster")


def cluster(postgres: Postgres, seaweed: Seaweed) -> tuple[str, Environment]:
    name = f"moved{next(numbers)}"
    place = ArchiveSettings(f"s3://moved/{name}", seaweed.endpoint, key=seaweed.key, secret=seaweed.secret)
    return name, Environment(database=postgres.create(name), archive=place)


def add_packs(app: App, number: int = 3, said: str = "another body") -> None:
    """How many there are after a run is a matter of time; let there be some more."""
    with write_transaction(app.store.engine) as connection:
        one = dict(connection.execute(select(captures)).mappings().first())
        for body in (f"{said} {place}".encode() for place in range(number)):
            told = {"sha256": sha256(body).hexdigest(), "size": len(body)}
            (stored,) = app.archive.put([(replace(capture_from(one), **told), body)])
            row = one | told | {"id": stored.sha256, "pack": stored.pack, "start": stored.start}
            connection.execute(insert(captures).values(row))


@pytest.fixture
def house(tmp_path: Path, internet: Internet, postgres: Postgres, seaweed: Seaweed) -> Iterator[House]:
    name, home = cluster(postgres, seaweed)
    with recipe_run(tmp_path, internet, feeds=FEEDS) as lab:
        lab.run()
        add_packs(lab.app)
        made = House(lab, msgspec.structs.replace(lab.settings, environments={"cluster": home}))
        yield made
    postgres.drop(name)


@pytest.fixture
def app(house: House) -> Iterator[App]:
    made = App(house.settings, clock=house.lab.clock)
    yield made
    made.store.engine.dispose()


@pytest.fixture
def target(house: House) -> Iterator[App]:
    made = App(house.there, clock=house.lab.clock)
    yield made
    made.store.engine.dispose()


def test_a_moved_installation_is_equal(app: App, target: App):
    before, raw = everything(app.store.engine), bodies(app)
    assert len(before["documents"]) > 5
    rehearsed = preview_move(app, "cluster")
    assert not rehearsed.damaged
    assert rehearsed.rows_copied == sum(len(rows) for rows in before.values())
    told: list[str] = []
    moved = move(app, "cluster", lambda stage, *_: told.append(stage))
    assert moved.tables == rehearsed.tables
    assert (moved.packs, moved.packs_copied) == (rehearsed.packs, rehearsed.packs_copied)
    assert moved.packs > 0
    assert everything(target.store.engine) == before
    assert bodies(target) == raw
    assert {"packs", "rows of documents", "committed", "done"} <= set(told)


def test_a_run_continues_there_without_fetching_anything_again(house: House, app: App, tmp_path: Path):
    known = {row["id"]: row["revision"] for row in house.lab.documents()}
    internet = house.lab.internet
    first = [record["status"] for record in internet.log() if record["path"] == "/feed"]
    assert first[-1] == 200
    move(app, "cluster")
    internet.clear_log()
    (tmp_path / "second").mkdir()
    with recipe_run(tmp_path / "second", internet, feeds=FEEDS, clock=house.lab.clock) as second:
        second.__dict__["settings"] = house.there
        second.poll_again()
        assert {row["id"]: row["revision"] for row in second.documents()} == known
        assert second.unfinished() == {}
    asked = {record["path"]: record["status"] for record in internet.log()}
    assert asked["/feed"] == 304  # what the source said last time came along
    assert asked.keys() <= {"/feed", "/truncated.xml", "/robots.txt", "/.well-known/tdmrep.json"}


def test_workers_no_longer_start_here_and_captures_are_not_swept(app: App):
    move(app, "cluster")
    with pytest.raises(MovedAway, match="--env cluster"):
        run_workers(app, ["crypto"], until_idle=True)
    with pytest.raises(Refused, match="moved"):
        sweep_archive(app, dry_run=False)
    assert move(app, "cluster").rows_copied == 0  # once more: only compared


def test_a_move_is_refused_while_workers_run_and_workers_during_a_move(app: App):
    with worker_lock(app), pytest.raises(Refused, match="workers run"):
        move(app, "cluster")
    with exclusive_lock(app), pytest.raises(Refused, match="being moved"), worker_lock(app):
        pass
    with write_transaction(app.store.engine) as connection:
        lease = {"lease_owner": "elsewhere:1:1:desk", "lease_until": app.clock() + timedelta(hours=1)}
        connection.execute(update(sources).values(**lease))
    with pytest.raises(Refused, match="at work"):
        move(app, "cluster")


def test_other_data_at_the_target_is_not_touched(app: App, target: App):
    target.store.register(app.recipe("crypto").sources[:1], app.clock())
    for call_ in (move, preview_move):
        with pytest.raises(Refused, match="already holds other data"):
            call_(app, "cluster")
    with read_transaction(target.store.engine) as connection:
        assert tables_with_rows(connection) == ["sources"]


def test_the_same_number_of_different_rows_is_other_data(app: App, target: App):
    move(app, "cluster")
    with write_transaction(target.store.engine) as connection:
        connection.execute(update(documents).values(title="Something else"))
    with pytest.raises(Refused, match="already holds other data"):
        move(app, "cluster")


def test_a_copy_that_differs_stops_the_move(app: App, target: App, monkeypatch: pytest.MonkeyPatch):
    converted = transfer._conversion

    def wrong(connection: Any, column: Any) -> Any:
        usual = converted(connection, column)
        return (lambda value: usual(value) + "!") if column is documents.c.title else usual

    with monkeypatch.context() as broken:
        broken.setattr(transfer, "_conversion", wrong)
        with pytest.raises(Refused, match="the copy of documents differs"):
            move(app, "cluster")
    with read_transaction(target.store.engine) as connection:
        assert tables_with_rows(connection) == []
    move(app, "cluster")
    assert everything(target.store.engine) == everything(app.store.engine)


def test_a_damaged_pack_is_reported_and_a_damaged_copy_is_replaced(app: App, target: App):
    harmed, torn = list_packs(app.store.engine)[:2]
    target.archive.add(torn, b"half")
    app.archive.add(harmed, b"half")
    moved = move(app, "cluster")
    assert moved.damaged == (harmed,)
    assert target.archive.whole(torn) is not None
    assert target.archive.whole(harmed) is None


def test_retention_on_another_machine_during_a_move_loses_nothing(app: App, target: App):
    """It writes a file after those were listed, and empties the rows."""
    with read_transaction(app.store.engine) as connection:
        kept = select(documents.c.id, documents.c.revision).where(documents.c.state == State.KEPT)
        old = [(row.id, row.revision) for row in connection.execute(kept.where(documents.c.due_at.is_(None)))]
    target.archive.ready()
    assert list(target.records.names()) == []  # opened now, it brings along nothing by itself later
    first, new = (f"crypto/2026/2026-01-0{day}-part.parquet" for day in (1, 2))

    def put_away(name: str, number: int) -> None:
        app.records.write(name, name.encode())
        old_one, there = old[number : number + 1], app.records.has
        assert mark_archived(app.store.engine, old_one, name, app.clock(), there) == 1

    put_away(first, 0)
    told: list[tuple[str, int]] = []

    def progress(stage: str, done: int, _: int) -> None:
        if stage == "records" and stage not in dict(told):
            put_away(new, 1)
        told.append((stage, done))

    assert move(app, "cluster", progress).records == 2
    assert {name: target.records.read(name) for name in (first, new)} == {
        name: name.encode() for name in (first, new)
    }
    assert [done for stage, done in told if stage == "records"] == [1, 1]  # none is read twice
    assert everything(target.store.engine) == everything(app.store.engine)


def test_values_that_databases_write_differently_are_the_same(app: App, target: App):
    with write_transaction(app.store.engine) as connection:
        odd = {"whole": 1.0, "large": 1e20, "small": 1e-9, "b": 1, "a": "é\\u0001", "deep": [{"x": None}]}
        connection.execute(update(facts).values(value=odd))
    move(app, "cluster")
    assert everything(target.store.engine) == everything(app.store.engine)


def test_the_command_moves_and_reports(
    house: House, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    home = msgspec.to_builtins(house.settings.environments["cluster"])
    told = {
        "data": house.settings.data,
        "environments": {"cluster": {k: v for k, v in home.items() if v is not None}},
    }
    Path("headwater.yaml").write_text(yaml.safe_dump(told), encoding="utf-8")
    house.lab.close()
    assert "no environment 'moon'" in call(capsys, monkeypatch, "move", "--to", "moon").err
    rehearsed = call(capsys, monkeypatch, "move", "--to", "cluster", "--dry-run", "--json").record
    assert rehearsed["dry_run"] is True
    assert "Would move" in call(capsys, monkeypatch, "move", "--to", "cluster", "--dry-run").out
    moved = call(capsys, monkeypatch, "move", "--to", "cluster", "--json").record
    assert moved["tables"] == rehearsed["tables"]
    assert set(moved["hashes"]) == set(moved["tables"])
    assert "all hashes agree" in call(capsys, monkeypatch, "move", "--to", "cluster").out
    here, there = (
        call(capsys, monkeypatch, *home, "docs", "list", "--json").out for home in ((), ("--env", "cluster"))
    )
    assert here == there != ""
    noted = call(capsys, monkeypatch, "docs", "list", "--json")
    assert "the data here may be out of date" in noted.err
    answer = shell("run", "crypto", "--once", at=tmp_path)
    assert answer.code == 1
    assert answer.err.count("moved to the home 'cluster'") == 1
    assert call(capsys, monkeypatch, "--env", "cluster", "move", "--to", "cluster").code == 1


def test_it_also_moves_back_into_a_folder(app: App, target: App, tmp_path: Path):
    before, raw = everything(app.store.engine), bodies(app)
    move(app, "cluster")
    environments = {
        "attic": Environment(
            data=str(tmp_path / "attic"), database=f"sqlite:///{tmp_path / 'attic.db'}", archive=""
        )
    }
    told = {
        "environments": environments,
        "connections": ConnectionSettings(pool_size=1, max_overflow=0),
    }  # one will do
    back = App(msgspec.structs.replace(target.settings, **told), clock=app.clock)
    move(back, "attic")
    attic = App(back.settings.in_environment("attic"), clock=app.clock)
    assert everything(attic.store.engine) == before
    assert bodies(attic) == raw
    back.store.engine.dispose()
    attic.store.engine.dispose()


def test_it_is_the_database_that_counts_and_not_its_address(house: House, app: App):
    """The home to which one moves may be the one that is in use, by another name."""
    away = house.settings.environments["cluster"]
    move(app, "cluster")
    other = replaced(away, database=away.database.replace("@127.0.0.1:", "@localhost:"))
    there = msgspec.structs.replace(house.there, environments={"itself": other})
    moved = App(there, clock=app.clock)
    for call_ in (move, preview_move):
        with pytest.raises(Refused, match="has the same database"):
            call_(moved, "itself")
    moved.store.engine.dispose()
    again = App(msgspec.structs.replace(house.settings, environments={"same": other}), clock=app.clock)
    assert move(again, "same").rows_copied == 0  # gone there already, by that other name
    again.store.engine.dispose()


def test_another_database_at_the_same_address_is_another_environment(
    house: House, app: App, postgres: Postgres
):
    move(app, "cluster")
    name = str(house.settings.environments["cluster"].database).rpartition("/")[2]
    postgres.drop(name)
    postgres.create(name)
    with pytest.raises(MovedAway, match="moved to the home 'cluster'"):
        move(app, "cluster")


def test_an_environment_that_has_moved_is_not_used_again(house: House, app: App, target: App, tmp_path: Path):
    move(app, "cluster")
    attic = Environment(
        data=str(tmp_path / "attic"), database=f"sqlite:///{tmp_path / 'attic.db'}", archive=""
    )
    back = App(msgspec.structs.replace(target.settings, environments={"attic": attic}), clock=app.clock)
    move(back, "attic")
    with pytest.raises(MovedAway, match=r"'cluster' has moved: .*'attic'.*--env cluster move --undo"):
        move(app, "cluster")
    with pytest.raises(MovedAway, match="--env attic"):
        run_workers(back, ["crypto"], until_idle=True)
    assert undo_move(app)
    with pytest.raises(MovedAway, match="'cluster' has moved"):
        preview_move(app, "cluster")
    back.store.engine.dispose()


class Killed(BaseException):
    """As good as dead at that moment: nothing is tidied up but what a database does itself."""


def die_at(moment: str) -> Callable[[str, int, int], None]:
    def progress(stage: str, *_: int) -> None:
        if stage == moment:
            raise Killed

    return progress


def test_no_worker_uses_an_environment_before_the_move_into_it_ends(app: App, target: App):
    with pytest.raises(Killed):
        move(app, "cluster", die_at("committed"))
    with pytest.raises(MovedAway, match="has not ended: run it again over there"):
        run_workers(target, ["crypto"], until_idle=True)
    add_packs(app, 1, "went on")  # nobody is kept from working here
    assert preview_move(app, "cluster").packs_copied == 1
    with pytest.raises(Killed):
        move(app, "cluster", die_at("left"))
    assert everything(target.store.engine) == everything(app.store.engine)
    for place, told in ((app, "moved to the home 'cluster'"), (target, "has not ended")):
        with pytest.raises(MovedAway, match=told):
            refuse_moved_installation(place)
    assert move(app, "cluster").rows_copied == 0
    assert find_move(target) is None


def test_an_unfinished_move_blocks_other_moves_into_the_environment(house: House, app: App, tmp_path: Path):
    with pytest.raises(Killed):
        move(app, "cluster", die_at("committed"))
    other = App(msgspec.structs.replace(house.settings, data=str(tmp_path / "other")), clock=app.clock)
    for call_ in (move, preview_move):
        with pytest.raises(Refused, match=r"'cluster' is in use: .*--env cluster move --undo"):
            call_(other, "cluster")
    environments = {"other": Environment(database=other.settings.database_url, archive="")}
    there = App(msgspec.structs.replace(house.there, environments=environments), clock=app.clock)
    with pytest.raises(MovedAway, match="has not ended"):
        move(there, "other")
    assert undo_move(there) is True
    add_packs(there, 1, "went on there")
    with pytest.raises(Refused, match="already holds other data"):
        move(app, "cluster")
    for made in (other, there):
        made.store.engine.dispose()


def replaced(home: Environment, **told: Any) -> Environment:
    return msgspec.structs.replace(home, **told)


WRITING = (
    "run crypto --once",
    "work",
    "beat --recipe crypto",
    "worker",
    "agent --once",
    "listen",
    "serve",
    "queue retry",
    "replay --recipe crypto --since 30d",
    "sources pause SOURCE",
    "quarantine retry --all crypto",
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
def elsewhere(house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another folder from which the same database is used."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    told = {
        "data": str(tmp_path / "elsewhere" / "data"),
        "database": house.settings.database_url,
        "archive": str(house.settings.folder / "archive"),
        "redis": "redis://127.0.0.1:9/0",
        "callback": "https://news.example/websub",
        "api_key": "a key that nobody guesses",
        "agent": {"endpoint": "http://127.0.0.1:9/v1", "model": "some"},
    }
    Path("headwater.yaml").write_text(yaml.safe_dump(told), encoding="utf-8")


@pytest.mark.usefixtures("elsewhere")
def test_a_database_that_was_moved_from_takes_no_writes(
    house: House, app: App, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    (source,) = {row["id"] for row in app.catalogue.sources() if row["name"] == "Odd"}
    (document, *_) = [row["id"] for row in house.lab.documents()]
    words = {"SOURCE": source, "DOCUMENT": document, "OUT": "out.jsonl"}
    move(app, "cluster")
    before = everything(app.store.engine)

    def answer(line: str) -> Answer:
        return call(capsys, monkeypatch, *(words.get(word, word) for word in line.split()))

    for line in WRITING:
        told = answer(line)
        assert (told.code, told.err.count("moved to the home 'cluster'")) == (1, 1), (line, told)
    for line in READING:
        told = answer(line)
        assert told.code == 0, (line, told)
        assert told.err.count("the data here may be out of date") == 1, (line, told)
    assert everything(app.store.engine) == before
    assert "leave one of them out" in answer("move --undo --dry-run --json").err
    assert answer("sources pause SOURCE").code == 1
    assert answer("move --undo --json").record == {"was_away": True}
    assert answer("move --undo --json").record == {"was_away": False}
    assert "It lives here." in answer("move --undo").out
    assert answer("sources pause SOURCE").code == 0
    assert "--to NAME" in answer("move").err
    assert "--to NAME" in answer("move --undo --to cluster").err
