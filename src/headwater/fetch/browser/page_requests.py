"""What a page asks for while it is shown. The browser gets nothing from anywhere else."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from html import escape
from urllib.parse import urlsplit

from playwright.async_api import Error, Route
from playwright.async_api import Request as PageRequest
from yarl import URL

from headwater.fetch.browser.renderer import BrowserLimits, FetchRequest
from headwater.fetch.client.transport import page_cookies
from headwater.model.http import Failure, Request, Response

# A page is read, not looked at: no pictures, sounds, films or fonts.
_FETCHED = frozenset({"document", "script", "xhr", "fetch"})
_SENT_ALONG = ("accept", "accept-language", "content-type", "origin", "x-requested-with")
_NOT_PASSED_ON = frozenset({"content-encoding", "content-length", "transfer-encoding", "connection"})
_SHORTEST_WAIT = timedelta(seconds=0.1)
_FURTHER = '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={}">'


class PageRequestHandler:
    """Answers the requests of one page out of `fetch`; its guard, robots, governor, overrides and caps hold for each.
    The page itself was fetched already."""

    def __init__(
        self, fetch: FetchRequest, limits: BrowserLimits, page: Response, release: Callable[[int], None]
    ) -> None:
        self._fetch = fetch
        self._limits = limits
        self._release = release
        self._host = urlsplit(page.url).hostname
        self._next: Response | None = page
        self._left = limits.weight
        self._cookies = page_cookies.get()
        self._asking: set[asyncio.Task[Response | Failure]] = set()
        self.asked = 0
        self.refused: Counter[str] = Counter()

    async def serve(self, route: Route) -> None:
        try:
            await self._serve(route, route.request)
        except Error:  # the page is gone before its answer came, or a window opens that nobody wants
            with contextlib.suppress(Error):
                await route.abort()

    def close(self) -> None:
        """Nothing is asked for on behalf of a page that is no more."""
        for task in self._asking:
            task.cancel()

    async def _serve(self, route: Route, request: PageRequest) -> None:
        if self._next is not None and _opens_the_page(request):
            page, self._next = self._next, None
            await route.fulfill(status=200, headers=_passed_on(page), body=page.body)
        elif request.resource_type == "stylesheet":
            # Scripts may wait for it; nobody sees it.
            await route.fulfill(status=200, content_type="text/css", body="")
        elif reason := self._refusal(request):
            await self._refuse(route, request, reason)
        else:
            await self._pass_on(route, request)

    def _refusal(self, request: PageRequest) -> str:
        if request.resource_type not in _FETCHED:
            return f"not fetched: {request.resource_type}"
        parts = urlsplit(request.url)
        if parts.scheme not in ("http", "https"):
            return "not http"
        if request.method not in ("GET", "HEAD") and (
            request.method != "POST" or parts.hostname != self._host
        ):
            return f"not sent: {request.method}"
        return "too many" if self.asked >= self._limits.requests or self._left <= 0 else ""

    async def _pass_on(self, route: Route, request: PageRequest) -> None:
        self.asked += 1
        await self._keep_cookies(request)
        task = asyncio.create_task(self._ask(_request_for(request)))
        self._asking.add(task)
        await asyncio.wait({task})
        self._asking.discard(task)
        if task.cancelled():
            return
        answer = task.result()
        if isinstance(answer, Failure):
            await self._refuse(route, request, answer.reason)
            return
        self._left -= len(answer.body)
        self._release(len(answer.body))
        if _opens_the_page(request) and _elsewhere(answer.url, request.url):
            # The browser has to know where it was led, or every relative address would be wrong.
            self._next = answer
            await route.fulfill(
                status=200, content_type="text/html", body=_FURTHER.format(escape(answer.url))
            )
        else:
            await route.fulfill(status=answer.status, headers=_passed_on(answer), body=answer.body)

    async def _refuse(self, route: Route, request: PageRequest, reason: str) -> None:
        self.refused[reason] += 1
        if request.is_navigation_request():
            await route.fulfill(status=204)  # it stays where it is, instead of showing an error of its own
        else:
            await route.abort("blockedbyclient")

    async def _keep_cookies(self, request: PageRequest) -> None:
        """Those that scripts have set, beside those that came with answers."""
        if self._cookies is not None:
            for cookie in await request.frame.page.context.cookies(request.url):
                named = {cookie.get("name", ""): cookie.get("value", "")}
                self._cookies.update_cookies(named, URL(request.url))

    async def _ask(self, wish: Request) -> Response | Failure:
        """As soon as the host's turn comes; the time of the page runs on."""
        page_cookies.set(self._cookies)
        while True:
            answer = await self._fetch(wish)
            if isinstance(answer, Response) or answer.reason != "rate_limited":
                return answer
            await asyncio.sleep(max(answer.delay or _SHORTEST_WAIT, _SHORTEST_WAIT) / timedelta(seconds=1))


def _opens_the_page(request: PageRequest) -> bool:
    return bool(request.is_navigation_request() and request.frame.parent_frame is None)


def _request_for(request: PageRequest) -> Request:
    headers = {name: request.headers[name] for name in _SENT_ALONG if name in request.headers}
    body = request.post_data_buffer if request.method == "POST" else None
    return Request(url=request.url, method=request.method, headers=headers, body=body)


def _elsewhere(url: str, asked: str) -> bool:
    return urlsplit(url)._replace(fragment="") != urlsplit(asked)._replace(fragment="")


def _passed_on(answer: Response) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name not in _NOT_PASSED_ON}
