"""Kill a worker anywhere: nothing is lost, nothing is duplicated.

The recipe is run to the end once as the reference. Then, again and again from nothing, the worker is killed with
SIGKILL at chosen moments, started anew each time, run to idle and compared with the reference. The short form kills one
worker after the other at every kind of moment, several in a run; the long form begins anew for each of 210 moments.
"""

import json
import shutil
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import yaml
from tests.chaos.snapshot import Snapshot, take_snapshot
from tests.support.deadline import DEADLINE

from headwater.settings.settings import Settings
from headwater.store.connect import connect
from headwater.store.migrate import migrate
from headwater_demo.feeds.catalogue import feeds
from headwater_demo.internet import running
from headwater_demo.sites.walled_sites import WALLS, walled_feeds

LONG = 210
# The short form in runs that take every kind of moment in turn.
RUNS = 6
KILLED = -9


@dataclass
class Victims:
    """The process that forks workers, and what they all work on."""

    process: subprocess.Popen
    base_url: str
    folder: Path
    template: Path
    feed_list: str = "feeds.yaml"

    def live(self, data: Path, kill_at: int | str | None, batch: int = 7) -> int:
        command = {
            "data": str(data),
            "base_url": self.base_url,
            "sources": str(self.folder / self.feed_list),
            "kill_at": kill_at,
            "batch": batch,
        }
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["status"]

    def trial(self, name: str, kills: list[int] | list[str]) -> tuple[int, Snapshot]:
        """Kill a worker at each of these moments in turn, then run one to the end; returns how many were really killed."""
        data = self.folder / name
        shutil.copytree(self.template, data)
        killed = [self.live(data, moment) for moment in kills].count(KILLED)
        status = self.live(data, None)
        error = data / "error.txt"
        assert status == 0, error.read_text() if error.exists() else status
        assert json.loads((data / "moments.json").read_text()) is not None, "not idle within its time"
        snapshot = take_snapshot(data)
        shutil.rmtree(data)
        return killed, snapshot


@pytest.fixture(scope="module")
def victims(tmp_path_factory):
    folder = tmp_path_factory.mktemp("chaos")
    with running(size="small", process=True) as internet:
        # Four feeds are enough for every kind of moment, and keep a run short.
        lines = [{"name": feed["name"], "url": feed["url"]} for feed in feeds("small")[:4]]
        (folder / "feeds.yaml").write_text(yaml.safe_dump({"sources": lines}))
        script = Path(__file__).with_name("victim.py")
        process = subprocess.Popen(
            [sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        yield Victims(process, internet.base_url, folder, _empty(folder / "empty"))
        process.stdin.close()
        process.wait(DEADLINE)
        process.stdout.close()


def _empty(folder: Path) -> Path:
    """A data folder whose database has its tables and no row."""
    folder.mkdir()
    engine = connect(Settings(data=str(folder)).database_url)
    migrate(engine)
    engine.dispose()
    return folder


@pytest.fixture(scope="module")
def reference(victims):
    data = victims.folder / "reference"
    shutil.copytree(victims.template, data)
    assert victims.live(data, None) == 0
    snapshot = take_snapshot(data)
    assert snapshot.problems == ()
    assert snapshot.kept > 20
    return snapshot, json.loads((data / "moments.json").read_text())


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


def kill_at(victims, reference, moments_to_kill: list[int]) -> dict[str, int]:
    """Kill a worker at each of these moments, each time from nothing; compare every outcome with the reference."""
    expected, moments = reference
    kills, lost, duplicated = 0, 0, 0
    for moment in moments_to_kill:
        # It is killed twice more while it recovers.
        killed, after = victims.trial(f"trial-{moment}", [moment, moment // 2, moment // 3])
        kills += killed
        problems = f"killed at {moment}, {moments[moment]}: {after.problems or set(after.texts) ^ set(expected.texts)}"
        lost += len(expected.families - after.families)
        duplicated += sum("duplicated: " in problem for problem in after.problems)
        assert after.problems == (), problems
        assert after == expected, problems
    return {"kills": kills, "lost": lost, "duplicated": duplicated}


@pytest.mark.parametrize("run", range(RUNS))
def test_killed_at_every_kind_of_moment_nothing_is_lost_or_duplicated(victims, reference, run):
    """The kinds of one run come in the order in which the reference reaches them, so that every next worker has its kind of
    moment still before it."""
    expected, moments = reference
    kinds = list(dict.fromkeys(moments))[run::RUNS]
    killed, after = victims.trial(f"run-{run}", kinds)
    assert killed == len(kinds) >= 3
    assert after.problems == ()
    assert after == expected, f"killed at {kinds}: {set(after.texts) ^ set(expected.texts)}"


@pytest.fixture(scope="module")
def walled_victims(victims):
    """The same workers with feeds whose pages cannot be read. Those that wait, or open a browser, are left out."""
    walls = [wall for wall in WALLS if wall.expected == "missing"]
    names = {wall.name for wall in walls}
    lines = [{"name": name, "url": url} for name, url in walled_feeds() if name in names]
    (victims.folder / "walled.yaml").write_text(yaml.safe_dump({"sources": lines}))
    return replace(victims, feed_list="walled.yaml"), len(lines)


def test_killed_while_pages_cannot_be_read_every_article_is_stored_once_from_its_source(walled_victims):
    walled, feed_count = walled_victims
    _, expected = walled.trial("walled", [])
    assert (expected.kept, expected.problems) == (feed_count, ())
    moments = [
        f"{when} store.{call}" for call in ("finish_fetch", "finish_refine") for when in ("before", "after")
    ]
    killed, after = walled.trial("walled-killed", [*moments, "before a commit", "before archive.put"])
    assert killed >= len(moments)
    assert after == expected


@pytest.mark.long
def test_killed_two_hundred_times_nothing_is_lost_or_duplicated(victims, reference):
    result = kill_at(victims, reference, spread(reference[1], LONG))
    print(f"\nkills {result['kills']}, lost {result['lost']}, duplicated {result['duplicated']}")
    assert result["kills"] >= 200
