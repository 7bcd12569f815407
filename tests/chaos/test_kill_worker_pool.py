"""`headwater run` with all its processes, killed at once at random times: nothing is lost, nothing is duplicated."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
import yaml
from tests.chaos.snapshot import Snapshot, take_snapshot
from tests.flow.command_line import call_in
from tests.support import child_process
from tests.support.deadline import DEADLINE

from headwater_demo.feeds.catalogue import feeds
from headwater_demo.internet import running

LONG = 30
KILLS_OF_A_TRIAL = 5
# One that ends before the first kill proves nothing; with only such ones the test fails.
MOST_TRIALS = LONG


@pytest.fixture(scope="module")
def folder_with_settings(tmp_path_factory):
    folder = tmp_path_factory.mktemp("worker_pool")
    with running(size="small", process=True) as internet:
        lines = [{"name": feed["name"], "url": feed["url"]} for feed in feeds("small")[:4]]
        (folder / "feeds.yaml").write_text(yaml.safe_dump({"sources": lines}))
        settings = {
            "hosts": {"*.example": internet.base_url},
            "requests_per_second": 0,
            "workers": 1,
            "recipes": {"crypto": {"sources": str(folder / "feeds.yaml")}},
        }
        (folder / "headwater.yaml").write_text(yaml.safe_dump(settings))
        yield folder


def words(folder: Path, data: Path) -> list[str]:
    options = ["--config", str(folder / "headwater.yaml"), "--data", str(data)]
    return [*options, "run", "crypto", "--until-idle", "--json"]


def start(folder: Path, data: Path) -> subprocess.Popen:
    return child_process.start(
        [sys.executable, "-m", "headwater.cli", *words(folder, data)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def run_to_the_end(folder: Path, data: Path) -> None:
    process = start(folder, data)
    _, errors = process.communicate(timeout=DEADLINE)
    assert process.returncode == 0, errors.decode()


def kill(process: subprocess.Popen) -> bool:
    """Returns whether it was still running."""
    # Once it was waited for, its number may belong to another program.
    alive = process.poll() is None
    if alive:
        # The session holds the supervisor and all its children: none survives to inform the others.
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    return alive


def reference_of(folder: Path) -> Snapshot:
    """The result of a run that nothing disturbs, in this process."""
    assert call_in(folder, *words(folder, folder / "reference")).code == 0
    snapshot = take_snapshot(folder / "reference")
    assert snapshot.problems == ()
    return snapshot


def finish_and_compare(
    folder: Path, data: Path, expected: Snapshot, count: Callable[..., None] = lambda **_: None
) -> None:
    run_to_the_end(folder, data)
    after = take_snapshot(data)
    count(
        lost=len(frozenset().union(*expected.families) - frozenset().union(*after.families)),
        duplicated=sum("duplicated: " in problem for problem in after.problems),
    )
    assert after.problems == ()
    assert after.leads == expected.leads
    # Which of two versions of a story came first depends on the order; that each is there does not.
    assert frozenset().union(*after.families) == frozenset().union(*expected.families)
    assert after.ended == expected.ended
    shutil.rmtree(data)


@pytest.mark.long
def test_all_processes_killed_at_once_nothing_is_lost_or_duplicated(folder_with_settings):
    expected, data = reference_of(folder_with_settings), folder_with_settings / "trial"
    process = start(folder_with_settings, data)
    out = data / "out"
    wait_until(lambda: process.poll() is not None or len(list(out.glob("*/articles/*.json"))) > 2)
    assert kill(process), "it ended before it could be killed"
    finish_and_compare(folder_with_settings, data, expected)


def wait_until(condition: Callable[[], bool]) -> None:
    give_up_at = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < give_up_at, "waited too long"
        time.sleep(0.01)


@pytest.mark.long
def test_all_processes_killed_at_once_many_times_nothing_is_lost_or_duplicated(
    folder_with_settings, count_kills
):
    expected = reference_of(folder_with_settings)
    began = time.monotonic()
    run_to_the_end(folder_with_settings, folder_with_settings / "timed")
    span = time.monotonic() - began
    chance, killed = random.Random(7), 0
    for trial in range(MOST_TRIALS):
        data = folder_with_settings / f"trial-{trial}"
        kills_of_trial = kill_until_it_ends(folder_with_settings, data, chance, span)
        finish_and_compare(folder_with_settings, data, expected, partial(count_kills, kills_of_trial))
        killed += kills_of_trial
        print(f"whole worker pool killed {killed} times in {trial + 1} trials", flush=True)
        if killed >= LONG:
            break
    assert killed >= LONG


def kill_until_it_ends(folder: Path, data: Path, chance: random.Random, span: float) -> int:
    """Start it and kill it at random times, again and again, until it ends before that; returns how often it was killed."""
    for kills in range(KILLS_OF_A_TRIAL):
        process = start(folder, data)
        with suppress(subprocess.TimeoutExpired):
            process.wait(chance.uniform(0.3, 0.7 * span))
        if not kill(process):
            return kills
    return KILLS_OF_A_TRIAL
