"""Answers the requests of a page while it is rendered. The browser has no other network."""

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

from headwater.fetch.browser.renderer import BrowserLimits
from headwater.fetch.client.transport import page_cookies
from headwater.fetch.failures import FetchRequest
from headwater.model.http import RATE_LIMITED, Failure, Request, Response

# Rendering is for text: no images, audio, video or fonts.
_FETCHED_TYPES = frozenset({"document", "script", "xhr", "fetch"})
_FORWARDED_HEADERS = ("accept", "accept-language", "content-type", "origin", "x-requested-with")
_DROPPED_HEADERS = frozenset({"content-encoding", "content-length", "transfer-encoding", "connection"})
_SHORTEST_WAIT = timedelta(seconds=0.1)
_REDIRECT_PAGE = '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={}">'


class PageRequestHandler:
    """Answers the requests of one page through `fetch`, so that the guard, robots.txt, rate limits, overrides and size
    limits hold for each of them. The page itself was fetched already."""

    def __init__(
        self, fetch: FetchRequest, limits: BrowserLimits, page: Response, release: Callable[[int], None]
    ) -> None:
        self._fetch = fetch
        self._limits = limits
        self._release = release
        self._host = urlsplit(page.url).hostname
        self._next_document: Response | None = page
        self._bytes_left = limits.transfer
        self._cookies = page_cookies.get()
        self._tasks: set[asyncio.Task[Response | Failure]] = set()
        self.count = 0
        self.refused: Counter[str] = Counter()

    async def serve(self, route: Route) -> None:
        try:
            await self._serve(route, route.request)
        except Error:  # the page ended before its response came, or it opened another window
            with contextlib.suppress(Error):
                await route.abort()

    def close(self) -> None:
        """Cancel the requests of a page that has ended."""
        for task in self._tasks:
            task.cancel()

    async def _serve(self, route: Route, request: PageRequest) -> None:
        if self._next_document is not None and _is_main_document(request):
            page, self._next_document = self._next_document, None
            await route.fulfill(status=200, headers=_forwarded_headers(page), body=page.body)
        elif request.resource_type == "stylesheet":
            # Scripts may wait for it, but styles do not change the text.
            await route.fulfill(status=200, content_type="text/css", body="")
        elif reason := self._refusal(request):
            await self._refuse(route, request, reason)
        else:
            await self._forward(route, request)

    def _refusal(self, request: PageRequest) -> str:
        if request.resource_type not in _FETCHED_TYPES:
            return f"not fetched: {request.resource_type}"
        parts = urlsplit(request.url)
        if parts.scheme not in ("http", "https"):
            return "not http"
        if request.method not in ("GET", "HEAD") and (
            request.method != "POST" or parts.hostname != self._host
        ):
            return f"not sent: {request.method}"
        return "too many" if self.count >= self._limits.requests or self._bytes_left <= 0 else ""

    async def _forward(self, route: Route, request: PageRequest) -> None:
        self.count += 1
        await self._keep_cookies(request)
        task = asyncio.create_task(self._fetch_when_admitted(_request_for(request)))
        self._tasks.add(task)
        await asyncio.wait({task})
        self._tasks.discard(task)
        if task.cancelled():
            return
        answer = task.result()
        if isinstance(answer, Failure):
            await self._refuse(route, request, answer.reason)
            return
        self._bytes_left -= len(answer.body)
        self._release(len(answer.body))
        if _is_main_document(request) and _is_other_url(answer.url, request.url):
            # The browser has to know the final URL, or every relative address would be wrong.
            self._next_document = answer
            await route.fulfill(
                status=200, content_type="text/html", body=_REDIRECT_PAGE.format(escape(answer.url))
            )
        else:
            await route.fulfill(status=answer.status, headers=_forwarded_headers(answer), body=answer.body)

    async def _refuse(self, route: Route, request: PageRequest, reason: str) -> None:
        self.refused[reason] += 1
        if request.is_navigation_request():
            await route.fulfill(status=204)  # the page stays where it is instead of showing an error page
        else:
            await route.abort("blockedbyclient")

    async def _keep_cookies(self, request: PageRequest) -> None:
        """Cookies that scripts have set, in addition to those from responses."""
        if self._cookies is not None:
            for cookie in await request.frame.page.context.cookies(request.url):
                pair = {cookie.get("name", ""): cookie.get("value", "")}
                self._cookies.update_cookies(pair, URL(request.url))

    async def _fetch_when_admitted(self, request: Request) -> Response | Failure:
        """Fetch as soon as the rate limit allows, while the page's time runs on."""
        page_cookies.set(self._cookies)
        while True:
            answer = await self._fetch(request)
            if isinstance(answer, Response) or answer.reason != RATE_LIMITED:
                return answer
            await asyncio.sleep(max(answer.delay or _SHORTEST_WAIT, _SHORTEST_WAIT) / timedelta(seconds=1))


def _is_main_document(request: PageRequest) -> bool:
    return bool(request.is_navigation_request() and request.frame.parent_frame is None)


def _request_for(request: PageRequest) -> Request:
    headers = {name: request.headers[name] for name in _FORWARDED_HEADERS if name in request.headers}
    body = request.post_data_buffer if request.method == "POST" else None
    return Request(url=request.url, method=request.method, headers=headers, body=body)


def _is_other_url(url: str, requested: str) -> bool:
    return urlsplit(url)._replace(fragment="") != urlsplit(requested)._replace(fragment="")


def _forwarded_headers(answer: Response) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name not in _DROPPED_HEADERS}
