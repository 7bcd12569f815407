"""What the server refuses: slow clients, foreign host names, large bodies; and what it neither logs nor shows."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
from starlette.requests import Request
from starlette.responses import Response
from tests.support.deadline import DEADLINE

from headwater.logs import configure_logs
from headwater.web.security.hosts import is_loopback, is_own_host
from headwater.web.security.layers import BodyLimits, ErrorBarrier, HostCheck, PathPrefix
from headwater.web.server import IDLE_SECONDS, ApiServer, listen_on, make_server


async def echo(scope, receive, send):
    if scope["type"] == "lifespan":
        for kind in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{kind}.complete"})
        return
    request = Request(scope, receive)
    if scope["path"].endswith("/mistake"):
        raise ValueError("hidden-key")
    if scope["path"].endswith("/large"):
        await Response(b"x" * 30_000_000)(scope, receive, send)
        return
    await Response(await request.body(), headers={"X-Root": scope["root_path"]})(scope, receive, send)


SERVERS: list[ApiServer] = []


@asynccontextmanager
async def serving(idle_seconds: float = IDLE_SECONDS, body_seconds: float = 20) -> AsyncIterator[int]:
    limited = BodyLimits(echo, body_seconds=body_seconds)
    application = ErrorBarrier(HostCheck(PathPrefix(limited, "/news"), ["news.example"]))
    listener = listen_on("127.0.0.1", 0)
    started: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    server = make_server(
        application, on_started=lambda _, port: started.set_result(port), idle_seconds=idle_seconds
    )
    SERVERS.append(server)
    task = asyncio.create_task(server.serve([listener]))
    try:
        yield await asyncio.wait_for(started, DEADLINE)
    finally:
        server.should_exit = True
        await task
        listener.close()


def test_a_server_whose_task_is_cancelled_closes_its_application():
    events: list[str] = []

    async def application(scope, receive, send):
        assert scope["type"] == "lifespan"
        for kind in ("startup", "shutdown"):
            events.append((await receive())["type"])
            await send({"type": f"lifespan.{kind}.complete"})

    async def cancel() -> None:
        started = asyncio.Event()
        server = make_server(application, on_started=lambda *_: started.set())
        listener = listen_on("127.0.0.1", 0)
        task = asyncio.create_task(server.serve([listener]))
        await asyncio.wait_for(started.wait(), DEADLINE)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        listener.close()

    asyncio.run(cancel())
    assert events == ["lifespan.startup", "lifespan.shutdown"]


async def send(port: int, data: bytes) -> bytes:
    """Sends the bytes and reads until the server closes the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    async with asyncio.timeout(DEADLINE):
        response = await reader.read()
    writer.close()
    return response


def test_a_client_that_sends_half_a_request_is_not_waited_for():
    async def send_halves() -> tuple[bytes, bytes, bytes]:
        async with serving(idle_seconds=0.05, body_seconds=0.05) as port:
            head = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n"
            return await send(port, b""), await send(port, head), await send(port, head + b"\r\nabc")

    nothing, half_head, half_body = asyncio.run(send_halves())
    assert (nothing, half_head) == (b"", b"")
    assert half_body.startswith(b"HTTP/1.1 408")
    assert IDLE_SECONDS <= 60


def test_a_client_that_takes_nothing_of_its_answer_is_cut_off():
    async def ask_and_wait() -> int:
        async with serving(idle_seconds=0.05) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
            writer.write(b"GET /large HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            await reader.read(1)
            writer.transport.pause_reading()
            async with asyncio.timeout(DEADLINE):
                while SERVERS[-1].server_state.connections:  # noqa: ASYNC110 - it waits for a timer of the server
                    await asyncio.sleep(0.01)
            writer.transport.resume_reading()
            size = 0
            with suppress(ConnectionError):
                while part := await reader.read(1_000_000):
                    size += len(part)
            writer.close()
            return size

    assert asyncio.run(ask_and_wait()) < 30_000_000


def test_an_error_is_logged_without_bytes_of_the_request(capsys: pytest.CaptureFixture[str]):
    async def send_nonsense() -> bytes:
        async with serving(idle_seconds=0.05) as port:
            await send(port, b"GET / HTTP/1.1\r\nX-Api-Key: hidden-key\x00\r\nbad line hidden-key\r\n\r\n")
            return await send(port, b"GET /mistake HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")

    configure_logs("console", "info")
    response = asyncio.run(send_nonsense())
    logged = capsys.readouterr().err
    assert logged.count("request failed") == 2
    assert "ValueError" in logged
    assert "hidden-key" not in logged
    assert "Traceback" not in logged
    assert response.startswith(b"HTTP/1.1 500")
    assert b"hidden-key" not in response
    assert b"ValueError" not in response


def test_a_request_for_a_foreign_host_name_or_with_a_large_body_is_refused():
    async def ask(*heads: str) -> list[bytes]:
        async with serving() as port:
            return [await send(port, f"POST {head}\r\nConnection: close\r\n\r\n".encode()) for head in heads]

    foreign, own, large, with_prefix = asyncio.run(
        ask(
            "/ HTTP/1.1\r\nHost: evil.example:8080\r\nContent-Length: 0",
            "/ HTTP/1.1\r\nHost: news.example\r\nContent-Length: 0",
            "/ HTTP/1.1\r\nHost: news.example\r\nContent-Length: 99999999",
            "/news/ HTTP/1.1\r\nHost: news.example\r\nContent-Length: 0",
        )
    )
    assert foreign.startswith(b"HTTP/1.1 421")
    assert own.startswith(b"HTTP/1.1 200")
    assert large.startswith(b"HTTP/1.1 413")
    assert with_prefix.startswith(b"HTTP/1.1 200")
    assert b"x-root: /news" in with_prefix


@pytest.mark.parametrize(
    ("host", "own"),
    [
        ("localhost", True), ("LOCALHOST:8080", True), ("127.0.0.1:80", True), ("[::1]:8080", True), ("10.0.0.7", True),
        ("News.example.:443", True), ("news.example.evil.example", False), ("127.0.0.1.evil.example", False), ("", False),
        ("localhost.evil.example", False), ("[evil.example]", False),
    ],
)  # fmt: skip
def test_own_hosts_are_addresses_localhost_and_given_names(host: str, own: bool):
    assert is_own_host(host, ["news.example"]) is own


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1:8080", True), ("::1", True), ("[::1]:80", True), ("localhost", True), ("10.0.0.7", False), ("", False)],
)  # fmt: skip
def test_this_machine_is_told_from_others(host: str, local: bool):
    assert is_loopback(host) is local
