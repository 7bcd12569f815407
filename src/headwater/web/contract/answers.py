"""Answers of these endpoints: JSON, and errors as `{"error": "a sentence"}`."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from headwater.model.api_key import KeyScope
from headwater.model.errors import HeadwaterError, Refused
from headwater.web.context import context_of
from headwater.web.problems import HttpProblem, problem_of
from headwater.web.rest.routing import refuse_unstorable_text

Handler = Callable[[Request], Awaitable[Response]]
Body = TypeVar("Body")
UNKNOWN_RECORDS = frozenset({"unknown_queue", "unknown_item"})


def json_answer(value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(msgspec.json.encode(value), status, dict(headers or {}), "application/json")


def json_lines_answer(records: Iterable[Mapping[str, Any]]) -> Response:
    """One JSON object per line."""
    body = b"".join(msgspec.json.encode(record) + b"\n" for record in records)
    return Response(body, media_type="application/x-ndjson")


def guarded(handler: Handler) -> Handler:
    """Needs a key that may operate; errors become sentences."""

    async def answer(request: Request) -> Response:
        try:
            await asyncio.to_thread(context_of(request).admit, request, KeyScope.OPERATE)
            await refuse_unstorable_text(request)
            return await handler(request)
        except HttpProblem as problem:
            return _error_answer(problem)
        except HeadwaterError as error:
            answer_problem = problem_of(error)
            if answer_problem.status == 404 and error.reason not in UNKNOWN_RECORDS:
                answer_problem.status = 400
            return _error_answer(answer_problem)

    return answer


def _error_answer(problem: HttpProblem) -> Response:
    return json_answer({"error": problem.detail}, status=problem.status, headers=problem.headers)


async def read_body(request: Request, kind: type[Body]) -> Body | None:
    """The body as this type; None if it is empty."""
    raw = await request.body()
    try:
        return msgspec.json.decode(raw, type=kind) if raw.strip() else None
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise Refused("bad_body", "the body must be a JSON object, or empty") from error
