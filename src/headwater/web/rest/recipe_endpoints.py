"""The endpoints that recipes register, as routes: the API knows no recipe."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import msgspec
from fastapi import APIRouter, Depends
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from headwater.app import App
from headwater.model.api_key import KeyScope
from headwater.model.endpoint import Endpoint
from headwater.model.errors import Refused
from headwater.model.recipe import Recipe
from headwater.web.context import context_of
from headwater.web.problems import HttpProblem
from headwater.web.rest.answers import json_answer_to
from headwater.web.rest.idempotency import answer_once
from headwater.web.rest.routing import described, refuse_unstorable_text, require_scope
from headwater.web.rest.schemas import ANY, Schema, json_body


def recipe_router(recipes: Mapping[str, Recipe]) -> APIRouter:
    router = APIRouter(prefix="/recipes")
    for recipe in recipes.values():
        for path, endpoint in recipe.endpoints.items():
            _add_route(router, recipe.name, path, endpoint)
    return router


def _add_route(router: APIRouter, recipe: str, path: str, endpoint: Endpoint) -> None:
    schema = parameter_schema(endpoint)
    scope = KeyScope.OPERATE if endpoint.changes else KeyScope.READ
    router.add_api_route(
        f"/{recipe}/{path}",
        _handler(endpoint),
        methods=["POST" if endpoint.changes else "GET"],
        tags=[recipe],
        summary=endpoint.help,
        dependencies=[Depends(require_scope(scope))],
        responses=described(ANY, "The record, or the records.", writes=endpoint.changes),
        openapi_extra=json_body(schema) if endpoint.changes else {"parameters": _query_parameters(schema)},
    )


def _handler(endpoint: Endpoint) -> Callable[[Request], Any]:
    async def carry_out(request: Request) -> Response:
        await refuse_unstorable_text(request)
        if endpoint.changes:
            values: Any = await _read_object(request)
        else:
            values = dict(request.query_params)
        value = await run_in_threadpool(
            call_endpoint, endpoint, context_of(request).app, read_parameters(endpoint, values)
        )
        record = {"items": value, "next": None} if isinstance(value, list) else value
        return json_answer_to(request, record)

    async def answer(request: Request) -> Response:
        return await (answer_once(request, carry_out) if endpoint.changes else carry_out(request))

    return answer


def call_endpoint(endpoint: Endpoint, app: App, parameters: msgspec.Struct) -> Any:
    module, _, name = endpoint.handler.partition(":")
    return getattr(import_module(module), name)(app, parameters)


async def _read_object(request: Request) -> dict[str, Any]:
    body = await request.body()
    try:
        return msgspec.json.decode(body, type=dict[str, Any]) if body.strip() else {}
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise HttpProblem(400, "bad_body", "the body must be a JSON object, or empty") from error


def read_parameters(endpoint: Endpoint, values: Mapping[str, Any]) -> msgspec.Struct:
    names = endpoint.parameters.__struct_fields__
    if unknown := [name for name in values if name not in names]:
        raise Refused(
            "bad_parameter", f"there is no parameter '{unknown[0]}'; there are: {', '.join(names) or 'none'}"
        )
    try:
        return msgspec.convert(dict(values), endpoint.parameters, strict=False)
    except msgspec.ValidationError as error:
        raise Refused("bad_parameter", str(error)) from error


def parameter_schema(endpoint: Endpoint) -> Schema:
    _, definitions = msgspec.json.schema_components([endpoint.parameters])
    schema: Schema = definitions[endpoint.parameters.__name__]
    return schema


def _query_parameters(schema: Schema) -> list[Schema]:
    required = schema.get("required", ())
    return [
        {"name": name, "in": "query", "required": name in required, "schema": part}
        for name, part in schema["properties"].items()
    ]
