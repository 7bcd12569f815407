"""Free ports of this machine, and servers that run on them while the tests need them."""

import secrets
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress

from tests.support.deadline import DEADLINE

LOWEST, HIGHEST = 12_000, 32_000


def free_port(below: int = HIGHEST) -> int:
    """A port on which no server listens. Not one of those that systems use for outgoing connections: a server that is
    killed and started again would find its port taken by one of its own clients."""
    while True:
        port = LOWEST + secrets.randbelow(below - LOWEST)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def wait_until(is_ready: Callable[[], bool], process: subprocess.Popen[bytes], what: str) -> None:
    """Returns when the server answers; fails when it ended or never does."""
    until = time.monotonic() + DEADLINE
    while time.monotonic() < until:
        if process.poll() is not None:
            raise RuntimeError(f"{what} ended with {process.returncode} while it started")
        if is_ready():
            return
        time.sleep(0.05)
    raise RuntimeError(f"{what} does not answer after {DEADLINE:g} s")


def stopped(process: subprocess.Popen[bytes]) -> None:
    """Ask it to end; end it if it does not."""
    process.terminate()
    try:
        process.wait(DEADLINE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
