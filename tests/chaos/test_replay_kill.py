"""Kill a replay anywhere, while it reads and while it replaces: the same report, and every document replaced once."""

import json
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from tests.chaos.conftest import CountKills
from tests.chaos.test_kill import KILLED
from tests.support.deadline import DEADLINE
from tests.support.recipe_run import RECIPE, QuickClock, recipe_run
from tests.support.scene import Scene

from headwater.documents.cleaning.normalise import normalise
from headwater.model.replay import ReplayVerdict
from headwater.store.changes.replays import Replays
from headwater.store.connect import connect
from headwater.store.schema.flow import documents, revisions
from headwater.store.sql_store import SqlStore
from headwater_demo.internet import running

ROOT = Path(__file__).resolve().parents[2]
BEGIN = QuickClock().start - timedelta(days=1)
EVERY = list(ReplayVerdict)


@dataclass
class Stage:
    """A folder in which a replay is under way, and the process that continues it."""

    folder: Path
    process: subprocess.Popen[str]

    def live(self, data: Path, kill_at: int | None) -> int:
        self.process.stdin.write(json.dumps({"data": str(data), "kill_at": kill_at}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["status"]

    def finish(self, data: Path) -> dict[str, Any]:
        """Run the replay to its end; returns what it leaves behind."""
        error = data / "error.txt"
        assert self.live(data, None) == 0, error.read_text() if error.exists() else ""
        return _read_state(data)

    def trial(self, kill_at: int) -> tuple[int, dict[str, Any]]:
        data = self.folder.with_name("trial")
        shutil.copytree(self.folder, data)
        status = self.live(data, kill_at)
        state = self.finish(data)
        shutil.rmtree(data)
        return status, state


@contextmanager
def _rows(data: Path) -> Iterator[Engine]:
    engine = connect(f"sqlite:///{data / 'headwater.db'}")
    yield engine
    engine.dispose()


def _read_state(data: Path) -> dict[str, Any]:
    with _rows(data) as engine:
        replays = Replays(engine)
        (replay,) = replays.list_replays()
        scene = Scene(SqlStore(engine))
        return {
            "replay": {name: replay[name] for name in replay if name != "updated_at"},
            "report": [
                (row["document_id"], row["verdict"], row["outcome"], row["differences"])
                for row in replays.report(replay["id"], EVERY)
            ],
            "documents": [
                (row["id"], row["revision"], row["state"], row["text"]) for row in scene.rows(documents)
            ],
            "revisions": [
                (row["document_id"], row["revision"], row["text"]) for row in scene.rows(revisions)
            ],
            "held": scene.store.lease_owners(),
        }


@pytest.fixture(scope="module")
def process() -> Iterator[subprocess.Popen[str]]:
    replay_process = subprocess.Popen(
        [sys.executable, "-m", "tests.chaos.replay_victim"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    yield replay_process
    replay_process.stdin.close()
    replay_process.wait(DEADLINE)
    replay_process.stdout.close()


@pytest.fixture(scope="module")
def reading(process: subprocess.Popen[str], tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """Everything was read with the old code; a replay was started."""
    folder = tmp_path_factory.mktemp("replay")

    def plain(recipe: Any) -> Any:
        return replace(recipe, steps=(normalise,), grouping=None)

    with running(size="small") as internet, recipe_run(folder, internet, adapt=plain) as lab:
        lab.run()
        Replays(lab.app.store.engine).start(RECIPE, BEGIN, BEGIN + timedelta(days=9), lab.clock())
    return Stage(folder / "data", process)


@pytest.fixture(scope="module")
def replacing(reading: Stage) -> Stage:
    """The report is complete; documents that are better or changed are to be replaced."""
    data = reading.folder.with_name("reported")
    shutil.copytree(reading.folder, data)
    state = reading.finish(data)
    assert state["replay"]["state"] == "reported"
    with _rows(data) as engine:
        Replays(engine).apply(state["replay"]["id"], [ReplayVerdict.BETTER, ReplayVerdict.CHANGED], BEGIN)
    return Stage(data, reading.process)


def _moments(stage: Stage) -> tuple[dict[str, Any], list[str]]:
    data = stage.folder.with_name("uninterrupted")
    shutil.copytree(stage.folder, data)
    state = stage.finish(data)
    moments = json.loads((data / "moments.json").read_text())
    shutil.rmtree(data)
    return state, moments


def spread(moments: list[str], count: int) -> list[int]:
    """Moments of every kind, evenly over the run: each kind gets its share, at least one."""
    kinds = defaultdict(list)
    for position, moment in enumerate(moments):
        kinds[moment].append(position)
    share = max(1, count // len(kinds))
    positions_to_kill: set[int] = set()
    for positions in kinds.values():
        step = max(1, len(positions) // share)
        positions_to_kill.update(positions[step // 2 :: step][:share])
    evenly_spaced = range(0, len(moments), max(1, len(moments) // count))
    others = [position for position in evenly_spaced if position not in positions_to_kill]
    return sorted(positions_to_kill | set(others[: max(0, count - len(positions_to_kill))]))


@pytest.mark.long
@pytest.mark.parametrize("name", ["reading", "replacing"])
def test_killed_anywhere_a_replay_makes_the_same_report_and_replaces_each_document_once(
    request: pytest.FixtureRequest, name: str, count_kills: CountKills
):
    stage: Stage = request.getfixturevalue(name)
    uninterrupted, moments = _moments(stage)
    assert uninterrupted["replay"]["state"] == {"reading": "reported", "replacing": "applied"}[name]
    assert uninterrupted["replay"]["better"] + uninterrupted["replay"]["changed"] > 30
    if name == "replacing":
        assert {revision for _, revision, _, _ in uninterrupted["documents"]} == {2}
    killed = 0
    for moment in spread(moments, 4):
        status, state = stage.trial(moment)
        killed += status == KILLED
        count_kills(int(status == KILLED))
        assert state == uninterrupted, f"killed at {moment}, {moments[moment]}"
    assert killed >= 3
