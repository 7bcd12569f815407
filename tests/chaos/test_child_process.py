"""Programs that tests start end with the tests, even if those are killed."""

import os
import signal
import subprocess
import sys
import time

import psutil
from tests.support.deadline import DEADLINE

PARENT = """
import sys, time
from tests.support.child_process import start
print(start([sys.executable, "-c", "import time; time.sleep(60)"]).pid, flush=True)
time.sleep(60)
"""


def is_alive(process: int) -> bool:
    try:
        return psutil.Process(process).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_program_ends_when_the_test_that_started_it_is_killed():
    paths = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, env=paths) as parent:
        started = int(parent.stdout.readline())
        assert is_alive(started)
        parent.send_signal(signal.SIGKILL)
    until = time.monotonic() + DEADLINE
    while is_alive(started) and time.monotonic() < until:
        time.sleep(0.01)
    assert not is_alive(started)
