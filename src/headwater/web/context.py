"""What the parts of the web application share."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request

from headwater.app import App
from headwater.model.api_key import ApiKey, KeyScope, hash_secret
from headwater.web.crash_trial import CrashTrial
from headwater.web.runs import RunStarter
from headwater.web.security.access import AccessControl, Caller

SESSION_COOKIE = "headwater_session"


@dataclass
class WebContext:
    """`local_scope` is what callers on this machine may do in the web pages without signing in. `crash_trial` is that of the demo. `public_url` is the address by which others know the server, without a slash at its end; without one, links are made
    from the request. `stopping` is set when the server begins to stop."""

    app: App
    access: AccessControl
    runs: RunStarter
    names: tuple[str, ...] = ()
    public_url: str = ""
    local_scope: KeyScope = KeyScope.READ
    crash_trial: CrashTrial | None = None
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    stream_count: int = 0

    @property
    def hub(self) -> str:
        """The WebSub hub of our feeds; none without an address by which others know them."""
        return self.app.settings.hub if self.public_url else ""

    def admit(self, request: Request, scope: KeyScope) -> str:
        """The id of the caller's key, or HttpProblem. Who signed in to the web pages may also read here; a change needs a key,
        because a cookie does not prove that a page of ours asked for it."""
        caller = caller_of(request.scope)
        if request.method == "GET" and not caller.key_text and (key := self.signed_in_key(request)):
            return self.access.admit_key(key, scope)
        return self.access.admit(caller, scope)

    def shows_no_key(self, request: Request) -> bool:
        """Whether the request has neither a key nor a session, so that no row says what it may do."""
        return not caller_of(request.scope).key_text and not request.cookies.get(SESSION_COOKIE)

    def signed_in_key(self, request: Request) -> ApiKey | None:
        """The key of the session that the request belongs to."""
        token = request.cookies.get(SESSION_COOKIE, "")
        owner = self.app.sessions.find_key(hash_secret(token), self.app.clock()) if token else None
        return self.access.key_of_session(owner) if owner else None

    def base_url(self, request: Request) -> str:
        """The address of this server, for links."""
        return self.public_url or str(request.base_url).rstrip("/")


def caller_of(scope: Mapping[str, Any]) -> Caller:
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    return Caller((scope.get("client") or ("", 0))[0], headers)


def context_of(request: Request) -> WebContext:
    context: WebContext = request.app.state.context
    return context
