"""What every server of ours refuses: slow clients, foreign host names; and what it does not log."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web
from tests.support.deadline import DEADLINE

from headwater.logs import configure_logs
from headwater.web.server import IDLE_SECONDS, is_own_host, make_runner, require_host


@asynccontextmanager
async def serving(**limits: float) -> AsyncIterator[int]:
    async def answer(request: web.Request) -> web.Response:
        return web.Response(body=await request.read())

    site = web.Application(middlewares=[require_host(["news.example"])])
    site.router.add_post("/", answer)
    runner = make_runner(site, **limits)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


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


def test_an_error_is_logged_without_bytes_of_the_request(capsys: pytest.CaptureFixture[str]):
    async def send_nonsense() -> None:
        async with serving(idle_seconds=0.05) as port:
            await send(port, b"GET / HTTP/1.1\r\nX-Api-Key: hidden-key\x00\r\nbad line hidden-key\r\n\r\n")

    configure_logs("console", "info")
    asyncio.run(send_nonsense())
    logged = capsys.readouterr().err
    assert "request failed" in logged
    assert "hidden-key" not in logged
    assert "Traceback" not in logged


def test_a_request_for_a_foreign_host_name_is_refused():
    async def ask(host: str) -> bytes:
        async with serving() as port:
            head = f"POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            return await send(port, head.encode())

    assert asyncio.run(ask("evil.example:8080")).startswith(b"HTTP/1.1 421")
    assert asyncio.run(ask("news.example")).startswith(b"HTTP/1.1 200")


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
