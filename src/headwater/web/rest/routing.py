"""Routes of the API: unknown parameters are refused, a POST with an idempotency key is carried out once, and every route says
which scope it needs and which problems it may answer."""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from fastapi import APIRouter, Depends
from fastapi.dependencies.models import Dependant
from fastapi.dependencies.utils import get_flat_params
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from headwater.model.api_key import KeyScope
from headwater.web.context import context_of
from headwater.web.problems import PROBLEM_TYPE, HttpProblem
from headwater.web.rest.idempotency import answer_once
from headwater.web.rest.schemas import Schema

PROBLEM_REF = {"$ref": "#/components/schemas/Problem"}
PROBLEMS = {
    400: "A parameter or the body is wrong.",
    401: "There is no key, or a wrong one.",
    403: "The scope of the key does not suffice.",
    404: "There is no such record.",
    429: "Too many requests.",
    503: "The database is not available; try again.",
}
WRITE_PROBLEMS = {
    409: "It is not possible now.",
    410: "The installation has moved.",
    413: "The body is too large.",
    422: "The idempotency key was used for another request.",
}


class ApiRoute(APIRoute):
    """Refuses query parameters and fields of the body that the route does not know, and describes the scope that it needs."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        # Generated clients call their functions by it.
        options["operation_id"] = endpoint.__name__ + ("_in_form" if path.endswith(".{format}") else "")
        super().__init__(path, endpoint, **options)
        checks = [dependency.call for dependency in self.dependant.dependencies]
        scopes = [check.scope for check in checks if isinstance(check, RequireScope)]
        self.openapi_extra = (self.openapi_extra or {}) | needed_scope(max(scopes, default=KeyScope.READ))

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        names = {field.alias for field in get_flat_params(self.dependant) if _is_query(field)}
        is_post = "POST" in (self.methods or ())
        body_names = _body_names(self.dependant) if self._embed_body_fields else None

        async def answer(request: Request) -> Response:
            if unknown := sorted(set(request.query_params) - names):
                known_names = ", ".join(sorted(names)) or "none"
                raise HttpProblem(
                    400,
                    "unknown_parameter",
                    f"there is no parameter '{unknown[0]}'; there are: {known_names}",
                )
            await refuse_unstorable_text(request)
            if body_names is not None:
                _refuse_unknown_fields(await request.body(), body_names)
            return await (answer_once(request, handle) if is_post else handle(request))

        return answer


def _body_names(dependant: Dependant) -> set[str]:
    """Those of the endpoint and of what it depends on."""
    names = {field.alias for field in dependant.body_params}
    return names.union(*(_body_names(part) for part in dependant.dependencies))


def _refuse_unknown_fields(body: bytes, names: set[str]) -> None:
    """A typo must not widen what a request does. A body that is no object is refused later."""
    try:
        fields = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return
    if unknown := sorted(set(fields) - names):
        raise HttpProblem(
            400,
            "unknown_field",
            f"there is no field '{unknown[0][:100]}'; there are: {', '.join(sorted(names))}",
        )


async def refuse_unstorable_text(request: Request) -> None:
    """Texts with a NUL or half a character pair: no record has them, and databases fail on them."""
    texts = [*request.path_params.values(), *request.query_params.values()]
    is_wrong = any("\x00" in str(text) or not _is_encodable(str(text)) for text in texts)
    body = await request.body() if request.method in {"POST", "PUT", "DELETE"} else b""
    if b"\\u" in body:
        try:
            msgspec.json.decode(body)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            is_wrong = True
    if is_wrong or b"\\u0000" in body:
        raise HttpProblem(400, "bad_text", "a text has a NUL character or half of a character pair")


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_query(field: Any) -> bool:
    return getattr(field.field_info, "in_", None) is not None and field.field_info.in_.value == "query"


def api_router(prefix: str, tag: str, scope: KeyScope = KeyScope.READ) -> APIRouter:
    return APIRouter(
        prefix=prefix, tags=[tag], route_class=ApiRoute, dependencies=[Depends(RequireScope(scope))]
    )


@dataclass(frozen=True)
class RequireScope:
    """Admits callers whose key permits this."""

    scope: KeyScope

    async def __call__(self, request: Request) -> None:
        """In a thread only if rows must be read: a thread costs a local reader as much as the rest of a small answer."""
        context = context_of(request)
        if context.shows_no_key(request):
            request.state.caller = context.admit(request, self.scope)
        else:
            request.state.caller = await run_in_threadpool(context.admit, request, self.scope)


OPERATE = Depends(RequireScope(KeyScope.OPERATE))
ADMIN = Depends(RequireScope(KeyScope.ADMIN))


def needed_scope(scope: KeyScope) -> Schema:
    """The scope of an operation, for OpenAPI."""
    return {"security": [{"key": [scope.label]}]}


def described(
    schema: Schema,
    description: str = "The record.",
    *,
    status: int = 200,
    media: Mapping[str, Schema] | None = None,
    writes: bool = False,
) -> dict[int | str, dict[str, Any]]:
    """What a route may answer, for OpenAPI."""
    content = {"application/json": {"schema": schema}} if media is None else dict(media)
    problems = PROBLEMS | (WRITE_PROBLEMS if writes else {})
    problem_content = {"content": {PROBLEM_TYPE: {"schema": PROBLEM_REF}}}
    answers: dict[int | str, dict[str, Any]] = {status: {"description": description, "content": content}}
    if not writes:
        answers[304] = {"description": "Unchanged: the ETag of If-None-Match is still right."}
    return answers | {code: {"description": text, **problem_content} for code, text in problems.items()}
