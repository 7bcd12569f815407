"""The queues over HTTP, as JSON lines: peek, pop with a lease, acknowledge, fail, retry."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec
from aiohttp import web

from headwater.model.errors import MovedAway, Refused, Temporary
from headwater.settings.sources import parse_duration
from headwater.store.changes.queues import SqlQueues

MAX_LIMIT = 100
MAX_TEXT = 300
UNKNOWN = frozenset({"unknown_queue", "unknown_item"})
Body = TypeVar("Body")
CheckKey = Callable[[web.Request], web.Response | None]
Handler = Callable[[web.Request], Awaitable[web.Response]]


class FailureBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    reason: str = "extraction_failed"


@dataclass(frozen=True)
class QueueApi:
    """`refusal` returns the response to a request without the key; `queues` opens the queues when they are needed."""

    queues: Callable[[], SqlQueues]
    refusal: CheckKey

    def add_to(self, site: web.Application) -> None:
        routes: Mapping[tuple[str, str], Handler] = {
            ("GET", "/queues"): self.counts,
            ("GET", "/queues/{queue}"): self.peek,
            ("POST", "/queues/{queue}/pop"): self.pop,
            ("POST", "/queues/{queue}/retry"): self.retry,
            ("POST", "/queues/items/{item}/ack"): self.ack,
            ("POST", "/queues/items/{item}/fail"): self.fail,
        }
        for (method, path), handler in routes.items():
            site.router.add_route(method, path, self._guarded(handler))

    def _guarded(self, handler: Handler) -> Handler:
        async def guarded(request: web.Request) -> web.Response:
            if refusal := self.refusal(request):
                return refusal
            try:
                return await handler(request)
            except MovedAway as moved:
                return web.json_response({"error": moved.detail}, status=410)
            except Refused as refused:
                status = 404 if refused.reason in UNKNOWN else 400
                return web.json_response({"error": refused.detail}, status=status)
            except Temporary as error:
                return web.json_response({"error": error.reason}, status=503)

        return guarded

    async def counts(self, request: web.Request) -> web.Response:
        del request
        return json_lines_response(await asyncio.to_thread(lambda: self.queues().counts()))

    async def peek(self, request: web.Request) -> web.Response:
        limit = _limit(request)

        def read_items() -> list[dict[str, Any]]:
            queues = self.queues()
            return queues.peek(queues.find_queue(request.match_info["queue"]), limit)

        return json_lines_response(await asyncio.to_thread(read_items))

    async def pop(self, request: web.Request) -> web.Response:
        limit = _limit(request)
        lease = parse_duration(request.query.get("lease", "15m"), "lease")
        owner = request.query.get("owner", "") or f"http:{request.remote}"

        def take() -> list[dict[str, Any]]:
            queues = self.queues()
            return queues.pop(queues.find_queue(request.match_info["queue"]), owner[:MAX_TEXT], limit, lease)

        return json_lines_response(await asyncio.to_thread(take))

    async def retry(self, request: web.Request) -> web.Response:
        def retry_items() -> int:
            queues = self.queues()
            return queues.retry(queues.find_queue(request.match_info["queue"]))

        return web.json_response({"count": await asyncio.to_thread(retry_items)})

    async def ack(self, request: web.Request) -> web.Response:
        item = request.match_info["item"]
        result = await _body(request, dict[str, Any])
        await asyncio.to_thread(lambda: self.queues().ack(item, result))
        return web.json_response({"id": item, "state": "done"})

    async def fail(self, request: web.Request) -> web.Response:
        item = request.match_info["item"]
        failure = (await _body(request, FailureBody)) or FailureBody()
        await asyncio.to_thread(lambda: self.queues().fail(item, failure.reason[:MAX_TEXT]))
        return web.json_response({"id": item, "state": "failed"})


def json_lines_response(records: Iterable[Mapping[str, Any]]) -> web.Response:
    """One JSON object per line."""
    body = b"".join(msgspec.json.encode(record) + b"\n" for record in records)
    return web.Response(body=body, content_type="application/x-ndjson")


def _limit(request: web.Request) -> int:
    value = request.query.get("limit", "1")
    if not (value.isascii() and value.isdecimal() and len(value) < 5 and 1 <= int(value) <= MAX_LIMIT):
        raise Refused("bad_limit", f"give limit as a number from 1 to {MAX_LIMIT}")
    return int(value)


async def _body(request: web.Request, kind: type[Body]) -> Body | None:
    raw = await request.read()
    try:
        return msgspec.json.decode(raw, type=kind) if raw.strip() else None
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise Refused("bad_body", "the body must be a JSON object, or empty") from error
