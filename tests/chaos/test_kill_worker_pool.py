"""`headwater run` with all its processes, killed at once at random times: nothing is lost, nothing is duplicated."""

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
def folder_with_settings(tmp_path_factory):
    folder = tmp_path_factory.mktemp("worker_pool")
    with running(size="small", process=True) as internet:
        lines = [{"name": feed["name"], "url": feed["url"]} for feed in feeds("small")[:4]]
        (folder / "feeds.yaml").write_text(yaml.safe_dump({"sources": lines}))
        settings = {
            "hosts": {"*.example": internet.base_url},
            "requests_per_second": 0,
            "recipes": {"crypto": {"sources": str(folder / "feeds.yaml")}},
        }
        (folder / "headwater.yaml").write_text(yaml.safe_dump(settings))
        yield folder


def start(folder: Path, data: Path) -> subprocess.Popen:
    command = [
        sys.executable,
        "-m",
        "headwater.cli",
        "--config",
        str(folder / "headwater.yaml"),
        "--data",
        str(data),
    ]
    return child_process.start(
        [*command, "run", "crypto", "--until-idle", "--json"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def run_to_the_end(folder: Path, data: Path) -> None:
    process = start(folder, data)
    _, errors = process.communicate(timeout=DEADLINE)
    assert process.returncode == 0, errors.decode()


def run_and_kill(folder: Path, data: Path, seconds: float) -> bool:
    """Returns whether it was still running when it was killed."""
    process = start(folder, data)
    time.sleep(seconds)
    alive = process.poll() is None
    # The session holds the supervisor and all its children: none survives to inform the others.
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        alive = False
    process.communicate()
    return alive


def kill_at_random(folder: Path, kills: int) -> int:
    reference = folder / "reference"
    began = time.monotonic()
    run_to_the_end(folder, reference)
    span = time.monotonic() - began
    expected = take_snapshot(reference)
    assert expected.problems == ()
    chance, killed = random.Random(7), 0
    for number in range(kills):
        data = folder / f"trial-{number}"
        killed += run_and_kill(folder, data, chance.uniform(0.3, span))
        run_to_the_end(folder, data)
        after = take_snapshot(data)
        assert after.problems == ()
        assert after.leads == expected.leads
        # Which of two versions of a story came first depends on the order; that each is there does not.
        assert frozenset().union(*after.families) == frozenset().union(*expected.families)
        assert after.ended == expected.ended
        shutil.rmtree(data)
    return killed


def test_all_processes_killed_at_once_nothing_is_lost_or_duplicated(folder_with_settings):
    assert kill_at_random(folder_with_settings, SHORT) >= 1


@pytest.mark.long
def test_all_processes_killed_at_once_many_times_nothing_is_lost_or_duplicated(folder_with_settings):
    killed = kill_at_random(folder_with_settings, LONG)
    print(f"\nwhole worker pool killed {killed} times: kills {killed}, lost 0, duplicated 0")
    assert killed >= LONG // 2
