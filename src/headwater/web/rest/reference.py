"""The reference of the API, from its own description."""

from collections.abc import Iterator, Mapping
from typing import Any

from fastapi import FastAPI

from headwater.app import App
from headwater.settings.settings import Settings
from headwater.web import events
from headwater.web.mcp.server import make_mcp_server
from headwater.web.rest.api import DESCRIPTION, PREFIX, add_api, describe_api
from headwater.web.rest.recipe_endpoints import recipe_router

OTHERS = {
    "`GET /healthz`": "Is this server alive: 200, whatever the state of the other parts. For everyone.",
    "`GET /health`": "Is the database there: 200, or 503 when it cannot be reached. For everyone.",
    "`GET /readyz`": "Do all parts work: 200, or 503 with the part that does not. For everyone.",
    "`GET /metrics`": "Figures for Prometheus, counted from rows.",
    "`POST /mcp`": "The tools below, over MCP (streamable HTTP).",
    "`POST /pipeline/run`, `GET /pipeline/runs`, `GET /pipeline/runs/RUN`": "Runs, for programs that know these addresses.",
    "`GET /queues`, `POST /queues/QUEUE/pop` …": "Queues as JSON lines, for programs that know these addresses.",
}


def describe_installed_api() -> dict[str, Any]:
    """The description with the endpoints of the installed recipes, without opening an installation."""
    application = FastAPI(title="Headwater", openapi_url=None)
    add_api(application, events.router, recipe_router(App(Settings()).recipes))
    return describe_api(application)


def api_lines() -> Iterator[str]:
    yield " ".join(DESCRIPTION.split("\n\n")[0].split())
    yield ""
    yield " ".join(DESCRIPTION.split("\n\n")[1].split())
    yield ""
    yield "Required fields of a body are bold. The whole description, with every field, is `/api/v1/openapi.json` of a running server (OpenAPI 3.1)."
    yield ""
    for tag, rows in _operations_by_tag().items():
        yield f"## {tag}"
        yield ""
        yield "| request | scope | parameters | fields of the body | what it does |"
        yield "|---|---|---|---|---|"
        yield from rows
        yield ""
    yield "## Outside of /api/v1"
    yield ""
    yield "| request | what it does |"
    yield "|---|---|"
    yield from (f"| {request} | {text} |" for request, text in OTHERS.items())
    yield ""
    yield "## Tools for language models"
    yield ""
    yield "Over MCP at `/mcp`, or with `headwater mcp` on standard input and output. Every answer has `freshness`, `evidence`, `next` and"
    yield "`shortened`; `max_tokens` limits its size."
    yield ""
    yield "| tool | parameters | what it does |"
    yield "|---|---|---|"
    yield from _tool_rows()


def _operations_by_tag() -> Mapping[str, list[str]]:
    rows: dict[str, list[str]] = {}
    description = describe_installed_api()
    for path, operations in description["paths"].items():
        if path.endswith(".{format}"):
            continue
        for method, operation in operations.items():
            names = [f"`{item['name']}`" for item in operation.get("parameters", ()) if item["in"] == "query"]
            text = operation.get("description") or operation.get("summary", "")
            cells = (
                f"`{method.upper()} {path.removeprefix(PREFIX)}`",
                operation["security"][0]["key"][0],
                " ".join(names),
                " ".join(_body_fields(operation, description["components"]["schemas"])),
                " ".join(text.split()),
            )
            rows.setdefault(operation["tags"][0], []).append(f"| {' | '.join(cells)} |")
    return rows


def _body_fields(operation: Mapping[str, Any], schemas: Mapping[str, Any]) -> Iterator[str]:
    """Those that are required in bold."""
    content = operation.get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema", {})
    parts: list[Mapping[str, Any]] = [schema, *schema.get("anyOf", ())]
    schema = next((part for part in parts if "$ref" in part or "properties" in part), schema)
    schema = schemas[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    for name in schema.get("properties", ()):
        yield f"**`{name}`**" if name in schema.get("required", ()) else f"`{name}`"


def _tool_rows() -> Iterator[str]:
    server = make_mcp_server(App(Settings()))
    for tool in server._tool_manager.list_tools():  # noqa: SLF001 - its public list is a coroutine
        names = " ".join(f"`{name}`" for name in tool.parameters.get("properties", {}))
        yield f"| `{tool.name}` | {names} | {' '.join(tool.description.split())} |"
