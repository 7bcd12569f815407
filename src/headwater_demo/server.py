"""The server behind every host of the demo internet; the Host header selects the site."""

import asyncio
import contextlib
import socket
import struct
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from aiohttp import web

from headwater_demo.control import CONTROL_HOST, control_site
from headwater_demo.delivery import deliver, http_date
from headwater_demo.faults import HEADER, Fault, parse_fault
from headwater_demo.log import LoggedRequest
from headwater_demo.site import Pace, Site, SiteRequest, SiteResponse, page
from headwater_demo.sites import SITES
from headwater_demo.world import World

_BODY_LIMIT = 64 * 1024 * 1024
# An endless body stops here, so that a forgotten client does not keep the machine busy for ever.
_ENDLESS_LIMIT = 1024 * 1024 * 1024
_ERROR_PAGE = "<!doctype html><html><head><title>Something went wrong</title></head><body><h1>We will be right back</h1></body></html>"


class Server:
    def __init__(self, world: World) -> None:
        self._world = world
        self._sites: dict[str, Site] = {site.host: site for build in SITES for site in build(world)}
        control = control_site(world, hosts=self.hosts())
        self._sites[control.host] = control

    def hosts(self) -> list[str]:
        return sorted(host for host in self._sites if host != CONTROL_HOST)

    async def handle(self, incoming: web.Request) -> web.StreamResponse:
        request = await _read(incoming, self._world)
        if request.host == CONTROL_HOST:
            return await _send(incoming, request, self._sites[CONTROL_HOST].answer(request), None)
        number, wall, started = self._world.log.next_number(), time.time(), time.monotonic()
        answer, fault = self._answer(request)
        try:
            await asyncio.sleep(fault.delay if fault else 0)
            return await _send(incoming, request, answer, fault)
        finally:
            fields = _log_fields(request, incoming.query_string, answer, fault)
            self._world.log.add(
                LoggedRequest(number=number, wall=wall, started=started, ended=time.monotonic(), **fields)
            )

    def _answer(self, request: SiteRequest) -> tuple[SiteResponse, Fault | None]:
        site = self._sites.get(request.host)
        fault_header = request.headers.get(HEADER)
        try:
            fault = (
                parse_fault(fault_header)
                if fault_header
                else self._world.faults.take(request.host, request.path)
            )
        except ValueError as error:
            return page(f"<p>{error}</p>", status=400), None
        response = site.answer(request) if site else page("<h1>No such host</h1>", status=421)
        if fault and (fault.status or fault.html):
            response = _fault_response(fault)
        return deliver(request, response, born=self._world.born), fault


def _log_fields(
    request: SiteRequest, query: str, answer: SiteResponse, fault: Fault | None
) -> dict[str, Any]:
    return {
        "method": request.method,
        "host": request.host,
        "path": request.path,
        "query": query,
        "headers": dict(request.headers),
        "status": 0 if fault and fault.reset else answer.status,
        "fault": fault.label() if fault else "",
    }


def _fault_response(fault: Fault) -> SiteResponse:
    headers = {"Retry-After": fault.retry_after} if fault.retry_after else {}
    return replace(page(_ERROR_PAGE, status=fault.status or 200), headers=headers, as_is=True)


async def _read(incoming: web.Request, world: World) -> SiteRequest:
    return SiteRequest(
        method=incoming.method,
        host=_host_name(incoming.host),
        path=incoming.rel_url.raw_path,
        query=dict(incoming.query),
        headers=_lower_names(incoming.headers),
        body=await incoming.read(),
        now=world.clock.now(),
    )


def _host_name(host: str) -> str:
    """Drops the port, and the `.localhost` with which a browser on this machine can open a site."""
    return host.partition(":")[0].lower().rstrip(".").removesuffix(".localhost")


def _lower_names(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


async def _send(
    incoming: web.Request, request: SiteRequest, answer: SiteResponse, fault: Fault | None
) -> web.StreamResponse:
    if fault and fault.reset:
        return _reset(incoming)
    headers = {"Date": http_date(request.now), "Content-Type": answer.media_type, **answer.headers}
    if fault and fault.truncate is not None:
        return await _send_truncated(incoming, answer, headers, fault.truncate)
    if answer.pace and request.method != "HEAD":
        return await _send_paced(incoming, answer, headers, answer.pace)
    return web.Response(status=answer.status, body=answer.body, headers=headers)


def _reset(incoming: web.Request) -> web.StreamResponse:
    transport = incoming.transport
    if transport is not None:
        # A zero linger makes the kernel send RST instead of closing the connection in order.
        transport.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
        )
        transport.abort()
    return web.Response()


async def _send_truncated(
    incoming: web.Request, answer: SiteResponse, headers: dict[str, str], size: int
) -> web.StreamResponse:
    announced = max(len(answer.body), size + 1)
    response = web.StreamResponse(status=answer.status, headers={**headers, "Content-Length": str(announced)})
    response.force_close()
    with contextlib.suppress(ConnectionError):
        await response.prepare(incoming)
        await response.write(answer.body[:size])
    if incoming.transport is not None:
        incoming.transport.close()
    return response


async def _send_paced(
    incoming: web.Request, answer: SiteResponse, headers: dict[str, str], pace: Pace
) -> web.StreamResponse:
    response = web.StreamResponse(status=answer.status, headers=headers)
    with contextlib.suppress(ConnectionError):
        await response.prepare(incoming)
        async for chunk in _chunks(answer.body, pace):
            await response.write(chunk)
        await response.write_eof()
    return response


async def _chunks(body: bytes, pace: Pace) -> AsyncIterator[bytes]:
    sent_bytes = 0
    while sent_bytes < (_ENDLESS_LIMIT if pace.endless else len(body)):
        start = sent_bytes % len(body)
        chunk = body[start : start + pace.chunk]
        yield chunk
        sent_bytes += len(chunk)
        await asyncio.sleep(pace.seconds)


@asynccontextmanager
async def serving(world: World, *, port: int = 0) -> AsyncIterator[tuple[str, list[str]]]:
    """Serves on loopback until the block ends; yields the base URL and the hosts."""
    server = Server(world)
    application = web.Application(client_max_size=_BODY_LIMIT)
    application.router.add_route("*", "/{path:.*}", server.handle)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.2)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", port)
        await site.start()
        bound = runner.addresses[0][1]
        yield f"http://127.0.0.1:{bound}", server.hosts()
    finally:
        await runner.cleanup()
