"""What every server of ours has: time limits for slow clients, a log without bytes of requests, and a check of the Host."""

import asyncio
import ipaddress
import logging
import traceback
from collections.abc import Collection

import structlog
from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

# A connection that has sent no complete request for this long is closed.
IDLE_SECONDS = 30.0
# The body of a request must arrive within this time.
BODY_SECONDS = 20.0
_log = structlog.get_logger()


class RequestErrorLog(logging.Handler):
    """Logs the type and the place of an error only: its message and its traceback may quote the request."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if error is None:
            _log.warning("request failed", error=record.levelname)
            return
        frames = traceback.extract_tb(error.__traceback__)
        place = {"file": frames[-1].filename, "line": frames[-1].lineno} if frames else {}
        _log.warning("request failed", error=type(error).__name__, **place)


def make_runner(
    site: web.Application, *, idle_seconds: float = IDLE_SECONDS, body_seconds: float = BODY_SECONDS
) -> web.AppRunner:
    """A runner for the site that holds no connection for a client that sends nothing, or too slowly."""
    logger = logging.getLogger(__name__)
    logger.setLevel(logging.WARNING)
    logger.handlers, logger.propagate = [RequestErrorLog()], False
    site.middlewares.append(_limit_body_time(body_seconds))
    return web.AppRunner(
        site, access_log=None, logger=logger, keepalive_timeout=idle_seconds, lingering_time=2.0
    )


def _limit_body_time(seconds: float) -> Middleware:
    @web.middleware
    async def read_body(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            async with asyncio.timeout(seconds):
                await request.read()  # the handler gets it from memory
        except TimeoutError:
            response = web.json_response({"error": "the body did not arrive in time"}, status=408)
            response.force_close()
            return response
        return await handler(request)

    return read_body


def require_host(names: Collection[str]) -> Middleware:
    """Refuses requests for other host names. Without it, a web page could reach a server on the machine or in the network of
    its reader, by a name of its own that leads there (DNS rebinding)."""

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        if not is_own_host(request.headers.get("Host", ""), names):
            return web.json_response({"error": "unknown host; allow it with --name"}, status=421)
        return await handler(request)

    return check


def is_own_host(host: str, names: Collection[str]) -> bool:
    """True for an IP address, `localhost`, and the given names, each with or without a port."""
    name = host.strip().lower()
    if name.startswith("["):
        name = name.partition("]")[0].removeprefix("[")
    else:
        name = name.partition(":")[0].rstrip(".")
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return name == "localhost" or name in {own.lower() for own in names if own}
    return True
