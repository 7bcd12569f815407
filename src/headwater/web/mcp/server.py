"""The MCP server with its tools, over standard input and output or over HTTP."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import wraps
from importlib.metadata import version
from types import new_class
from typing import Any

import msgspec
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import ToolAnnotations
from starlette.applications import Starlette

from headwater.app import App
from headwater.model.api_key import KeyScope
from headwater.model.endpoint import Endpoint
from headwater.model.errors import HeadwaterError
from headwater.text.redaction import redact_record
from headwater.web.context import WebContext, caller_of
from headwater.web.mcp.records import RecipeAnswer
from headwater.web.mcp.size_limit import DEFAULT_TOKENS, MaxTokens, shorten
from headwater.web.mcp.tools import Tools
from headwater.web.problems import HttpProblem
from headwater.web.rest.recipe_endpoints import call_endpoint, read_parameters
from headwater.web.security.error_log import log_request_error, quiet_logger
from headwater.web.security.hosts import is_own_origin
from headwater.web.security.layers import MISTAKE, Receive, Scope, Send

PATH = "/mcp"
INSTRUCTIONS = """News and other documents that this installation collected. Every answer says how fresh it is, and its evidence
names the capture and the bytes in which a statement stands: cite them. Lists have a cursor `next`."""
TOOL_NAMES = (
    "search",
    "get_document",
    "get_story",
    "top_stories",
    "story_timeline",
    "source_health",
    "explain_field",
)
READS_ONLY = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)


def make_mcp_server(app: App) -> MCPServer[Any]:
    server: MCPServer[Any] = MCPServer(
        "headwater",
        title="Headwater",
        instructions=INSTRUCTIONS,
        version=version("headwater"),
        log_level="ERROR",
    )
    quiet_logger("mcp")
    tools = Tools(app)
    for name in TOOL_NAMES:
        server.add_tool(
            _in_thread(getattr(tools, name)), name=name, annotations=READS_ONLY, structured_output=True
        )
    for recipe in app.recipes.values():
        for endpoint in recipe.endpoints.values():
            if endpoint.tool and not endpoint.changes:
                tool = _in_thread(_recipe_tool(tools, recipe.name, endpoint))
                server.add_tool(
                    tool,
                    name=endpoint.tool,
                    description=endpoint.help,
                    annotations=READS_ONLY,
                    structured_output=True,
                )
    for registered in server._tool_manager.list_tools():  # noqa: SLF001 - its public list is a coroutine of copies
        _refuse_other_arguments(registered)
    return server


def _refuse_other_arguments(tool: Tool) -> None:
    """The SDK ignores arguments that a tool does not have: a typo would widen what is asked, and the model would not notice."""
    arguments = tool.fn_metadata.arg_model
    tool.fn_metadata.arg_model = new_class(arguments.__name__, (arguments,), {"extra": "forbid"})
    tool.parameters = tool.parameters | {"additionalProperties": False}


def _in_thread(function: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
    """Reading rows must not hold up other calls. What the model asked wrongly it is told in a sentence."""

    @wraps(function)
    async def call(**arguments: Any) -> Any:
        if any("\0" in value for value in arguments.values() if isinstance(value, str)):
            raise ToolError("a text has a NUL character")
        try:
            return await asyncio.to_thread(function, **arguments)
        except HeadwaterError as error:
            raise ToolError(error.detail or error.reason) from None
        except HttpProblem as problem:
            raise ToolError(problem.detail) from None
        except Exception as error:  # noqa: BLE001 - the SDK would send its message
            log_request_error(error)
            raise ToolError(MISTAKE) from None

    call.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return call


def _recipe_tool(tools: Tools, recipe: str, endpoint: Endpoint) -> Callable[..., RecipeAnswer]:
    """A function with the parameters of the endpoint."""

    def call(**arguments: Any) -> RecipeAnswer:
        max_tokens = arguments.pop("max_tokens", DEFAULT_TOKENS)
        result = redact_record(call_endpoint(endpoint, tools.app, read_parameters(endpoint, arguments)))
        url = result.get("url") if isinstance(result, dict) else None
        row = tools.app.catalogue.document(url) if url else None
        answer = RecipeAnswer(
            freshness=tools.freshness(recipe),
            evidence=tools.evidence_of([row["id"]]) if row else [],
            recipe=recipe,
            result=msgspec.to_builtins(result),
        )
        return shorten(answer, max_tokens)

    fields = msgspec.structs.fields(endpoint.parameters)
    parameters = [
        inspect.Parameter(
            item.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if item.required else item.default,
            annotation=str,
        )
        for item in fields
    ]
    limit = inspect.Parameter(
        "max_tokens", inspect.Parameter.KEYWORD_ONLY, default=DEFAULT_TOKENS, annotation=MaxTokens
    )
    call.__signature__ = inspect.Signature([*parameters, limit], return_annotation=RecipeAnswer)  # type: ignore[attr-defined]
    call.__annotations__ = {item.name: str for item in fields} | {
        "max_tokens": MaxTokens,
        "return": RecipeAnswer,
    }
    return call


@dataclass(frozen=True)
class McpOverHttp:
    """The server at /mcp, for callers that may read. Every request stands for itself, so that any of several servers may answer
    it. Host names are checked outside. A request from a page of another site, which a browser names as its origin, is refused:
    it would use the reader's access to this server."""

    application: Starlette
    context: WebContext

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller = caller_of(scope)
        origin = caller.headers.get("origin", "")
        if origin and not is_own_origin(origin, caller.headers.get("host", ""), self.context.public_url):
            raise HttpProblem(403, "other_origin", "a page of another site may not call this server")
        await asyncio.to_thread(self.context.access.admit, caller, KeyScope.READ)
        await self.application(scope, receive, send)

    def lifespan(self) -> AbstractAsyncContextManager[Any]:
        return self.application.router.lifespan_context(self.application)


def mcp_over_http(context: WebContext) -> McpOverHttp:
    application = make_mcp_server(context.app).streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return McpOverHttp(application, context)
