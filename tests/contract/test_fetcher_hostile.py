"""Servers that mean harm, or are broken: each ends within its limit, with a named reason."""

import asyncio
import gzip
import resource
import ssl
import threading
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import timedelta
from pathlib import Path

import brotli
import pytest

from headwater.fetch.client.http_fetcher import HttpFetcher
from headwater.fetch.settings import FetchSettings
from headwater.model.http import Failure, Request, Response

LIMIT = 1024 * 1024
OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n"
# A key and an untrusted certificate, for these tests only.
SELF_SIGNED = """\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgKIus9B7Wxa15OH0s
a4K3XRQu30uzqpFsJIDKu1Oq3LihRANCAARyQrXjjxuoldaeR6zAXS5QroBcTGae
4rX8juqDu8QpEeMWkdGHgYtV5HR2KDlKtSBy7+z/sjKvfTEd5kkcBT89
-----END PRIVATE KEY-----
-----BEGIN CERTIFICATE-----
MIIBtzCCAVygAwIBAgIUX0UP4qKgoIdUEuX7aZjXtwGBFpwwCgYIKoZIzj0EAwIw
HTEbMBkGA1UEAwwSbGVkZ2VybGFuZS5leGFtcGxlMCAXDTI2MTExNTA5MDQyNloY
DzIxMjYxMDIyMDkwNDI2WjAdMRswGQYDVQQDDBJsZWRnZXJsYW5lLmV4YW1wbGUw
WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARyQrXjjxuoldaeR6zAXS5QroBcTGae
4rX8juqDu8QpEeMWkdGHgYtV5HR2KDlKtSBy7+z/sjKvfTEd5kkcBT89o3gwdjAd
BgNVHQ4EFgQUTHY6RYnedCiyVRHWUy/qOMp1N0IwHwYDVR0jBBgwFoAUTHY6RYne
dCiyVRHWUy/qOMp1N0IwDwYDVR0TAQH/BAUwAwEB/zAjBgNVHREEHDAaghJsZWRn
ZXJsYW5lLmV4YW1wbGWHBH8AAAEwCgYIKoZIzj0EAwIDSQAwRgIhAJjrkoz/k8Po
I97ioBRCIRuUOvE6GJGdhVnZxhum3EsmAiEAs85YorYTSDLbu92XuVZhdJJXE2Jb
1AOJp1Jpy2UyFx8=
-----END CERTIFICATE-----
"""

Answer = Callable[[], AsyncIterator[bytes]]


class Hostile:
    """Sends what the script for a path yields, piece by piece, until the client disconnects."""

    def __init__(self, scripts: dict[str, Answer], tls: ssl.SSLContext | None = None) -> None:
        self._scripts = scripts
        self.sent = 0
        self._loop = asyncio.new_event_loop()
        starting = asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=tls)
        self._server = self._loop.run_until_complete(starting)
        self.port = self._server.sockets[0].getsockname()[1]
        self._loop.set_exception_handler(lambda *_: None)
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.read(65536)
            async for piece in self._scripts.get(_path(head), pieces(b"220 ready\r\n"))():
                writer.write(piece)
                await writer.drain()
                self.sent += len(piece)
            writer.close()
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            writer.transport.abort()

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.run_until_complete(self._end())
        self._loop.close()

    async def _end(self) -> None:
        self._server.close()
        running = asyncio.all_tasks() - {asyncio.current_task()}
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await asyncio.sleep(0)


def _path(head: bytes) -> str:
    return head.split()[1].decode().partition("?")[0] if head.startswith(b"GET ") else ""


def pieces(*parts: bytes, forever: bytes = b"", pause: float = 0.0) -> Answer:
    async def answer() -> AsyncIterator[bytes]:
        for part in parts:
            yield part
        while forever:
            await asyncio.sleep(pause)
            yield forever

    return answer


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def packed(encoding: str, body: bytes) -> Answer:
    return pieces(OK, f"Content-Encoding: {encoding}\r\nContent-Length: {len(body)}\r\n\r\n".encode(), body)


