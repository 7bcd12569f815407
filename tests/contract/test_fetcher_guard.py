"""Nothing that a page, a name server or a redirect says leads to an address that is not public.

A listener on the loopback records every connection. Its port is allowed, so that only the address can be what is
refused. Each hostile URL is tried directly, as a redirect, or through a name server that lies.
"""

import asyncio
import socket
import threading
from collections.abc import Iterator, Sequence
from datetime import timedelta

import pytest

from headwater.fetch.client.http_fetcher import HttpFetcher
from headwater.fetch.guard.addresses import AllowList
from headwater.fetch.guard.sockets import Destination, ForbiddenAddress, destination, guarded_socket_factory
from headwater.fetch.settings import FetchSettings
from headwater.model.http import Failure, Request, Response


class Listener:
    """Accepts connections on the loopback. `/to/…` redirects there; everything else answers "reached"."""

    def __init__(self) -> None:
        self.reached: list[tuple[str, str]] = []
        self._loop = asyncio.new_event_loop()
        self._server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = self._server.sockets[0].getsockname()[1]
        self.targets: dict[str, str] = {}
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.read(8192)
        path = head.split()[1].decode()
        host = next(line[6:] for line in head.decode().split("\r\n") if line.startswith("Host: "))
        target = self.targets.get(path)
        if target is None:
            self.reached.append((host, path))
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\nConnection: close\r\n\r\nreached")
        else:
            answer = (
                f"HTTP/1.1 302 Found\r\nLocation: {target}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            )
            writer.write(answer.encode())
        writer.close()

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.run_until_complete(self._end())
        self._loop.close()

    async def _end(self) -> None:
        self._server.close()
        running = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.gather(*running, return_exceptions=True)
        await asyncio.sleep(0)


@pytest.fixture(scope="module")
def listener() -> Iterator[Listener]:
    running_listener = Listener()
    yield running_listener
    running_listener.close()


@pytest.fixture(autouse=True)
def _nothing_reached(listener: Listener) -> None:
    listener.reached.clear()


def ask(listener: Listener, *urls: str, answers: dict[str, Sequence[str]] | None = None, **options):
    resolved: list[str] = []

    async def resolve(host: str, _: int) -> Sequence[str]:
        resolved.append(host)
        by_url = (answers or {}).get(host)
        if by_url is None:
            raise OSError("no such name")
        return by_url

    settings = {
        "ports": frozenset({80, 443, listener.port}),
        "rate": 0.0,
        "concurrency": 0,
        "breaker_failures": 1000,
        "connect_timeout": timedelta(seconds=3),
    }
    fetcher = HttpFetcher(FetchSettings(outage_hold=timedelta(0), **(settings | options)), resolve=resolve)
    try:
        for url in urls:
            fetcher.submit(url, Request(url=url, purpose="api"))
        by_url: dict[str, Response | Failure] = {}
        while len(by_url) < len(urls):
            batch = fetcher.collect(100, timedelta(seconds=10))
            assert batch, "no answer came"
            by_url |= dict(batch)
        return by_url
    finally:
        fetcher.close()


LITERALS = (
    "127.0.0.1",
    "127.0.0.2",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.0.0.1",
    "0x7f.1",
    "017700000001",
    "0177.0.0.1",
    "0177.1",
    "0",
    "0.0.0.0",
    "0x0",
    "127.0.0.1.",
    "0x7f000001.",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.0.1",
    "100.64.0.1",
    "169.254.169.254",
    "0xa9fea9fe",
    "2852039166",
    "169.254.170.2",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "240.0.0.1",
    "[::1]",
    "[::]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b::127.0.0.1]",
    "[2002:7f00:1::]",
    "[2001:0:7f00:1::]",
    "[fe80::1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[ff02::1]",
    "[2001:db8::1]",
    "[fec0::1]",
    "\uff11\uff12\uff17.\uff10.\uff10.\uff11",  # full-width digits
    "127\u30020\u30020\u30021",  # ideographic full stops
    "\u2460\u2461\u2466.\u24ea.\u24ea.\u2460",  # circled digits
)
NAMES = {
    "rebound.example": ["127.0.0.1"],
    "mixed.example": ["93.184.215.14", "127.0.0.1"],
    "mixed-back.example": ["127.0.0.1", "93.184.215.14"],
    "six.example": ["::1"],
    "mapped.example": ["::ffff:127.0.0.1"],
    "nat64.example": ["64:ff9b::7f00:1"],
    "sixtofour.example": ["2002:7f00:1::1"],
    "metadata.example": ["169.254.169.254"],
    "private.example": ["10.1.2.3"],
    "shared.example": ["100.64.1.1"],
    "zero.example": ["0.0.0.0"],
    "scoped.example": ["fe80::1%lo"],
    "multicast.example": ["239.1.1.1"],
    "localhost": ["127.0.0.1"],
    "localhost.localdomain": ["127.0.0.1"],
    "rebound.example.": ["127.0.0.1"],
}
TRICKS = (
    "http://user@127.0.0.1:{port}/",
    "http://ledgerlane.example@127.0.0.1:{port}/",
    "http://ledgerlane.example:80@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}\\@ledgerlane.example/",
    "http://ledgerlane.example\\@127.0.0.1:{port}/",
    "http://ledgerlane.example#@127.0.0.1:{port}/",
    "http://ledgerlane.example?@127.0.0.1:{port}/",
    "http://127.0.0.1%00.ledgerlane.example:{port}/",
    "http://127.0.0.1%2eledgerlane.example:{port}/",
    "http://127.0.0\t.1:{port}/",
    "http://127.0.0.1\n:{port}/",
    "http://lo\rcalhost:{port}/",
    "http://%31%32%37.0.0.1:{port}/",
    "http://%6cocalhost:{port}/",
    "http:/127.0.0.1:{port}/",
    "http:127.0.0.1:{port}/",
    "http:///127.0.0.1:{port}/",
    "http:\\\\127.0.0.1:{port}\\",
    "//127.0.0.1:{port}/",
    "http://[::1%25lo]:{port}/",
    "http://[127.0.0.1]:{port}/",
    "http://127.0.0.1:{port}:80/",
    "ftp://127.0.0.1:{port}/",
    "gopher://127.0.0.1:{port}/_x",
    "file:///etc/hostname",
    "data:text/plain,hello",
    "ws://127.0.0.1:{port}/",
    "http+unix://%2Ftmp%2Fsocket/",
    "javascript:alert(1)",
    "http://1.2.3.4.5:{port}/",
    "http://127.0.0.1.:{port}/",
    "http://0x7f.0x0.0x0.0x1:{port}/",
    "http://[::ffff:0x7f000001]:{port}/",
)


def hostile(port: int) -> list[str]:
    direct = [f"http://{host}:{port}/" for host in (*LITERALS, *NAMES)]
    return list(dict.fromkeys(direct + [trick.replace("{port}", str(port)) for trick in TRICKS]))


def test_g24_the_table_is_long_enough(listener):
    assert len(hostile(listener.port)) >= 60


def test_g24_no_hostile_url_reaches_the_loopback(listener):
    urls = hostile(listener.port)
    by_url = ask(listener, *urls, answers=NAMES)
    assert {url: answer for url, answer in by_url.items() if isinstance(answer, Response)} == {}
    assert {answer.reason for answer in by_url.values()} <= {"forbidden_address", "bad_url", "dns"}
    assert listener.reached == []


def test_g24_no_redirect_reaches_the_loopback(listener):
    header_safe = [url for url in hostile(listener.port) if url.isascii() and url.isprintable()]
    for number, url in enumerate(header_safe):
        listener.targets[f"/to/{number}"] = url
    starts = [f"http://open.test/to/{number}" for number in range(len(header_safe))]
    overrides = {"open.test": f"http://127.0.0.1:{listener.port}"}
    by_url = ask(listener, *starts, answers=NAMES, overrides=overrides)
    kinds = {answer.reason for answer in by_url.values() if isinstance(answer, Failure)}
    assert kinds <= {"forbidden_address", "bad_url", "dns"}
    # A redirect is a reference: a few of these are read as a path on the host that sent them, and go there.
    assert {host for host, _ in listener.reached} <= {"open.test"}
    assert len(listener.reached) < 5


def test_g24_a_name_that_changes_between_check_and_connect_is_refused(listener):
    """The first answer may be reached, every later one may not: whichever is used is the one that is checked."""
    answers = iter([["127.0.0.2"]])

    async def resolve(_: str, __: int) -> Sequence[str]:
        return next(answers, ["127.0.0.1"])

    settings = FetchSettings(
        ports=frozenset({listener.port}),
        allow=(("127.0.0.2", listener.port),),
        rate=0.0,
        concurrency=0,
        outage_hold=timedelta(0),
    )
    fetcher = HttpFetcher(settings, resolve=resolve)
    reasons = []
    for number in range(3):
        fetcher.submit("", Request(url=f"http://turning{number}.example:{listener.port}/", purpose="api"))
        reasons += [answer.reason for _, answer in fetcher.collect(1, timedelta(seconds=10))]
    fetcher.close()
    assert reasons == ["refused", "forbidden_address", "forbidden_address"]
    assert listener.reached == []


def test_g24_the_last_check_is_at_the_socket_itself():
    """Even an address that no resolver has seen cannot be connected to."""
    destination.set(Destination())
    open_socket = guarded_socket_factory(AllowList.of([("127.0.0.1", 80)]))
    with pytest.raises(ForbiddenAddress):
        open_socket((socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", 81)))
    open_socket((socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", 80))).close()


def test_g24_other_ports_are_refused(listener):
    by_url = ask(
        listener, "http://93.184.215.14:22/", "http://93.184.215.14:6379/", ports=frozenset({80, 443})
    )
    assert {answer.reason for answer in by_url.values()} == {"forbidden_address"}


@pytest.mark.parametrize("target", ["127.0.0.1", "127.0.0.0/8"])
def test_what_the_operator_allows_is_reached_on_its_port_only(listener, target):
    allow = ((target, listener.port),)
    by_url = ask(
        listener,
        f"http://127.0.0.1:{listener.port}/yes",
        "http://127.0.0.1:80/no",
        f"http://office.example:{listener.port}/name",
        allow=allow,
        answers={"office.example": ["127.0.0.1"]},
        ports=frozenset({80}),
    )
    outcomes = [getattr(answer, "status", getattr(answer, "reason", "")) for answer in by_url.values()]
    assert sorted(map(str, outcomes)) == ["200", "forbidden_address", "forbidden_address"]
    assert [path for _, path in listener.reached] == ["/yes"]


def test_a_host_that_the_operator_allows_may_have_any_address(listener):
    by_url = ask(
        listener,
        f"http://office.example:{listener.port}/yes",
        f"http://other.example:{listener.port}/no",
        allow=(("office.example", listener.port),),
        answers={"office.example": ["127.0.0.1"], "other.example": ["127.0.0.1"]},
    )
    outcomes = sorted(
        str(getattr(answer, "status", getattr(answer, "reason", ""))) for answer in by_url.values()
    )
    assert outcomes == ["200", "forbidden_address"]
    assert [path for _, path in listener.reached] == ["/yes"]
