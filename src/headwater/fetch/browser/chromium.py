"""Runs Chromium: starts it without a network, watches it while it renders a page, and ends all its processes."""

import asyncio
import contextlib
import os
import resource
import signal
import tempfile
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

from playwright.async_api import Browser, CDPSession, Error, Playwright, async_playwright

from headwater.fetch.browser.page_load import load_page
from headwater.fetch.browser.page_requests import PageRequestHandler
from headwater.fetch.browser.renderer import BrowserLimits
from headwater.fetch.failures import FetchRequest, FetchStopped
from headwater.model.http import Response

Result = TypeVar("Result")

# PageRequestHandler answers every request. Anything that bypassed it would find a proxy that refuses connections and no
# name that resolves.
_ARGUMENTS = (
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--dns-prefetch-disable",
    "--proxy-server=127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--js-flags=--max-old-space-size=256",
)
_START_SECONDS = 30.0
_END_SECONDS = 5.0
_CHECK_SECONDS = 0.25
_PAGE_BYTES = resource.getpagesize()


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A page after its scripts ran. `refused_requests` counts its refused requests by reason."""

    url: str
    body: bytes
    elapsed_ms: int
    requests: int
    refused_requests: dict[str, int]


async def start(limits: BrowserLimits, agent: str) -> "Chromium":
    """Start a browser. Raises FetchStopped when that fails."""
    profile = tempfile.TemporaryDirectory(prefix="headwater-browser-", ignore_cleanup_errors=True)
    playwright = await async_playwright().start()
    try:
        browser = await playwright.chromium.launch(
            executable_path=limits.program,
            args=list(_ARGUMENTS),
            chromium_sandbox=os.geteuid() != 0,  # Chromium does not support its sandbox for root
            # Not our own environment: it contains keys.
            env={"PATH": os.defpath, "HOME": profile.name, "TMPDIR": profile.name, "LANG": "C.UTF-8"},
            timeout=_START_SECONDS * 1000,
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
        )
        chromium = Chromium(
            limits, agent, profile, playwright, browser, await browser.new_browser_cdp_session()
        )
        await chromium.memory_used()
    except BaseException as error:
        await playwright.stop()
        profile.cleanup()
        if isinstance(error, Error):
            raise FetchStopped("browser_failed", "Chromium did not start", temporary=False) from None
        raise
    return chromium


@dataclass(slots=True)
class Chromium:
    limits: BrowserLimits
    agent: str
    profile: "tempfile.TemporaryDirectory[str]"
    playwright: Playwright
    browser: Browser
    control: CDPSession
    processes: tuple[int, ...] = ()

    async def show(
        self, answer: Response, fetch: FetchRequest, release: Callable[[int], None]
    ) -> RenderedPage:
        """The rendered page. Raises FetchStopped when it takes too long, grows too large or crashes the browser."""
        started = time.monotonic()
        requests = PageRequestHandler(fetch, self.limits, answer, release)
        try:
            url, body = await self._within_limits(self._page(answer, requests))
        except Error:
            raise FetchStopped("render_crashed", "the page crashed the browser", temporary=False) from None
        finally:
            requests.close()
        elapsed = int((time.monotonic() - started) * 1000)
        return RenderedPage(url, body, elapsed, requests.count, dict(requests.refused))

    async def _page(self, answer: Response, requests: PageRequestHandler) -> tuple[str, bytes]:
        context = await self.browser.new_context(
            user_agent=self.agent, service_workers="block", accept_downloads=False
        )
        page = await load_page(context, answer.url, requests, self.limits.page_time / timedelta(seconds=1))
        await context.close()
        return page

    async def _within_limits(self, page: Coroutine[Any, Any, Result]) -> Result:
        tasks = rendering, watching = asyncio.create_task(page), asyncio.create_task(self._watch_memory())
        try:
            limit = self.limits.page_time / timedelta(seconds=1)
            done, _ = await asyncio.wait(tasks, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        if watching in done:
            watching.result()
        if rendering not in done:
            raise FetchStopped("render_timeout", f"not done after {limit:g} seconds", temporary=False)
        return rendering.result()

    async def _watch_memory(self) -> None:
        while True:
            if await self.memory_used() > self.limits.memory:
                raise FetchStopped("render_memory", f"more than {self.limits.memory} bytes", temporary=False)
            await asyncio.sleep(_CHECK_SECONDS)

    async def memory_used(self) -> int:
        """Bytes of private memory of all processes. 0 where the system does not report it."""
        info = await self.control.send("SystemInfo.getProcessInfo")
        self.processes = tuple(int(process["id"]) for process in info["processInfo"])
        return sum(_private_bytes(process) for process in self.processes)

    async def close(self) -> None:
        """End the browser, by force if it does not end in time."""
        try:
            with contextlib.suppress(Error, TimeoutError):
                await asyncio.wait_for(self.browser.close(), _END_SECONDS)
            for process in self.processes:
                if _is_running(process, self.profile.name):
                    os.kill(process, signal.SIGKILL)
            with contextlib.suppress(Error, TimeoutError):
                await asyncio.wait_for(self.playwright.stop(), _END_SECONDS)
        finally:
            self.profile.cleanup()


def _private_bytes(process: int) -> int:
    try:
        fields = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()
    except OSError:
        return 0
    return (int(fields[1]) - int(fields[2])) * _PAGE_BYTES


def _is_running(process: int, home: str) -> bool:
    """Whether this is still our process and not a later one with the same number: it has the HOME that we set."""
    try:
        return f"HOME={home}".encode() in Path(f"/proc/{process}/environ").read_bytes()
    except OSError:
        return False