def bombs() -> dict[str, Answer]:
    """Packing takes a while, so this is no constant."""
    zeros = b"\0" * (64 * 1024 * 1024)
    return {
        "/gzip-bomb": packed("gzip", gzip.compress(zeros, 1)),
        "/deflate-bomb": packed("deflate", zlib.compress(zeros, 1)),
        "/brotli-bomb": packed("br", brotli.compress(zeros, quality=1)),
    }


SCRIPTS = {
    "/many-members": packed("gzip", gzip.compress(b"\0" * 1000) * 5000),
    "/endless": pieces(CHUNKED, b"\r\n", forever=chunk(b"x" * 65536)),
    "/endless-plain": pieces(OK, b"Connection: close\r\n\r\n", forever=b"x" * 65536),
    "/slow-drip": pieces(CHUNKED, b"\r\n", forever=chunk(b"x"), pause=0.05),
    "/slow-head": pieces(OK, forever=b"X: y\r\n", pause=0.05),
    "/robots.txt": pieces(b"", forever=b" ", pause=3600),
    "/silent": pieces(b"", forever=b" ", pause=3600),
    "/header-flood": pieces(OK, forever=b"X-Flood: abcdefgh\r\n" * 100),
    "/long-header": pieces(OK, b"X-Long: ", forever=b"x" * 65536),
    "/long-status": pieces(b"HTTP/1.1 200 ", forever=b"x" * 65536),
    "/loop": pieces(b"HTTP/1.1 302 Found\r\nLocation: /loop2\r\nContent-Length: 0\r\n\r\n"),
    "/loop2": pieces(b"HTTP/1.1 302 Found\r\nLocation: /loop\r\nContent-Length: 0\r\n\r\n"),
    "/self": pieces(b"HTTP/1.1 301 Moved\r\nLocation: /self\r\nContent-Length: 0\r\n\r\n"),
    "/redirect-flood": pieces(b"HTTP/1.1 302 Found\r\nLocation: /self\r\n\r\n", forever=b"x" * 65536),
    "/short": pieces(OK, b"Content-Length: 1000\r\n\r\n", b"x" * 10),
    "/short-chunk": pieces(CHUNKED, b"\r\n", b"400\r\nabc"),
    "/no-last-chunk": pieces(CHUNKED, b"\r\n", chunk(b"abc")),
    "/bad-chunk": pieces(CHUNKED, b"\r\n", b"zz\r\nabc\r\n"),
    "/gigabyte": pieces(OK, b"Content-Length: 1073741824\r\n\r\n", forever=b"x" * 65536),
    "/absurd-length": pieces(OK, b"Content-Length: %s\r\n\r\n" % (b"9" * 30)),
    "/negative-length": pieces(OK, b"Content-Length: -5\r\n\r\nabc"),
    "/two-lengths": pieces(OK, b"Content-Length: 3\r\nContent-Length: 5\r\n\r\nabcde"),
    "/length-and-chunks": pieces(CHUNKED, b"Content-Length: 3\r\n\r\n", chunk(b"smuggled"), chunk(b"")),
    "/negative-chunk": pieces(CHUNKED, b"\r\n", b"-1\r\nabc\r\n", chunk(b"")),
    "/trailer-flood": pieces(CHUNKED, b"\r\n", chunk(b"abc"), b"0\r\n", forever=b"X: y\r\n" * 1000),
    "/many-headers": pieces(OK, b"".join(b"X-%d: y\r\n" % n for n in range(30_000)), b"\r\n"),
    "/body-of-none": pieces(b"HTTP/1.1 204 None\r\nContent-Length: 3\r\n\r\nabc"),
    "/status-zero": pieces(b"HTTP/1.1 000 None\r\nContent-Length: 3\r\n\r\nabc"),
    "/location-with-a-name": pieces(
        b"HTTP/1.1 302 Found\r\nLocation: http://u:p@b.example/\r\nContent-Length: 0\r\n\r\n"
    ),
    "/location-of-a-script": pieces(
        b"HTTP/1.1 302 Found\r\nLocation: javascript:alert(1)\r\nContent-Length: 0\r\n\r\n"
    ),
    "/http09": pieces(b"<html>just text</html>"),
    "/garbage": pieces(bytes(range(256)) * 8),
    "/ftp": pieces(b"220 ftp.example ready\r\n"),
    "/hang-up": pieces(),
    "/null-header": pieces(OK, b"X-A: a\x00b\r\nContent-Length: 0\r\n\r\n"),
    "/switch": pieces(
        b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", forever=b"x" * 65536
    ),
    "/continue": pieces(forever=b"HTTP/1.1 100 Continue\r\n\r\n" * 100),
    "/bad-location": pieces(b"HTTP/1.1 302 Found\r\nLocation: http://[::bad\r\nContent-Length: 0\r\n\r\n"),
}
REASONS = {
    "/gzip-bomb": "too_large",
    "/deflate-bomb": "too_large",
    "/brotli-bomb": "too_large",
    "/many-members": "too_large",
    "/endless": "too_large",
    "/endless-plain": "too_large",
    "/slow-drip": "timeout",
    "/slow-head": "timeout",
    "/silent": "timeout",
    "/header-flood": "protocol",
    "/long-header": "protocol",
    "/long-status": "protocol",
    "/loop": "redirects",
    "/loop2": "redirects",
    "/self": "redirects",
    "/redirect-flood": "redirects",
    "/short": "truncated",
    "/short-chunk": "truncated",
    "/no-last-chunk": "truncated",
    "/bad-chunk": "protocol",
    "/gigabyte": "too_large",
    "/absurd-length": "protocol",
    "/negative-length": "protocol",
    "/two-lengths": "protocol",
    "/length-and-chunks": "protocol",
    "/negative-chunk": "protocol",
    "/trailer-flood": "protocol",
    "/many-headers": "protocol",
    "/body-of-none": "protocol",
    "/status-zero": "protocol",
    "/location-with-a-name": "bad_url",
    "/location-of-a-script": "bad_url",
    "/http09": "protocol",
    "/garbage": "protocol",
    "/ftp": "protocol",
    "/hang-up": "reset",
    "/null-header": "protocol",
    "/switch": "protocol",
    "/continue": "timeout",
    "/bad-location": "bad_url",
}


