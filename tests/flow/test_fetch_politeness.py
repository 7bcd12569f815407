"""Politeness, proven by what a server receives: four processes share one rate limiter, and one of them is killed.

The server notes when each request arrived by the clock of the kernel, so that a busy machine cannot blur the picture.
"""

import selectors
import socket
import struct
import threading
import time
from itertools import pairwise
from pathlib import Path

import pytest
from tests.servers.valkey import Valkey
from tests.support.deadline import DEADLINE
from tests.support.polite_worker import WORKERS, FetchPlan, fetch_share

from headwater.runtime.fork_server import fork_server

INTERVAL = 0.05
HOSTS = 20
PAGES = 28
BUDGET, WINDOW = 60, 1.0
WITH_KEY = 4
TIMESTAMPS = 35  # SO_TIMESTAMPNS, which the socket module does not name


class RecordingServer:
    """A server that answers every request at once and remembers when the kernel received it."""

    def __init__(self) -> None:
        self.log: list[tuple[float, str, str]] = []
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.base = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listening, selectors.EVENT_READ)
        self._open = True
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while self._open:
            for key, _ in self._selector.select(0.1):
                if key.fileobj is self._listening:
                    self._accept()
                else:
                    self._answer(key.fileobj)

    def _accept(self) -> None:
        connection, _ = self._listening.accept()
        connection.setsockopt(socket.SOL_SOCKET, TIMESTAMPS, 1)
        self._selector.register(connection, selectors.EVENT_READ)

    def _answer(self, connection: socket.socket) -> None:
        try:
            data, notes, _, _ = connection.recvmsg(65536, 128)
        except ConnectionError:
            data, notes = b"", []
        if not data:
            self._selector.unregister(connection)
            connection.close()
            return
        head = data.decode().split("\r\n")
        host = next(line[6:] for line in head if line.startswith("Host: "))
        self.log.append((_arrival(notes), host, head[0].split()[1]))
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")

    def close(self) -> None:
        self._open = False
        self._thread.join()
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()
        self._selector.close()


def _arrival(notes: list[tuple[int, int, bytes]]) -> float:
    stamps = [struct.unpack("qq", data[:16]) for _, kind, data in notes if kind == TIMESTAMPS]
    return stamps[0][0] + stamps[0][1] / 1e9 if stamps else time.time()


@pytest.fixture(params=["file", "redis"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where the shared rate limiter stores its state."""
    if request.param == "file":
        return str(tmp_path / "rate-limits.sqlite")
    valkey: Valkey = request.getfixturevalue("valkey")
    return valkey.url


def test_p7_p10_r32_no_limit_is_ever_broken_by_four_processes_and_a_restart(place: str):
    server = RecordingServer()
    workers = []

    plan = FetchPlan(server.base, place, HOSTS, PAGES, WITH_KEY, INTERVAL, BUDGET, WINDOW)

    def start(first: int) -> None:
        workers.append(fork_server().Process(target=fetch_share, args=(plan, first), daemon=True))
        workers[-1].start()

    try:
        for first in range(WORKERS):
            start(first)
        until = time.monotonic() + 50
        while len(server.log) < 150 and time.monotonic() < until:
            time.sleep(0.05)
        workers[2].kill()
        start(2)
        for worker in workers:
            worker.join(DEADLINE)
        codes = [worker.exitcode for worker in workers]
    finally:
        for worker in workers:
            worker.kill()
            worker.join()
        server.close()
    assert codes == [0, 0, -9, 0, 0]
    assert len({(host, path) for _, host, path in server.log}) == HOSTS * PAGES
    assert len(server.log) >= HOSTS * PAGES
    for host in range(HOSTS):
        times = sorted(at for at, name, _ in server.log if name == f"h{host}.example")
        assert min(later - earlier for earlier, later in pairwise(times)) >= INTERVAL
    keyed = sorted(at for at, name, _ in server.log if int(name[1:].partition(".")[0]) < WITH_KEY)
    assert min(later - earlier for earlier, later in zip(keyed, keyed[BUDGET:], strict=False)) >= WINDOW
