"""What a Celery worker sets up in its own process: its children end with it, and its log lines are ours."""

import json
import logging
import os
import signal
from collections.abc import Iterator

import pytest

from headwater.logs import configure_logs
from headwater.runtime.celery.broker import end_with_parent
from headwater.runtime.celery.worker import LIBRARY_LOGS, route_celery_logs
from headwater.runtime.fork_server import fork_server_pid, keep_until_workers_end
from headwater.settings.settings import Settings


@pytest.fixture
def library_levels() -> Iterator[None]:
    """Restored afterwards: loggers belong to the process."""
    loggers = [logging.getLogger(name) for name in ("", *LIBRARY_LOGS)]
    before = [(logger.handlers, logger.level) for logger in loggers]
    yield
    for logger, (handlers, level) in zip(loggers, before, strict=True):
        logger.handlers = handlers
        logger.setLevel(level)


def run_worker_with_child(writer: int) -> None:
    """A worker that is killed; its child holds the other end of the pipe until it ends."""
    worker = os.getpid()
    if not os.fork():
        end_with_parent(worker)
        os.write(writer, b"1")
        signal.pause()
    signal.pause()


def test_the_child_of_a_killed_worker_ends():
    reader, writer = os.pipe()
    worker = os.fork()
    if not worker:
        os.close(reader)
        try:
            run_worker_with_child(writer)
        finally:
            os._exit(1)
    os.close(writer)
    assert os.read(reader, 1) == b"1"
    os.kill(worker, signal.SIGKILL)
    os.waitpid(worker, 0)
    assert os.read(reader, 1) == b""  # nobody holds the pipe any more
    os.close(reader)


def test_a_worker_whose_fork_server_ended_before_its_first_line_ends():
    reader, writer = os.pipe()
    go_reader, go_writer = os.pipe()
    server = os.fork()
    if not server:
        keep_until_workers_end()
        if os.fork():
            os._exit(0)
        os.read(go_reader, 1)
        end_with_parent(fork_server_pid())
        os.write(writer, b"1")
        os._exit(1)
    os.waitpid(server, 0)
    os.close(writer)
    os.write(go_writer, b"1")
    assert os.read(reader, 1) == b""  # it was killed before it could write
    for end in (reader, go_reader, go_writer):
        os.close(end)


@pytest.mark.usefixtures("library_levels")
def test_what_celery_says_about_messages_is_for_debugging():
    route_celery_logs(Settings(log="json"))
    assert not logging.getLogger("celery.worker.strategy").isEnabledFor(logging.INFO)
    assert logging.getLogger("celery.worker.consumer").isEnabledFor(logging.WARNING)
    route_celery_logs(Settings(log="json", log_level="debug"))
    assert logging.getLogger("celery.app.trace").isEnabledFor(logging.DEBUG)


class Stream:
    """Counts writes, as a pipe that several processes share would see them."""

    def __init__(self) -> None:
        self.writes: list[str] = []

    def write(self, text: str) -> int:
        self.writes.append(text)
        return len(text)

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return False


def test_a_log_line_is_one_write_with_its_end(monkeypatch: pytest.MonkeyPatch):
    stream = Stream()
    monkeypatch.setattr("sys.stderr", stream)
    configure_logs("json").info("kept", recipe="news")
    (line,) = stream.writes
    assert (line[-1], json.loads(line)["event"]) == ("\n", "kept")