@pytest.fixture(scope="module")
def hostile() -> Iterator[Hostile]:
    hostile_server = Hostile(SCRIPTS | bombs())
    yield hostile_server
    hostile_server.close()


def fetcher_for(port: int, scheme: str = "http", **options) -> HttpFetcher:
    settings = {
        "overrides": {"*.example": f"{scheme}://127.0.0.1:{port}"},
        "rate": 0.0,
        "concurrency": 0,
        "body_limit": LIMIT,
        "read_timeout": timedelta(seconds=1),
        "total_timeout": timedelta(seconds=1.5),
        "breaker_failures": 1000,
        "outage_hold": timedelta(0),
    }
    return HttpFetcher(FetchSettings(**(settings | options)))


def ask(fetcher: HttpFetcher, *paths: str) -> dict[str, Response | Failure]:
    for path in paths:
        fetcher.submit(path, Request(url=f"http://a.example{path}", purpose="api"))
    answers: dict[str, Response | Failure] = {}
    while len(answers) < len(paths):
        batch = fetcher.collect(100, timedelta(minutes=2))
        assert batch, f"no answer for {set(paths) - set(answers)}"
        answers |= dict(batch)
    fetcher.close()
    return answers


def collect_all(fetcher: HttpFetcher, count: int) -> list[Response | Failure]:
    """Collect this many answers, in any number of batches."""
    answers: list[Response | Failure] = []
    while len(answers) < count:
        batch = fetcher.collect(count - len(answers), timedelta(minutes=2))
        assert batch, f"{len(answers)} of {count} answers came"
        answers += [answer for _, answer in batch]
    return answers


