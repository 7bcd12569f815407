"""The same promise for the real thing: `headwater run` with its processes, killed all at once at random times."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from tests.chaos.snapshot import take_snapshot
from tests.support import child_process
from tests.support.deadline import DEADLINE

from headwater_demo.feeds.catalogue import feeds
from headwater_demo.internet import running

SHORT, LONG = 2, 30


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("crew")
    with running(size="small", process=True) as internet:
        lines = [{"name": feed["name"], "url": feed["url"]} for feed in feeds("small")]
        (folder / "feeds.yaml").write_text(yaml.safe_dump({"sources": lines}))
        settings = {
            "hosts": {"*.example": internet.base_url},
            "requests_per_second": 0,
            "recipes": {"crypto": {"sources": str(folder / "feeds.yaml")}},
        }
        (folder / "headwater.yaml").write_text(yaml.safe_dump(settings))
        yield folder


def start(place: Path, data: Path) -> subprocess.Popen:
    command = [
        sys.executable,
        "-m",
        "headwater.cli",
        "--config",
        str(place / "headwater.yaml"),
        "--data",
        str(data),
    ]
    return child_process.start(
        [*command, "run", "crypto", "--until-idle", "--json"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def run_to_the_end(place: Path, data: Path) -> None:
    process = start(place, data)
    _, errors = process.communicate(timeout=DEADLINE)
    assert process.returncode == 0, errors.decode()


def run_and_kill(place: Path, data: Path, seconds: float) -> bool:
    """Gives whether it was still running when the blow fell."""
    process = start(place, data)
    time.sleep(seconds)
    alive = process.poll() is None
    # The session holds the supervisor and all its children: none is left to tell the others.
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        alive = False
    process.communicate()
    return alive


def kill_at_random(place: Path, kills: int) -> int:
    reference = place / "reference"
    began = time.monotonic()
    run_to_the_end(place, reference)
    span = time.monotonic() - began
    wanted = take_snapshot(reference)
    assert wanted.wrong == ()
    chance, killed = random.Random(7), 0
    for number in range(kills):
        data = place / f"trial-{number}"
        killed += run_and_kill(place, data, chance.uniform(0.3, span))
        run_to_the_end(place, data)
        after = take_snapshot(data)
        assert after.wrong == ()
        assert after.leads == wanted.leads
        # Which of two versions of a story came first is a matter of order; that each is there is not.
        assert frozenset().union(*after.families) == frozenset().union(*wanted.families)
        assert after.ended == wanted.ended
        shutil.rmtree(data)
    return killed


def test_all_processes_killed_at_once_nothing_is_lost_or_doubled(place):
    assert kill_at_random(place, SHORT) >= 1


@pytest.mark.long
def test_all_processes_killed_at_once_many_times_nothing_is_lost_or_doubled(place):
    killed = kill_at_random(place, LONG)
    print(f"\nwhole crew killed {killed} times: kills {killed}, lost 0, doubled 0")
    assert killed >= LONG // 2
