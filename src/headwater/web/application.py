"""The application of `headwater serve`: pages, API, feeds, events, and what other programs call, behind the same guards."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Route

from headwater.model.errors import HeadwaterError
from headwater.web import events
from headwater.web.context import WebContext
from headwater.web.contract.queues import queue_routes
from headwater.web.contract.runs import HealthCheck, run_routes
from headwater.web.contract.websub import WebSubServer
from headwater.web.feed_publisher import FeedPublisher
from headwater.web.head_requests import HeadRequests
from headwater.web.mcp.server import PATH, mcp_over_http
from headwater.web.metrics import MetricsPage
from headwater.web.pages.problem_pages import page_of_problem
from headwater.web.pages.site import all_pages, navigation_of, site_routes
from headwater.web.problems import HttpProblem, problem_of, problem_response
from headwater.web.rest.api import add_api
from headwater.web.rest.recipe_endpoints import recipe_router
from headwater.web.security.layers import (
    MISTAKE,
    AsgiApp,
    BodyLimits,
    ErrorBarrier,
    HostCheck,
    PathPrefix,
    SafeHeaders,
    is_notification,
)

SMALLEST_COMPRESSED = 1_000
COMPRESSION_LEVEL = 5


class NotificationRoute(Route):
    """Any path that ends with the key of a subscription: a proxy may put its own before it."""

    def matches(self, scope: Any) -> tuple[Match, Any]:
        if scope["type"] == "http" and scope["method"] in (self.methods or ()) and is_notification(scope):
            return Match.FULL, {"endpoint": self.endpoint, "path_params": {}}
        return Match.NONE, {}


def build_application(context: WebContext, *, prefix: str = "") -> AsgiApp:
    """The whole application, from the outermost layer in."""
    inner = _fast_api(context)
    compressed = GZipMiddleware(inner, minimum_size=SMALLEST_COMPRESSED, compresslevel=COMPRESSION_LEVEL)
    limited = BodyLimits(HeadRequests(compressed))
    return SafeHeaders(ErrorBarrier(HostCheck(PathPrefix(limited, prefix), context.names)))


def _fast_api(context: WebContext) -> FastAPI:
    websub = (
        WebSubServer(context.app, context.app.settings.callback) if context.app.settings.callback else None
    )

    mcp = mcp_over_http(context)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(mcp.lifespan())
            if websub is not None:
                stack.push_async_callback(_cancel, asyncio.create_task(websub.subscribe_for_ever()))
            if context.hub:
                publisher = FeedPublisher(
                    context.app, context.hub, context.public_url, is_stopping=context.stopping.is_set
                )
                stack.push_async_callback(_cancel, asyncio.create_task(publisher.publish_for_ever()))
            yield

    application = FastAPI(
        title="Headwater",
        version=version("headwater"),
        description="Documents, stories and sources of one installation, with the origin of every field.",
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    application.state.context = context
    application.add_exception_handler(Exception, _answer_mistake)
    application.add_exception_handler(HttpProblem, _answer_problem)
    application.add_exception_handler(HeadwaterError, _answer_problem)
    application.add_exception_handler(HTTPException, _answer_http_exception)
    application.add_exception_handler(RequestValidationError, _answer_invalid)
    add_api(application, events.router, recipe_router(context.app.recipes))
    application.state.navigation = navigation_of(all_pages(context.app.recipes))
    application.router.routes.append(Route(PATH, mcp))
    application.router.routes.extend(site_routes(context.app.recipes))
    application.router.routes.extend([*contract_routes(context), *_websub_routes(websub)])
    return application


def contract_routes(context: WebContext) -> Sequence[BaseRoute]:
    metrics = Route("/metrics", MetricsPage(context.app).answer, methods=["GET"])
    return [metrics, *HealthCheck(context.app).routes(), *run_routes(), *queue_routes()]


def _websub_routes(websub: WebSubServer | None) -> Sequence[BaseRoute]:
    if websub is None:
        return []
    return [
        NotificationRoute("/websub", websub.confirm, methods=["GET"]),
        NotificationRoute("/websub", websub.receive, methods=["POST"]),
    ]


async def _cancel(task: "asyncio.Task[None]") -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


def _answer_problem(request: Request, error: Exception) -> Response:
    problem = error if isinstance(error, HttpProblem) else problem_of(error)  # type: ignore[arg-type]
    return page_of_problem(request, problem) or problem.response()


def _answer_mistake(request: Request, error: Exception) -> Response:
    """The outermost layer logs where it happened."""
    del error
    return _answer_problem(request, HttpProblem(500, "internal_error", MISTAKE))


def _answer_http_exception(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    reasons = {
        404: ("unknown_address", "there is nothing here"),
        405: ("wrong_method", "not with this method"),
    }
    reason, detail = reasons.get(error.status_code, ("refused", str(error.detail)))
    return _answer_problem(request, HttpProblem(error.status_code, reason, detail, error.headers))


def _answer_invalid(request: Request, error: Exception) -> Response:
    del request
    assert isinstance(error, RequestValidationError)
    errors = [
        {"place": ".".join(str(part) for part in problem["loc"]), "message": problem["msg"]}
        for problem in error.errors()[:10]
    ]
    detail = "; ".join(f"{problem['place']}: {problem['message']}" for problem in errors)
    return problem_response(400, "bad_request", detail, errors=errors)
