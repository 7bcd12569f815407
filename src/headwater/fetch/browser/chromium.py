"""One run of Chromium: started without a network, watched while it shows a page, and ended with all its processes."""

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
from headwater.fetch.browser.renderer import BrowserLimits, FetchRequest
from headwater.fetch.failures import FetchStopped
from headwater.model.http import Response

Result = TypeVar("Result")

# Everything is answered from here (see Supply). Should anything get past that, it finds a proxy that refuses and no
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
_LOOK_EVERY = 0.25
_PAGE_BYTES = resource.getpagesize()


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A page as it stood at the end. `refused` counts what it asked for in vain, by reason."""

    url: str
    body: bytes
    elapsed_ms: int
    requests: int
    refused: dict[str, int]


async def start(limits: BrowserLimits, agent: str) -> "Chromium":
    """A fresh browser, or Stopped with what stood in the way."""
    home = tempfile.TemporaryDirectory(prefix="headwater-browser-", ignore_cleanup_errors=True)
    playwright = await async_playwright().start()
    try:
        browser = await playwright.chromium.launch(
            executable_path=limits.program,
            args=list(_ARGUMENTS),
            chromium_sandbox=os.geteuid() != 0,  # Chromium refuses to make a sandbox for root
            # Not our environment: there are keys in it.
            env={"PATH": os.defpath, "HOME": home.name, "TMPDIR": home.name, "LANG": "C.UTF-8"},
            timeout=_START_SECONDS * 1000,
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
        )
        chromium = Chromium(limits, agent, home, playwright, browser, await browser.new_browser_cdp_session())
        await chromium.weight()
    except BaseException as error:
        await playwright.stop()
        home.cleanup()
        if isinstance(error, Error):
            raise FetchStopped("browser_failed", "Chromium did not start", temporary=False) from None
        raise
    return chromium


@dataclass(slots=True)
class Chromium:
    limits: BrowserLimits
    agent: str
    home: "tempfile.TemporaryDirectory[str]"
    playwright: Playwright
    browser: Browser
    control: CDPSession
    processes: tuple[int, ...] = ()

    async def show(
        self, answer: Response, fetch: FetchRequest, release: Callable[[int], None]
    ) -> RenderedPage:
        """The page, or Stopped: it took too long, grew too large, or took the browser down."""
        began = time.monotonic()
        supply = PageRequestHandler(fetch, self.limits, answer, release)
        try:
            url, body = await self._within_limits(self._page(answer, supply))
        except Error:
            raise FetchStopped("render_crashed", "the page took the browser down", temporary=False) from None
        finally:
            supply.close()
        elapsed = int((time.monotonic() - began) * 1000)
        return RenderedPage(url, body, elapsed, supply.asked, dict(supply.refused))

    async def _page(self, answer: Response, supply: PageRequestHandler) -> tuple[str, bytes]:
        context = await self.browser.new_context(
            user_agent=self.agent, service_workers="block", accept_downloads=False
        )
        found = await load_page(context, answer.url, supply, self.limits.page_time / timedelta(seconds=1))
        await context.close()
        return found

    async def _within_limits(self, page: Coroutine[Any, Any, Result]) -> Result:
        tasks = working, watching = asyncio.create_task(page), asyncio.create_task(self._watch_memory())
        try:
            limit = self.limits.page_time / timedelta(seconds=1)
            done, _ = await asyncio.wait(tasks, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        if watching in done:
            watching.result()
        if working not in done:
            raise FetchStopped("render_timeout", f"not done after {limit:g} seconds", temporary=False)
        return working.result()

    async def _watch_memory(self) -> None:
        while True:
            if await self.weight() > self.limits.memory:
                raise FetchStopped("render_memory", f"more than {self.limits.memory} bytes", temporary=False)
            await asyncio.sleep(_LOOK_EVERY)

    async def weight(self) -> int:
        """The memory that the processes have for themselves; 0 where the system does not tell."""
        told = await self.control.send("SystemInfo.getProcessInfo")
        self.processes = tuple(int(process["id"]) for process in told["processInfo"])
        return sum(_private_bytes(process) for process in self.processes)

    async def close(self) -> None:
        """Politely first; then by force."""
        try:
            with contextlib.suppress(Error, TimeoutError):
                await asyncio.wait_for(self.browser.close(), _END_SECONDS)
            for process in self.processes:
                if _is_running(process, self.home.name):
                    os.kill(process, signal.SIGKILL)
            with contextlib.suppress(Error, TimeoutError):
                await asyncio.wait_for(self.playwright.stop(), _END_SECONDS)
        finally:
            self.home.cleanup()


def _private_bytes(process: int) -> int:
    try:
        fields = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()
    except OSError:
        return 0
    return (int(fields[1]) - int(fields[2])) * _PAGE_BYTES


def _is_running(process: int, home: str) -> bool:
    """Whether it is still that process, and not another that got its number: it has the home that it was given."""
    try:
        return f"HOME={home}".encode() in Path(f"/proc/{process}/environ").read_bytes()
    except OSError:
        return False
