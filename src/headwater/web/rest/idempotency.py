"""A POST with the header Idempotency-Key is carried out once: who sends it again gets the same answer."""

import asyncio
from collections.abc import Callable, Coroutine
from hashlib import sha256
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from headwater.web.context import caller_of, context_of
from headwater.web.problems import HttpProblem

HEADER = "idempotency-key"
LONGEST = 200
Handle = Callable[[Request], Coroutine[Any, Any, Response]]


async def answer_once(request: Request, handle: Handle) -> Response:
    key = request.headers.get(HEADER, "")
    if not key:
        return await handle(request)
    if len(key) > LONGEST:
        raise HttpProblem(400, "bad_idempotency_key", f"Idempotency-Key: at most {LONGEST} characters")
    context = context_of(request)
    rows, now = context.app.idempotency_keys, context.app.clock()
    path = f"{request.method} {request.url.path}?{request.url.query}"
    row_id = _hash(caller_of(request.scope).key_text.encode("utf-8", "surrogateescape"), key.encode())
    digest = _hash(path.encode(), await request.body())
    earlier = await asyncio.to_thread(rows.begin, row_id, digest, now)
    if earlier is not None:
        return _earlier_answer(earlier, digest)
    try:
        response = await handle(request)
    except BaseException:
        await asyncio.to_thread(rows.forget, row_id)  # it may be tried again
        raise
    body = bytes(response.body).decode("utf-8", "replace")
    await asyncio.to_thread(rows.finish, row_id, response.status_code, body)
    return response


def _earlier_answer(earlier: dict[str, Any], digest: str) -> Response:
    if earlier["sha256"] != digest:
        raise HttpProblem(
            422, "other_request", "this idempotency key was used for another request: choose a new one"
        )
    if earlier["http_status"] is None:
        raise HttpProblem(409, "request_under_way", "this request is being carried out", {"Retry-After": "2"})
    return Response(
        earlier["answer"], earlier["http_status"], {"Idempotent-Replay": "true"}, "application/json"
    )


def _hash(*parts: bytes) -> str:
    return sha256(b"\x00".join(sha256(part).digest() for part in parts)).hexdigest()
