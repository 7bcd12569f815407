"""What the parts of the web application share."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request

from headwater.app import App
from headwater.model.api_key import KeyScope
from headwater.web.runs import RunStarter
from headwater.web.security.access import AccessControl, Caller


@dataclass
class WebContext:
    """`public_url` is the address by which others know the server, without a slash at its end; without one, links are made
    from the request. `stopping` is set when the server begins to stop."""

    app: App
    access: AccessControl
    runs: RunStarter
    names: tuple[str, ...] = ()
    public_url: str = ""
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    stream_count: int = 0

    def admit(self, request: Request, scope: KeyScope) -> str:
        """The id of the caller's key, or HttpProblem."""
        return self.access.admit(caller_of(request.scope), scope)

    def base_url(self, request: Request) -> str:
        """The address of this server, for links."""
        return self.public_url or str(request.base_url).rstrip("/")


def caller_of(scope: Mapping[str, Any]) -> Caller:
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    return Caller((scope.get("client") or ("", 0))[0], headers)


def context_of(request: Request) -> WebContext:
    context: WebContext = request.app.state.context
    return context