def test_every_hostile_server_ends_with_its_reason(hostile):
    """Endless responses have little time; the others have more than they need, even on a busy machine."""
    late = [path for path, reason in REASONS.items() if reason == "timeout"]
    patient = {"read_timeout": timedelta(minutes=2), "total_timeout": timedelta(minutes=2)}
    answers = ask(fetcher_for(hostile.port, **patient), *(REASONS.keys() - set(late)))
    answers |= ask(fetcher_for(hostile.port), *late)
    outcomes = {path: getattr(answer, "reason", answer) for path, answer in answers.items()}
    # Cut off in the middle of its trailers, or refused for their number: that depends on what arrives together.
    assert outcomes["/trailer-flood"] in {"protocol", "truncated"}
    assert outcomes | {"/trailer-flood": REASONS["/trailer-flood"]} == REASONS


def test_a_body_announced_as_too_large_is_not_read(hostile):
    before = hostile.sent
    ask(fetcher_for(hostile.port), "/gigabyte")
    assert hostile.sent - before < 16 * LIMIT


def test_hostile_bodies_do_not_fill_the_memory(hostile):
    """Forty endless bodies at once, each within its own limit, share one budget."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    fetcher = fetcher_for(
        hostile.port, body_limit=8 * LIMIT, memory_limit=16 * LIMIT, total_timeout=timedelta(minutes=5)
    )
    paths = [path for path in ("/endless", "/endless-plain") for _ in range(20)]
    for number, path in enumerate(paths):
        fetcher.submit(str(number), Request(url=f"http://a.example{path}", purpose="api"))
    answers = collect_all(fetcher, len(paths))
    fetcher.close()
    assert {answer.reason for answer in answers} == {"too_large"}
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 150 * 1024


def test_a_slow_host_does_not_delay_the_others(hostile):
    fetcher = fetcher_for(hostile.port, total_timeout=timedelta(minutes=5), read_timeout=timedelta(minutes=5))
    for number in range(50):
        fetcher.submit(f"slow{number}", Request(url="http://slow.example/slow-drip", purpose="api"))
    fetcher.submit("quick", Request(url="http://a.example/self", purpose="api"))
    batch = fetcher.collect(100, timedelta(minutes=2))
    fetcher.close()
    assert [token for token, _ in batch] == ["quick"]


def test_p10_a_slow_host_does_not_fill_the_room_for_others(hostile):
    """A hundred requests for a host that never ends its answers, with one place: the others are sent back at once,
    each with a time of its own."""
    slow = {"concurrency": 1, "total_timeout": timedelta(seconds=60), "read_timeout": timedelta(seconds=60)}
    fetcher = fetcher_for(hostile.port, capacity=100, **slow)
    for number in range(100):
        fetcher.submit(str(number), Request(url=f"http://slow.example/slow-drip?{number}", purpose="api"))
    answers = collect_all(fetcher, 79)
    fetcher.close()
    assert {answer.reason for answer in answers} == {"rate_limited"}
    assert len({answer.delay for answer in answers}) == len(answers)


def test_p10_a_host_that_sends_its_robots_file_slowly_does_not_fill_the_room_either(hostile):
    fetcher = fetcher_for(
        hostile.port, total_timeout=timedelta(seconds=60), read_timeout=timedelta(seconds=60)
    )
    for number in range(100):
        fetcher.submit(str(number), Request(url=f"http://slow.example/{number}"))
    answers = collect_all(fetcher, 80)
    assert {answer.reason for answer in answers} == {"rate_limited"}
    assert fetcher.collect(1, timedelta(0)) == []
    fetcher.close()


def test_p9_an_untrusted_certificate_is_refused(tmp_path: Path):
    pem = tmp_path / "self-signed.pem"
    pem.write_text(SELF_SIGNED)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    server = Hostile({"/": pieces(OK, b"Content-Length: 2\r\n\r\nhi")}, context)
    answers = ask(fetcher_for(server.port, "https"), "/")
    server.close()
    assert (answers["/"].reason, answers["/"].temporary) == ("tls", False)


def test_p9_a_server_that_speaks_no_tls_is_refused(hostile):
    answers = ask(fetcher_for(hostile.port, "https"), "/")
    assert answers["/"].reason == "tls"


def test_a_closed_port_is_refused():
    server = Hostile({})
    server.close()
    assert ask(fetcher_for(server.port), "/")["/"].reason == "refused"
