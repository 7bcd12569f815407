"""Signing in with an API key, and what a browser may do then. The browser keeps a random token; its hash is a row."""

import secrets

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from headwater.model.api_key import KeyScope, hash_secret
from headwater.store.changes.sessions import LONGEST_SESSION
from headwater.web.context import SESSION_COOKIE, WebContext, caller_of, context_of
from headwater.web.problems import HttpProblem
from headwater.web.security.hosts import is_own_origin

TOKEN_BYTES = 32


def admit_reader(request: Request, context: WebContext, scope: KeyScope) -> None:
    """Lets a request pass by its session, its key, or because it comes from this machine. Raises HttpProblem."""
    caller = caller_of(request.scope)
    if not caller.key_text and (key := context.signed_in_key(request)) is not None:
        context.access.admit_key(key, scope)
    elif caller.key_text or not _is_open_to_local(request, context, scope):
        context.access.admit(caller, scope)


def _is_open_to_local(request: Request, context: WebContext, scope: KeyScope) -> bool:
    is_local = context.access.is_local and caller_of(request.scope).is_local
    return is_local and scope <= context.local_scope


def reader_scope(request: Request, context: WebContext) -> KeyScope | None:
    """What the reader may do, for the buttons of a page."""
    if (key := context.signed_in_key(request)) is not None:
        return key.scope
    return machine_scope(request, context)


def machine_scope(request: Request, context: WebContext) -> KeyScope | None:
    """What everyone on this machine may do without a key; None for callers from elsewhere."""
    return context.local_scope if _is_open_to_local(request, context, KeyScope.READ) else None


def refuse_other_origins(request: Request, context: WebContext) -> None:
    """A change must come from a page of ours: browsers say where a form was, and another site cannot make them lie."""
    origin = request.headers.get("origin", "")
    site = request.headers.get("sec-fetch-site", "same-origin")
    is_own = is_own_origin(origin, request.headers.get("host", ""), context.public_url)
    if not is_own or site not in {"same-origin", "none"}:
        raise HttpProblem(403, "other_origin", "this form was not sent from a page of this server")


def sign_in(request: Request, fields: FormData) -> Response:
    """Begin a session with a new token, whatever token the browser had."""
    context = context_of(request)
    key = context.access.identify(caller_of(request.scope), str(fields.get("key", "")).strip())
    token = secrets.token_urlsafe(TOKEN_BYTES)
    former = request.cookies.get(SESSION_COOKIE)
    context.app.sessions.begin(
        hash_secret(token),
        context.access.session_owner(key),
        context.app.clock(),
        replaced=hash_secret(former) if former else None,
    )
    response = RedirectResponse(local_address(request, str(fields.get("next", ""))), 303)
    _set_cookie(request, response, token, int(LONGEST_SESSION.total_seconds()))
    return response


def sign_out(request: Request, fields: FormData) -> Response:
    """End this session, or with `everywhere` all sessions of its key."""
    context = context_of(request)
    token = request.cookies.get(SESSION_COOKIE, "")
    key = context.signed_in_key(request)
    if key is not None and fields.get("everywhere"):
        context.app.sessions.end_all(context.access.session_owner(key))
    elif token:
        context.app.sessions.end(hash_secret(token))
    response = RedirectResponse(local_address(request, "/"), 303)
    _set_cookie(request, response, "", 0)
    return response


def _set_cookie(request: Request, response: Response, token: str, seconds: int) -> None:
    context = context_of(request)
    response.set_cookie(
        SESSION_COOKIE,
        token,
        max_age=seconds,
        path=f"{request.scope.get('root_path', '')}/",
        secure=context.public_url.startswith("https:") or request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )


def local_address(request: Request, path: str, fallback: str = "/") -> str:
    """The path if it is one of this server, without the chance to lead elsewhere."""
    is_ours = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return str(request.scope.get("root_path", "")) + (path if is_ours else fallback)
