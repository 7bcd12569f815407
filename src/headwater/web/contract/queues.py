"""The queues over HTTP, as JSON lines: peek, pop with a lease, acknowledge, fail, retry."""

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.model.errors import Refused
from headwater.settings.sources import parse_duration
from headwater.store.changes.queues import SqlQueues
from headwater.web.context import context_of
from headwater.web.contract.answers import guarded, json_answer, json_lines_answer, read_body

MAX_LIMIT = 100
MAX_TEXT = 300


class FailureBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    reason: str = "extraction_failed"


def queue_routes() -> Sequence[Route]:
    return [
        Route("/queues", guarded(list_queues), methods=["GET"]),
        Route("/queues/items/{item}/ack", guarded(acknowledge_item), methods=["POST"]),
        Route("/queues/items/{item}/fail", guarded(fail_item), methods=["POST"]),
        Route("/queues/{queue}", guarded(peek_items), methods=["GET"]),
        Route("/queues/{queue}/pop", guarded(pop_items), methods=["POST"]),
        Route("/queues/{queue}/retry", guarded(retry_items), methods=["POST"]),
    ]


def _queues(request: Request) -> SqlQueues:
    return context_of(request).app.queues


async def list_queues(request: Request) -> Response:
    return json_lines_answer(await asyncio.to_thread(lambda: _queues(request).counts()))


async def peek_items(request: Request) -> Response:
    limit = _limit(request)

    def read_items() -> list[dict[str, Any]]:
        queues = _queues(request)
        return queues.peek(queues.find_queue(request.path_params["queue"]), limit)

    return json_lines_answer(await asyncio.to_thread(read_items))


async def pop_items(request: Request) -> Response:
    limit = _limit(request)
    lease = parse_duration(request.query_params.get("lease", "15m"), "lease")
    address = request.client.host if request.client else ""
    owner = request.query_params.get("owner", "") or f"http:{address}"

    def take() -> list[dict[str, Any]]:
        queues = _queues(request)
        return queues.pop(queues.find_queue(request.path_params["queue"]), owner[:MAX_TEXT], limit, lease)

    return json_lines_answer(await asyncio.to_thread(take))


async def retry_items(request: Request) -> Response:
    def retry() -> int:
        queues = _queues(request)
        return queues.retry(queues.find_queue(request.path_params["queue"]))

    return json_answer({"count": await asyncio.to_thread(retry)})


async def acknowledge_item(request: Request) -> Response:
    item = request.path_params["item"]
    result = await read_body(request, dict[str, Any])
    await asyncio.to_thread(lambda: _queues(request).ack(item, result))
    return json_answer({"id": item, "state": "done"})


async def fail_item(request: Request) -> Response:
    item = request.path_params["item"]
    failure = (await read_body(request, FailureBody)) or FailureBody()
    await asyncio.to_thread(lambda: _queues(request).report_failure(item, failure.reason[:MAX_TEXT]))
    return json_answer({"id": item, "state": "failed"})


def _limit(request: Request) -> int:
    value = request.query_params.get("limit", "1")
    if not (value.isascii() and value.isdecimal() and len(value) < 5 and 1 <= int(value) <= MAX_LIMIT):
        raise Refused("bad_limit", f"give limit as a number from 1 to {MAX_LIMIT}")
    return int(value)
