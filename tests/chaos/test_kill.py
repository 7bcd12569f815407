"""Kill a worker anywhere: nothing is lost, nothing is duplicated.

The recipe is run to the end once as the reference. Then, again and again from nothing, one worker after the other is killed
with SIGKILL, until one reaches the end of the run, which is compared with the reference. The short form kills at every kind
of moment, several in a run. The long form draws the moments: each worker gets a stretch of the run, and is killed at the next
moment of a kind that was killed least often, until there were 500 kills.
"""

import json
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import yaml
from tests.chaos.snapshot import Snapshot, take_snapshot
from tests.chaos.victim import KILLED_AT, KillAt
from tests.support.deadline import DEADLINE

from headwater.settings.settings import Settings
from headwater.store.connect import connect
from headwater.store.migrate import migrate
from headwater_demo.feeds.catalogue import feeds
from headwater_demo.internet import running
from headwater_demo.sites.walled_sites import WALLS, walled_feeds

LONG = 500
# In a trial; the next worker then runs to the end.
MOST_KILLS = 60
MOST_TRIALS = LONG
STRETCHES = 5
AT_THE_RAREST = 3
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

    def live(self, data: Path, kill_at: KillAt, batch: int = 7) -> int:
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

    def trial(
        self, name: str, kills: Iterable[KillAt], on_kill: Callable[[str], None] = lambda _: None
    ) -> tuple[list[str], Snapshot]:
        """Kill a worker at each of these moments in turn until one reaches the end of the run, and run another one to the
        end; returns at which kinds of moments they were killed."""
        data = self.folder / name
        shutil.copytree(self.template, data)
        killed_at = []
        for moment in kills:
            if self.live(data, moment) != KILLED:
                break
            killed_at.append((data / KILLED_AT).read_text())
            on_kill(killed_at[-1])
        status = self.live(data, None)
        error = data / "error.txt"
        assert status == 0, error.read_text() if error.exists() else status
        assert json.loads((data / "moments.json").read_text()) is not None, "not idle within its time"
        snapshot = take_snapshot(data)
        shutil.rmtree(data)
        return killed_at, snapshot


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


def drawn_moments(chance: random.Random, kills: Counter[str], length: int) -> Iterator[KillAt]:
    """For each next worker: a stretch of the run, and then one of the kinds that were killed least often so far. The first ones
    have the whole run before them, so they are killed at the very rarest kind: others would often come before it."""
    for number in range(MOST_KILLS):
        rarest = sorted(kills, key=lambda kind: (kills[kind], chance.random()))
        if number < AT_THE_RAREST:
            yield {"after": 0, "kinds": rarest[:1]}
        else:
            yield {"after": chance.randrange(length // STRETCHES), "kinds": rarest[: len(rarest) // 2]}


@pytest.mark.parametrize("run", range(RUNS))
def test_killed_at_every_kind_of_moment_nothing_is_lost_or_duplicated(victims, reference, run):
    """The kinds of one run come in the order in which the reference reaches them, so that every next worker has its kind of
    moment still before it. The order may differ by a little from run to run: for a kind that is past, another run begins."""
    expected, moments = reference
    kinds = list(dict.fromkeys(moments))[run::RUNS]
    assert len(kinds) >= 3
    while kinds:
        killed, after = victims.trial(f"run-{run}-{len(kinds)}", kinds)
        assert killed, kinds
        assert killed == kinds[: len(killed)]
        assert after.problems == ()
        assert after == expected, f"killed at {killed}: {set(after.texts) ^ set(expected.texts)}"
        kinds = kinds[len(killed) :]


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
    assert len(killed) >= len(moments)
    assert after == expected


@pytest.mark.long
def test_killed_five_hundred_times_nothing_is_lost_or_duplicated(victims, reference, count_kills):
    expected, moments = reference
    kills, chance, trials = Counter(dict.fromkeys(moments, 0)), random.Random(18), 0
    while kills.total() < LONG:
        trials += 1
        assert trials <= MOST_TRIALS, f"only {kills.total()} kills in {MOST_TRIALS} trials"
        drawn = drawn_moments(chance, kills, len(moments))
        killed_at, after = victims.trial(f"trial-{trials}", drawn, lambda kind: kills.update([kind]))
        count_kills(
            len(killed_at),
            lost=len(expected.families - after.families),
            duplicated=sum("duplicated: " in problem for problem in after.problems),
        )
        assert after.problems == (), killed_at
        assert after == expected, f"killed at {killed_at}: {set(after.texts) ^ set(expected.texts)}"
        print(f"trials {trials}, kills {kills.total()}, all equal to the reference", flush=True)
    print(f"{len(moments)} moments in a run; trials {trials}; kills by kind of moment: {dict(kills)}")
    assert min(kills.values()) >= LONG // len(kills) // 4
