"""Pages that mislead a client: script shells, paywalls, false errors, wrong encodings, and oversized bodies."""

import zlib
from collections.abc import Callable
from functools import cache
from html import escape

from headwater_demo.site import HTML, Pace, Site, SiteRequest, SiteResponse, not_found, page, plain
from headwater_demo.world import World

HOST, FAILING_ROBOTS = "oddities.example", "unwell.example"
_STORY = (
    "The harbour office in Åsgård has begun to keep its ledgers on a chain of its own. Clerks who used to stamp paper now sign blocks.",
    "“It is slower than the old way,” said Zoë Fjällström, who runs the night desk, “but nobody has lost a page since August.”",
    "The café next door accepts the harbour's tokens; a coffee costs three of them, about €2.80 at Thursday's rate.",
)
_BIG_SIZE = 10 * 1024 * 1024


def sites(_world: World) -> list[Site]:
    return [Site(HOST, _answer), Site(FAILING_ROBOTS, _unwell)]


def _answer(request: SiteRequest) -> SiteResponse:
    make = _PAGES.get(request.path)
    return make() if make else not_found(request)


def _unwell(request: SiteRequest) -> SiteResponse:
    if request.path == "/robots.txt":
        return page("<h1>Service unavailable</h1>", status=503)
    return _plain_story()


def _document(body: str, *, title: str = "Harbour ledgers", head: str = "") -> str:
    return (
        f'<!doctype html><html lang="en"><head>{head}<title>{title}</title></head><body>{body}</body></html>'
    )


def _story_html() -> str:
    return (
        "<article><h1>Harbour ledgers</h1>"
        + "".join(f"<p>{escape(item, quote=False)}</p>" for item in _STORY)
        + "</article>"
    )


def _plain_story() -> SiteResponse:
    return page(_document(_story_html(), head='<meta charset="utf-8">'))


def _script_shell() -> SiteResponse:
    noscript = "<noscript>You need to enable JavaScript to run this app.</noscript>"
    return page(
        _document(
            f'{noscript}<div id="root"></div><script src="/static/main.8f3a.js" defer></script>', title="App"
        )
    )


def _paywall() -> SiteResponse:
    wall = '<div class="paywall"><h2>Subscribe to continue reading</h2><p>You have read your 3 free articles this month. Already a subscriber? Log in.</p></div>'
    data = '<script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle","headline":"Harbour ledgers","isAccessibleForFree":false}</script>'
    return page(
        _document(f"<article><h1>Harbour ledgers</h1><p>{escape(_STORY[0])}</p></article>{wall}", head=data)
    )


def _consent() -> SiteResponse:
    words = "Before you continue: we use cookies and data to deliver and maintain our services, to track outages and to protect against abuse."
    return page(
        _document(
            f'<form action="/consent" method="post"><h1>Before you continue</h1><p>{words}</p><button>Accept all</button><button>Reject all</button></form>',
            title="Consent",
        )
    )


def _login() -> SiteResponse:
    return page(
        _document(
            '<form action="/session" method="post"><h1>Sign in</h1><p>Please sign in to see this page.</p><input name="user"><input type="password" name="pass"></form>',
            title="Sign in",
        )
    )


def _soft_missing() -> SiteResponse:
    return page(
        _document(
            "<h1>Oops! Page not found</h1><p>The page you are looking for does not exist or has been moved. Try the search or go back to the home page.</p>",
            title="Page not found",
        )
    )


def _mojibake() -> SiteResponse:
    """UTF-8 that was once read as latin-1 and saved again."""
    garbled = _story_html().encode().decode("latin-1")
    return page(_document(garbled, head='<meta charset="utf-8">'))


def _latin1() -> SiteResponse:
    body = (
        _document(_story_html(), head='<meta charset="iso-8859-1">')
        .replace("“", '"')
        .replace("”", '"')
        .replace("€", "EUR ")
    )
    return SiteResponse(body=body.encode("latin-1"), media_type="text/html")


def _wrong_charset() -> SiteResponse:
    return SiteResponse(
        body=_document(_story_html(), head='<meta charset="utf-8">').encode(),
        media_type="text/html; charset=iso-8859-1",
    )


@cache
def _big() -> SiteResponse:
    line = f"<p>{escape(_STORY[0])}</p>\n"
    return page(_document(line * (_BIG_SIZE // len(line.encode()) + 1)))


@cache
def _packed_bomb() -> SiteResponse:
    """Two hundred kilobytes on the wire, two hundred megabytes once unpacked."""
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    block = b"\0" * (1024 * 1024)
    body = b"".join(packer.compress(block) for _ in range(200)) + packer.flush()
    return SiteResponse(body=body, media_type=HTML, headers={"Content-Encoding": "gzip"}, as_is=True)


def _drip() -> SiteResponse:
    return SiteResponse(body=_document(_story_html()).encode(), pace=Pace(chunk=8, seconds=0.25))


def _endless() -> SiteResponse:
    return SiteResponse(
        body=f"<p>{escape(_STORY[1])}</p>\n".encode() * 64,
        pace=Pace(chunk=16 * 1024, seconds=0.002, endless=True),
    )


_PAGES: dict[str, Callable[[], SiteResponse]] = {
    "/": lambda: page(
        _document(
            "<ul>" + "".join(f'<li><a href="{path}">{path}</a></li>' for path in sorted(_PAGES)) + "</ul>",
            title="Oddities",
        )
    ),
    "/robots.txt": lambda: plain("User-agent: *\nDisallow: /forbidden\n"),
    "/forbidden": _plain_story,
    "/plain": _plain_story,
    "/script-shell": _script_shell,
    "/paywall": _paywall,
    "/consent": _consent,
    "/login": _login,
    "/soft-404": _soft_missing,
    "/mojibake": _mojibake,
    "/latin1": _latin1,
    "/wrong-charset": _wrong_charset,
    "/big": _big,
    "/packed-bomb": _packed_bomb,
    "/drip": _drip,
    "/endless": _endless,
}
