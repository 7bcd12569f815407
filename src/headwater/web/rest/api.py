"""The API under /api/v1: its routers and its description."""

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.requests import Request
from starlette.responses import Response

from headwater.model.api_key import KeyScope
from headwater.web.context import context_of
from headwater.web.rest import captures, documents, operations, overview, search, searches, sources, stories
from headwater.web.rest.answers import json_answer_to
from headwater.web.rest.schemas import PROBLEM

PREFIX = "/api/v1"
DESCRIPTION = """Documents, stories, sources and operations of one installation.

Lists return `items` and `next`, the cursor of the next page, null at the end. `fields` chooses fields. The extensions `.json`,
`.csv`, `.parquet`, `.atom`, `.rss` and `.jsonfeed`, or the Accept header, choose the form. Answers carry an ETag. Errors are problem
details (RFC 9457). A POST with `Idempotency-Key` is carried out once. Send a key as `Authorization: Bearer KEY`; `security` of
an operation names the scope that it needs."""
ROUTERS: Sequence[APIRouter] = (
    documents.router,
    search.router,
    searches.router,
    captures.router,
    stories.router,
    sources.router,
    overview.router,
    operations.quarantine_router,
    operations.alarm_router,
    operations.run_router,
    operations.replay_router,
    operations.queue_router,
)


def add_api(application: FastAPI, *more: APIRouter) -> None:
    for router in (*ROUTERS, *more):
        application.include_router(router, prefix=PREFIX)

    def read_description(request: Request) -> Response:
        context = context_of(request)
        context.admit(request, KeyScope.READ)
        servers = [{"url": context.base_url(request)}]
        return json_answer_to(request, {**describe_api(application), "servers": servers}, redact=False)

    application.add_api_route(f"{PREFIX}/openapi.json", read_description, include_in_schema=False)


def describe_api(application: FastAPI) -> dict[str, Any]:
    """OpenAPI 3.1, without the answer 422 of FastAPI, which this API gives as 400."""
    if application.openapi_schema:
        return application.openapi_schema
    record = get_openapi(
        title=application.title,
        version=application.version,
        openapi_version="3.1.0",
        description=DESCRIPTION,
        routes=application.routes,
    )
    components = record.setdefault("components", {})
    components.setdefault("schemas", {})["Problem"] = PROBLEM
    components["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
    record["security"] = [{"key": []}]
    for operation in (part for path in record["paths"].values() for part in path.values()):
        if "application/json" in operation["responses"].get("422", {}).get("content", {}):
            del operation["responses"]["422"]
    for name in ("HTTPValidationError", "ValidationError"):
        components["schemas"].pop(name, None)
    application.openapi_schema = record
    return record
