"""Kill a move anywhere: the target holds nothing or everything, and the next try completes it, even if workers run at
the source in between."""

import json
import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.flow.test_backup_drill import all_rows, archived_bodies
from tests.flow.test_move import add_packs
from tests.servers.postgres import Postgres
from tests.servers.seaweed import Seaweed
from tests.support.deadline import DEADLINE
from tests.support.recipe_run import recipe_run

from headwater.app import App
from headwater.model.errors import MovedAway
from headwater.ops.installation_lock import refuse_moved_installation, undo_move
from headwater.ops.move_files import list_packs
from headwater.settings.archive import ArchiveSettings
from headwater.settings.environments import Environment
from headwater.settings.settings import Settings
from headwater.store.connect import write_transaction
from headwater.store.maintenance.snapshot import delete_all_rows
from headwater_demo.internet import running

KILLED = -9
KINDS = ("packs", "rows of documents", "rows", "committed", "remember", "left", "done")
ARRIVED = frozenset({"committed", "remember", "left", "done"})
numbers = count(1)
Command = subprocess.Popen[str]


@pytest.fixture(scope="module")
def victims() -> Iterator[Command]:
    script = Path(__file__).with_name("moving_victim.py")
    words = [sys.executable, str(script)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.stdin.close()
        process.wait(DEADLINE)


def live(victims: Command, settings: Settings, kill_at: str | None) -> int:
    settings_text = {
        "settings": msgspec.to_builtins(settings),
        "kill_at": kill_at,
        "moments": str(Path(settings.data) / "moments"),
    }
    victims.stdin.write(json.dumps(settings_text) + "\n")
    victims.stdin.flush()
    return int(victims.stdout.readline())


def state(app: App) -> dict[str, list[Any]]:
    return {name: rows for name, rows in all_rows(app.store.engine).items() if name != "maintenance_tasks"}


def test_killed_at_every_kind_of_moment_a_move_is_run_again_and_equal(
    tmp_path: Path, postgres: Postgres, seaweed: Seaweed, victims: Command
):
    feeds = [
        ("Ledger Lane", "http://ledgerlane.example/feed"),
        ("Odd", "http://oddfeeds.example/truncated.xml"),
    ]
    with running(size="small") as internet, recipe_run(tmp_path, internet, feeds=feeds) as lab:
        lab.run()
        add_packs(lab.app)
        before, raw, packs = state(lab.app), archived_bodies(lab.app), list_packs(lab.app.store.engine)

    database = postgres.create("killed")

    def fresh() -> Settings:
        place = f"s3://killed/{next(numbers)}"
        archive = ArchiveSettings(place, seaweed.endpoint, key=seaweed.key, secret=seaweed.secret)
        environments = {"cluster": Environment(database=database, archive=archive)}
        return msgspec.structs.replace(lab.settings, environments=environments)

    def leave(target: App) -> None:
        with write_transaction(target.store.engine) as connection:
            delete_all_rows(connection)
        target.store.engine.dispose()
        source = App(lab.settings)
        assert undo_move(source) is True
        source.store.engine.dispose()

    settings = fresh()
    assert live(victims, settings, None) == 0
    moments = json.loads((Path(lab.settings.data) / "moments").read_text())
    leave(App(settings.in_environment("cluster")))
    assert moments.count("packs") == len(packs) > 1
    settings = fresh()
    target = App(settings.in_environment("cluster"))
    for kind in KINDS:
        assert live(victims, settings, kind) == KILLED
        arrived = state(target)
        assert arrived == before or not any(arrived.values()), kind
        assert any(arrived.values()) == (kind in ARRIVED), kind
        if kind in ARRIVED - {"done"}:
            with pytest.raises(MovedAway, match="has not ended"):
                refuse_moved_installation(target)
        if kind == "committed":  # a supervisor starts workers here again
            source = App(lab.settings)
            add_packs(source, 1, "went on")
            before, raw = state(source), archived_bodies(source)
            source.store.engine.dispose()
    assert live(victims, settings, None) == 0
    assert state(target) == before
    assert archived_bodies(target) == raw
    leave(target)
    postgres.drop("killed")
    untouched = App(lab.settings)
    assert state(untouched) == before
    untouched.store.engine.dispose()
