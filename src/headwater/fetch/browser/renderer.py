"""Renders pages in a browser: one page at a time, within limits, with a fresh browser every few pages."""

import asyncio
import importlib
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING

import aiohttp
import structlog

from headwater.fetch.browser.program import find_browser
from headwater.fetch.client.body import BudgetShare, MemoryBudget
from headwater.fetch.client.transport import page_cookies
from headwater.fetch.failures import FetchRequest, FetchStopped
from headwater.fetch.settings import MEGABYTE, FetchSettings
from headwater.model.http import RATE_LIMITED, Failure, Request, Response
from headwater.text.sniffing import HTML_TYPES

if TYPE_CHECKING:
    from headwater.fetch.browser.chromium import Chromium, RenderedPage

_log = structlog.get_logger()
# Headers that describe the bytes of the server, not those that the browser made of them.
_BODY_HEADERS = frozenset({"etag", "last-modified", "content-encoding", "content-length", "content-type"})
_COME_BACK = timedelta(seconds=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserLimits:
    """`page_time`: for one page, from its first byte to its last script. `memory`: private memory of all processes of the
    browser. `pages`: the browser is replaced after so many. `waiting`: pages that may wait here; others come back later.
    `requests` and `transfer`: number and bytes of all that one page may load."""

    program: str = field(default_factory=find_browser)
    page_time: timedelta = timedelta(seconds=20)
    memory: int = 1024 * MEGABYTE
    pages: int = 50
    waiting: int = 8
    requests: int = 100
    transfer: int = 30 * MEGABYTE


class Renderer:
    """Answers requests with rendered pages. Lives in one event loop; the browser starts with the first page. It has no
    network of its own: `fetch` loads everything that a page requests, under all rules."""

    def __init__(
        self, settings: FetchSettings, limits: BrowserLimits, fetch: FetchRequest, budget: MemoryBudget
    ) -> None:
        self._settings = settings
        self._limits = limits
        self._fetch = fetch
        self._budget = budget
        self._lock = asyncio.Lock()
        self._waiting = 0
        self._chromium: Chromium | None = None
        self._page_count = 0

    async def answer(self, request: Request) -> Response | Failure:
        """The page after its scripts ran, or the failure."""
        if not self._limits.program:
            return Failure("js_required", "the extra `browser` or Chromium is not installed", temporary=False)
        if self._waiting >= self._limits.waiting:
            return Failure(RATE_LIMITED, "the browser is busy", delay=_COME_BACK)
        self._waiting += 1
        try:
            async with self._lock:
                return await self._render(replace(request, render=False))
        finally:
            self._waiting -= 1

    async def close(self) -> None:
        """End the browser with all its processes."""
        chromium, self._chromium, self._page_count = self._chromium, None, 0
        if chromium is not None:
            await chromium.close()

    async def _render(self, request: Request) -> Response | Failure:
        # Fetch the page as usual first: robots.txt, redirects and errors need no browser.
        page_cookies.set(aiohttp.CookieJar())
        answer = await self._fetch(request)
        if isinstance(answer, Failure):
            return answer
        if answer.status != 200 or answer.media_type not in HTML_TYPES:
            return replace(answer, policy={**answer.policy, "rendered": False})
        self._budget.release(len(answer.body))
        try:
            page = await self._show(answer)
        except FetchStopped as stopped:
            return replace(stopped.failure, policy={**answer.policy, "refused_by": stopped.failure.reason})
        self._budget.take(BudgetShare(), len(page.body))
        return _rendered(answer, page)

    async def _show(self, answer: Response) -> "RenderedPage":
        chromium = await self._running_chromium()
        try:
            page = await chromium.show(answer, self._fetch, self._budget.release)
            self._check_size(page)
        except FetchStopped as stopped:
            # The next page gets a fresh browser, whatever went wrong here.
            _log.info("browser ended", reason=stopped.failure.reason, detail=stopped.failure.detail)
            await self.close()
            raise
        self._page_count += 1
        if self._page_count >= self._limits.pages or await chromium.memory_used() > self._limits.memory:
            await self.close()
        return page

    def _check_size(self, page: "RenderedPage") -> None:
        if len(page.body) > self._settings.body_limit:
            raise FetchStopped("too_large", f"more than {self._settings.body_limit} bytes", temporary=False)

    async def _running_chromium(self) -> "Chromium":
        if self._chromium is None:
            # Imported here only: the driver takes time to import and may not be installed.
            module = importlib.import_module("headwater.fetch.browser.chromium")
            chromium: Chromium = await module.start(self._limits, self._settings.agent)
            self._chromium = chromium
        return self._chromium


def _rendered(answer: Response, page: "RenderedPage") -> Response:
    headers = {name: value for name, value in answer.headers.items() if name not in _BODY_HEADERS}
    return replace(
        answer,
        url=page.url or answer.url,
        headers={**headers, "content-type": "text/html; charset=utf-8"},
        body=page.body,
        media_type="text/html",
        charset="utf-8",
        elapsed_ms=answer.elapsed_ms + page.elapsed_ms,
        policy={
            **answer.policy,
            "rendered": True,
            "page_requests": page.requests,
            "page_refused": page.refused_requests,
        },
    )
