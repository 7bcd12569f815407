"""The endpoints that recipes register, as routes: the API knows no recipe."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from importlib import import_module
from typing import Any
from urllib.parse import quote

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
from headwater.text.written_feed import LONG_AGO, FeedItem
from headwater.web.context import context_of
from headwater.web.formats.media import MEDIA_TYPES
from headwater.web.problems import HttpProblem
from headwater.web.rest.answers import json_answer_to
from headwater.web.rest.forms import rows_answer
from headwater.web.rest.idempotency import answer_once
from headwater.web.rest.listing import FORMAT_PARAMETER
from headwater.web.rest.routing import RequireScope, described, needed_scope, refuse_unstorable_text
from headwater.web.rest.schemas import ANY, Schema, json_body

MEDIA = {name.partition(";")[0]: {"schema": ANY} for name in MEDIA_TYPES.values()}


def recipe_router(recipes: Mapping[str, Recipe]) -> APIRouter:
    router = APIRouter(prefix="/recipes")
    for recipe in recipes.values():
        for path, endpoint in recipe.endpoints.items():
            _add_route(router, recipe.name, path, endpoint)
    return router


def _add_route(router: APIRouter, recipe: str, path: str, endpoint: Endpoint) -> None:
    schema = parameter_schema(endpoint)
    scope = KeyScope.OPERATE if endpoint.changes else KeyScope.READ
    parameters = [] if endpoint.changes else _query_parameters(schema)
    forms = ("",) if endpoint.changes else ("", ".{format}")
    for form in forms:
        described_parameters = [*parameters, *([FORMAT_PARAMETER] if form else [])]
        router.add_api_route(
            f"/{recipe}/{path}{form}",
            _handler(endpoint, f"{recipe} {path}"),
            methods=["POST" if endpoint.changes else "GET"],
            tags=[recipe],
            summary=endpoint.help,
            operation_id="_".join([recipe, *re.findall(r"\w+", path), *(["in_form"] if form else [])]),
            dependencies=[Depends(RequireScope(scope))],
            responses=described(
                ANY, "The record, or the records.", writes=endpoint.changes, media=MEDIA if form else None
            ),
            openapi_extra=needed_scope(scope)
            | (json_body(schema) if endpoint.changes else {"parameters": described_parameters}),
        )


def _handler(endpoint: Endpoint, name: str) -> Callable[[Request], Any]:
    async def carry_out(request: Request) -> Response:
        await refuse_unstorable_text(request)
        if endpoint.changes:
            values: Any = await _read_object(request)
        else:
            values = dict(request.query_params)
        value = await run_in_threadpool(
            call_endpoint, endpoint, context_of(request).app, read_parameters(endpoint, values)
        )
        return (
            _list_answer(request, name, value) if isinstance(value, list) else _record_answer(request, value)
        )

    async def answer(request: Request) -> Response:
        return await (answer_once(request, carry_out) if endpoint.changes else carry_out(request))

    return answer


def _list_answer(request: Request, name: str, value: list[Any]) -> Response:
    rows = msgspec.to_builtins(value, builtin_types=(datetime,))
    rows = [row if isinstance(row, dict) else {"value": row} for row in rows]
    return rows_answer(request, name, rows, _row_item)


def _row_item(row: dict[str, Any]) -> FeedItem:
    key = str(row.get("id") or row.get("name") or row.get("url") or msgspec.json.encode(row).decode())
    title = str(row.get("title") or row.get("name") or key)
    return FeedItem(
        id=f"urn:headwater:record:{quote(key)}", title=title, url=str(row.get("url") or ""), updated=LONG_AGO
    )


def _record_answer(request: Request, value: Any) -> Response:
    if request.path_params.get("format", "json") != "json":
        raise HttpProblem(404, "unknown_format", "this is one record, not a list; it has only the form json")
    return json_answer_to(request, value)


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
