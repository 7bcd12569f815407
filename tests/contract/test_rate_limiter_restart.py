"""What a killed process leaves in the file does not delay the next one."""

import multiprocessing
import os
import signal
import time
from pathlib import Path

from tests.support.deadline import DEADLINE

from headwater.fetch.politeness.quotas import Demand, Go, Slots
from headwater.fetch.politeness.rate_limiter_file import FileRateLimiter


def demand(name: str) -> Demand:
    return Demand(ticket=name, lease=name, quotas=(), slots=(Slots("host:slow.example", 1),))


def take_and_die(path: Path) -> None:
    (decision,) = FileRateLimiter(path).reserve([demand("first")], time.time)
    if isinstance(decision, Go):
        os.kill(os.getpid(), signal.SIGKILL)


def test_the_slots_of_a_killed_process_are_free_again_when_the_next_one_starts(tmp_path: Path):
    path = tmp_path / "rate-limits.db"
    before = FileRateLimiter(path)
    victim = multiprocessing.get_context("spawn").Process(target=take_and_die, args=(path,))
    victim.start()
    victim.join(DEADLINE)
    assert victim.exitcode == -signal.SIGKILL
    (decision,) = before.reserve([demand("second")], time.time)
    assert not isinstance(decision, Go)
    after = FileRateLimiter(path)
    (free,) = after.reserve([demand("second")], time.time)
    assert isinstance(free, Go)
    before.close()
    after.close()
