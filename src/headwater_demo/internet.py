"""The demo internet as a program uses it: start it, read its log, inject faults, stop it."""

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from functools import partial
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

from headwater_demo.clock import START
from headwater_demo.control import CONTROL_HOST
from headwater_demo.faults import ANY, Fault
from headwater_demo.server import serving
from headwater_demo.world import Size, create_world

# The names of all demo hosts. Portals are below `gob.es`, because the readers of procedures cite nothing else.
HOST_PATTERNS = ("*.example", "*.demo.gob.es")
_TIMEOUT_SECONDS = 300  # only ends what hangs: a busy machine may need minutes


def host_table(base_url: str) -> dict[str, str]:
    """The setting `hosts` with which every demo host is answered at `base_url`."""
    return dict.fromkeys(HOST_PATTERNS, base_url)


@dataclass(frozen=True, slots=True)
class Internet:
    """A handle that speaks to the control host over HTTP, so it works from any process that knows `base_url`."""

    base_url: str
    hosts: Sequence[str]

    def log(self, *, since: int = 0) -> list[dict[str, Any]]:
        return list(self._control("GET", f"/log?since={since}"))

    def clear_log(self) -> None:
        self._control("DELETE", "/log")

    def fault(self, host: str, path: str = ANY, fault: Fault | None = None, *, times: int = 1) -> None:
        """Lets the next `times` requests for (host, path) fail; without a fault, with a plain 503."""
        settings = asdict(fault or Fault(status=503))
        changed_settings = {name: value for name, value in settings.items() if value not in (None, False)}
        self._control(
            "POST", "/faults", {"host": host, "path": path, "fault": changed_settings, "times": times}
        )

    def clear_faults(self) -> None:
        self._control("DELETE", "/faults")

    def clock(self) -> datetime:
        return datetime.fromisoformat(self._control("GET", "/clock"))

    def clock_set(self, moment: datetime) -> datetime:
        return datetime.fromisoformat(self._control("POST", "/clock", {"set": moment.isoformat()}))

    def advance(self, step: timedelta = timedelta(hours=4)) -> datetime:
        """Advances the clock: articles due by then appear, and late corrections reach their pages."""
        return datetime.fromisoformat(self._control("POST", "/clock", {"advance": step.total_seconds()}))

    def publish(self, host: str, **fields: Any) -> dict[str, Any]:
        """Publishes an article on `host` now (title, paragraphs, author, topic, guid: all optional); returns its truth record."""
        return dict(self._control("POST", "/articles", {"host": host, **fields}))

    def edit(self, article_id: str, **fields: Any) -> dict[str, Any]:
        """Changes a published article in place (title, paragraphs); without either, appends a correction."""
        return dict(self._control("POST", "/edits", {"article_id": article_id, **fields}))

    def dispatch(self, *tickers: str, **fields: Any) -> dict[str, Any]:
        """Publishes an article about these companies (none: the economy) on the wire and in the provider's list, now."""
        return dict(self._control("POST", "/dispatches", {"tickers": list(tickers), **fields}))

    def add_key(self, key: str, *, per_minute: int = 0, closed: Sequence[str] = ()) -> None:
        """Registers a key with the provider and the broker: its quota, and prefixes of paths it may not request."""
        self._control("POST", "/keys", {"key": key, "per_minute": per_minute, "closed": list(closed)})

    def revoke_key(self, key: str) -> None:
        self._control("POST", "/keys", {"key": key, "revoked": True})

    def limit_regulator(self, requests_per_second: int | None) -> None:
        self._control("POST", "/burst", {"burst": requests_per_second})

    def truth(self) -> list[dict[str, Any]]:
        return list(self._control("GET", "/truth"))

    def feeds(self) -> list[dict[str, Any]]:
        return list(self._control("GET", "/feeds"))

    def get(self, url: str, *, method: str = "GET", headers: Mapping[str, str] | None = None) -> "Reply":
        """One plain request for a demo URL, without redirects, retries or decompression."""
        return _exchange(self.base_url, url, method, headers or {}, None)

    def _control(self, method: str, path: str, payload: Any = None) -> Any:
        body = json.dumps(payload).encode() if payload is not None else None
        reply = _exchange(self.base_url, f"http://{CONTROL_HOST}{path}", method, {}, body)
        if reply.status != 200:
            raise ValueError(f"{method} {path}: {reply.body.decode()}")
        return json.loads(reply.body)


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes


def _exchange(base_url: str, url: str, method: str, headers: Mapping[str, str], body: bytes | None) -> Reply:
    address = urlsplit(url)
    connection = HTTPConnection(urlsplit(base_url).netloc, timeout=_TIMEOUT_SECONDS)
    try:
        target = (address.path or "/") + (f"?{address.query}" if address.query else "")
        connection.request(method, target, body=body, headers={"Host": address.netloc, **headers})
        response = connection.getresponse()
        return Reply(
            response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
        )
    finally:
        connection.close()


@contextmanager
def running(
    *, size: Size = "small", seed: int = 7, start: datetime = START, port: int = 0, process: bool = False
) -> Iterator[Internet]:
    """Runs a demo internet for the duration of the block: in a thread, or in a process of its own."""
    with _in_process(size, seed, start, port) if process else _in_thread(size, seed, start, port) as internet:
        yield internet


@contextmanager
def _in_thread(size: Size, seed: int, start: datetime, port: int) -> Iterator[Internet]:
    started = threading.Event()
    outcomes: list[Internet | BaseException] = []
    stops: list[Callable[[], object]] = []

    async def serve() -> None:
        stop, loop = asyncio.Event(), asyncio.get_running_loop()
        async with serving(create_world(seed=seed, size=size, start=start), port=port) as (base_url, hosts):
            stops.append(partial(loop.call_soon_threadsafe, stop.set))
            outcomes.append(Internet(base_url, hosts))
            started.set()
            await stop.wait()

    def work() -> None:
        try:
            asyncio.run(serve())
        except OSError as error:
            outcomes.append(error)
            started.set()

    thread = threading.Thread(target=work, name="demo-internet", daemon=True)
    thread.start()
    started.wait(_TIMEOUT_SECONDS)
    outcome = outcomes[0] if outcomes else TimeoutError("the demo internet did not start")
    if isinstance(outcome, BaseException):
        raise outcome
    try:
        yield outcome
    finally:
        stops[0]()
        thread.join(_TIMEOUT_SECONDS)


@contextmanager
def _in_process(size: Size, seed: int, start: datetime, port: int) -> Iterator[Internet]:
    command = [
        sys.executable,
        "-m",
        "headwater_demo",
        "--port",
        str(port),
        "--seed",
        str(seed),
        "--size",
        size,
        "--start",
        start.isoformat(),
    ]
    # The command is this interpreter with our own values; nothing in it comes from outside.
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:  # noqa: S603
        try:
            line = child.stdout.readline() if child.stdout else ""
            if not line:
                raise ChildProcessError("the demo internet did not start")
            announcement = json.loads(line)
            yield Internet(announcement["base_url"], announcement["hosts"])
        finally:
            child.terminate()
            child.wait(_TIMEOUT_SECONDS)
