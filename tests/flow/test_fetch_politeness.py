"""Politeness, proven by what a server receives: four processes share one rate limiter, and one of them is killed.

The server notes when each request arrived by the clock of the kernel, so that a busy machine cannot blur the picture.
"""

import selectors
import socket
import struct
import subprocess
import sys
import threading
import time
from itertools import pairwise
from pathlib import Path

import pytest
from tests.servers.valkey import Valkey
from tests.support.deadline import DEADLINE

INTERVAL = 0.05
HOSTS = 20
PAGES = 28
BUDGET, WINDOW = 60, 1.0
WITH_KEY = 4
TIMESTAMPS = 35  # SO_TIMESTAMPNS, which the socket module does not name

WORKER = """
import heapq, sys, time
from datetime import timedelta
from pathlib import Path
from headwater.fetch.client.http_fetcher import HttpFetcher
from headwater.fetch.politeness.rate_limiter_file import FileRateLimiter
from headwater.fetch.politeness.rate_limiter_redis import RedisRateLimiter
from headwater.fetch.settings import FetchSettings
from headwater.model.http import Request, Response
from headwater.redis_client import RedisClient

base, rate_limiter, first, count, pages, with_key, rate, budget, window = sys.argv[1:]
fetcher = HttpFetcher(
    FetchSettings(
        overrides={"*.example": base},
        rate=float(rate),
        concurrency=3,
        longest_wait=timedelta(seconds=0.2),
        connect_timeout=timedelta(seconds=1),
        total_timeout=timedelta(seconds=4),
        per_minute_by_credential={"wire": int(budget)},
        window=timedelta(seconds=float(window)),
        capacity=100,
    ),
    rate_limiter=RedisRateLimiter(RedisClient(rate_limiter)) if ":" in rate_limiter else FileRateLimiter(Path(rate_limiter)),
)
due = [
    (0.0, f"http://h{host}.example/{first}/{page}", "wire" if host < int(with_key) else None)
    for page in range(int(first), int(pages), 4)
    for host in range(int(count))
]
waiting = {}
while due or waiting:
    while due and fetcher.room() and due[0][0] <= time.time():
        _, url, credential = heapq.heappop(due)
        waiting[url] = credential
        fetcher.submit(url, Request(url=url, purpose="api", credential=credential))
    for url, answer in fetcher.collect(100, timedelta(seconds=0.05)):
        credential = waiting.pop(url)
        if not isinstance(answer, Response):
            assert answer.temporary, answer
            delay = answer.delay.total_seconds() if answer.delay else 0.2
            heapq.heappush(due, (time.time() + delay, url, credential))
fetcher.close()
"""


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

    def start(first: int) -> None:
        arguments = (
            server.base,
            place,
            first,
            HOSTS,
            PAGES,
            WITH_KEY,
            1 / INTERVAL,
            BUDGET,
            WINDOW,
        )
        command = [sys.executable, "-c", WORKER, *map(str, arguments)]
        workers.append(subprocess.Popen(command, stdout=subprocess.DEVNULL))

    try:
        for first in range(4):
            start(first)
        until = time.monotonic() + 50
        while len(server.log) < 150 and time.monotonic() < until:
            time.sleep(0.05)
        workers[2].kill()
        start(2)
        codes = [worker.wait(timeout=DEADLINE) for worker in workers]
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
        server.close()
    assert codes == [0, 0, -9, 0, 0]
    assert len({(host, path) for _, host, path in server.log}) == HOSTS * PAGES
    assert len(server.log) >= HOSTS * PAGES
    for host in range(HOSTS):
        times = sorted(at for at, name, _ in server.log if name == f"h{host}.example")
        assert min(later - earlier for earlier, later in pairwise(times)) >= INTERVAL
    keyed = sorted(at for at, name, _ in server.log if int(name[1:].partition(".")[0]) < WITH_KEY)
    assert min(later - earlier for earlier, later in zip(keyed, keyed[BUDGET:], strict=False)) >= WINDOW
