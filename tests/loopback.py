"""Ports of this machine's own, and servers that run on them while the tests need them."""

import socket
import subprocess
import time
from collections.abc import Callable

PATIENCE = 40.0


def free_port(below: int = 65_536) -> int:
    """A port that nobody listens on now."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        if port < below:
            return port


def wait_until(ready: Callable[[], bool], process: subprocess.Popen[bytes], what: str) -> None:
    """Returns when the server answers; fails when it ended or never does."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if process.poll() is not None:
            raise RuntimeError(f"{what} ended with {process.returncode} while it started")
        if ready():
            return
        time.sleep(0.05)
    raise RuntimeError(f"{what} does not answer after {PATIENCE:g} s")


def stopped(process: subprocess.Popen[bytes]) -> None:
    """Ask it to end; end it if it does not."""
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
