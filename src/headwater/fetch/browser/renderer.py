"""Whether there is a browser, and how it is used: one page at a time, within limits, and renewed before it grows old."""

import asyncio
import importlib
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from importlib.util import find_spec
from typing import TYPE_CHECKING

import aiohttp
import structlog

from headwater.fetch.client.body import BudgetShare, MemoryBudget
from headwater.fetch.client.transport import page_cookies
from headwater.fetch.failures import FetchStopped
from headwater.fetch.settings import MEGABYTE, FetchSettings
from headwater.model.http import Failure, Request, Response

if TYPE_CHECKING:
    from headwater.fetch.browser.chromium import Chromium, RenderedPage

FetchRequest = Callable[[Request], Awaitable[Response | Failure]]

_log = structlog.get_logger()
_PROGRAMS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
_HTML = frozenset({"text/html", "application/xhtml+xml"})
# What belongs to the bytes that the server sent, not to those that the browser made of them.
_OUTDATED = frozenset({"etag", "last-modified", "content-encoding", "content-length", "content-type"})
_COME_BACK = timedelta(seconds=5)


def find_browser() -> str:
    """The system's Chromium, if it and the extra `browser` are installed; else nothing."""
    if find_spec("playwright") is None:
        return ""
    return next((path for path in map(shutil.which, _PROGRAMS) if path), "")


def is_browser_available() -> bool:
    return bool(find_browser())


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserLimits:
    """`page_time` is all that one page gets, from its first byte to its last script. `memory` is what all processes
    of the browser have for themselves. After `pages` it is replaced by a fresh one. `waiting` pages wait their turn
    here; others are told to come back."""

    program: str = field(default_factory=find_browser)
    page_time: timedelta = timedelta(seconds=20)
    memory: int = 1024 * MEGABYTE
    pages: int = 50
    waiting: int = 8
    requests: int = 100
    weight: int = 30 * MEGABYTE


class Renderer:
    """Answers requests with pages as a browser shows them. Lives in one event loop; the browser starts when the first
    page needs it. It has no network of its own: whatever a page asks for is fetched by `fetch`, under all its rules."""

    def __init__(
        self, settings: FetchSettings, limits: BrowserLimits, fetch: FetchRequest, budget: MemoryBudget
    ) -> None:
        self._settings = settings
        self._limits = limits
        self._fetch = fetch
        self._budget = budget
        self._turn = asyncio.Lock()
        self._waiting = 0
        self._chromium: Chromium | None = None
        self._shown = 0

    async def answer(self, request: Request) -> Response | Failure:
        """The page as it stands after its scripts ran; or why there is none."""
        if not self._limits.program:
            return Failure("js_required", "the extra `browser` or Chromium is not installed", temporary=False)
        if self._waiting >= self._limits.waiting:
            return Failure("rate_limited", "the browser has enough to do", delay=_COME_BACK)
        self._waiting += 1
        try:
            async with self._turn:
                return await self._render(replace(request, render=False))
        finally:
            self._waiting -= 1

    async def close(self) -> None:
        """Nothing of the browser is left running."""
        chromium, self._chromium, self._shown = self._chromium, None, 0
        if chromium is not None:
            await chromium.close()

    async def _render(self, request: Request) -> Response | Failure:
        # Fetched as any page is, first: robots, redirects and errors are settled before a browser is bothered.
        page_cookies.set(aiohttp.CookieJar())
        answer = await self._fetch(request)
        if isinstance(answer, Failure):
            return answer
        if answer.status != 200 or answer.media_type not in _HTML:
            return replace(answer, policy={**answer.policy, "rendered": False})
        self._budget.release(len(answer.body))
        try:
            shown = await self._show(answer)
        except FetchStopped as stopped:
            return replace(stopped.failure, policy={**answer.policy, "refused_by": stopped.failure.reason})
        self._budget.take(BudgetShare(), len(shown.body))
        return _rendered(answer, shown)

    async def _show(self, answer: Response) -> "RenderedPage":
        chromium = await self._ready()
        try:
            shown = await chromium.show(answer, self._fetch, self._budget.release)
            self._check_size(shown)
        except FetchStopped as stopped:
            # Whatever is wrong with it, the next page shall not have it.
            _log.info("browser ended", reason=stopped.failure.reason, detail=stopped.failure.detail)
            await self.close()
            raise
        self._shown += 1
        if self._shown >= self._limits.pages or await chromium.weight() > self._limits.memory:
            await self.close()
        return shown

    def _check_size(self, shown: "RenderedPage") -> None:
        if len(shown.body) > self._settings.body_limit:
            raise FetchStopped("too_large", f"more than {self._settings.body_limit} bytes", temporary=False)

    async def _ready(self) -> "Chromium":
        if self._chromium is None:
            # Only here: what imports the driver costs time and may not be installed.
            process = importlib.import_module("headwater.fetch.browser.chromium")
            started: Chromium = await process.start(self._limits, self._settings.agent)
            self._chromium = started
        return self._chromium


def _rendered(answer: Response, shown: "RenderedPage") -> Response:
    headers = {name: value for name, value in answer.headers.items() if name not in _OUTDATED}
    return replace(
        answer,
        url=shown.url or answer.url,
        headers={**headers, "content-type": "text/html; charset=utf-8"},
        body=shown.body,
        media_type="text/html",
        charset="utf-8",
        elapsed_ms=answer.elapsed_ms + shown.elapsed_ms,
        policy={
            **answer.policy,
            "rendered": True,
            "page_requests": shown.requests,
            "page_refused": shown.refused,
        },
    )
