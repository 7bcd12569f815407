"""What every page has around its content: language, theme, navigation, who is signed in, and the news of the last action."""

from collections.abc import Mapping
from urllib.parse import quote, unquote

from starlette.requests import Request
from starlette.responses import Response

from headwater.web.context import context_of
from headwater.web.pages.rendering import Frame
from headwater.web.pages.session import machine_scope, reader_scope
from headwater.web.pages.translations import OWN_PACKAGE, choose_language
from headwater.web.rest.answers import bytes_answer_to

THEMES = ("system", "light", "dark")
LANGUAGE_COOKIE, THEME_COOKIE, NOTICE_COOKIE = "headwater_language", "headwater_theme", "headwater_notice"
HTML = "text/html; charset=utf-8"
# No script or style but our own files, nothing from elsewhere, and no frame but archived pages.
PAGE_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    # With `no-referrer` browsers hide the origin of a form, by which we recognise our own.
    "Referrer-Policy": "same-origin",
    "Vary": "Accept, Accept-Language, Cookie, HX-Request-Type",
}
LONGEST_NOTICE = 500


def frame_of(
    request: Request, *, twin: str = "", package: str = OWN_PACKAGE, here: str = "", is_answer: bool = False
) -> Frame:
    """A page that is the answer to a form cannot be opened again: `here` names the one that it belongs to."""
    context = context_of(request)
    theme = request.cookies.get(THEME_COOKIE, "")
    prefix = str(request.scope.get("root_path", ""))
    path = request.url.path.removeprefix(prefix)
    address = f"{path}?{request.url.query}" if request.url.query else path
    return Frame(
        path=path,
        is_answer=is_answer,
        here=here or (address if request.method in {"GET", "HEAD"} else "/"),
        now=context.app.clock(),
        language=choose_language(
            request.cookies.get(LANGUAGE_COOKIE), request.headers.get("accept-language", "")
        ),
        theme=theme if theme in THEMES else "system",
        reader=context.signed_in_key(request),
        scope=reader_scope(request, context),
        machine_scope=machine_scope(request, context),
        prefix=prefix,
        query=request.url.query,
        twin=twin,
        notice=_read_notice(request),
        navigation=getattr(request.app.state, "navigation", ()),
        package=package,
    )


def answer_page(
    request: Request, html: str, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    response = bytes_answer_to(
        request, html.encode(), HTML, status=status, headers=PAGE_HEADERS | dict(headers or {})
    )
    if NOTICE_COOKIE in request.cookies:
        response.delete_cookie(NOTICE_COOKIE, path=f"{request.scope.get('root_path', '')}/")
    return response


def set_notice(request: Request, response: Response, kind: str, text: str) -> None:
    """A sentence for the next page, `done` or `failed`."""
    response.set_cookie(
        NOTICE_COOKIE,
        quote(f"{kind}:{text[:LONGEST_NOTICE]}"),
        max_age=30,
        path=f"{request.scope.get('root_path', '')}/",
        httponly=True,
        samesite="strict",
    )


def _read_notice(request: Request) -> tuple[str, str] | None:
    kind, _, text = unquote(request.cookies.get(NOTICE_COOKIE, "")).partition(":")
    return (kind, text) if kind in {"done", "failed"} and text else None
