"""Showing one page: open it, let its scripts come to rest, agree once if it asks, take what is there."""

import asyncio
import contextlib

from playwright.async_api import BrowserContext, Error, Page, WebSocketRoute

from headwater.fetch.browser_consent import AGREE
from headwater.fetch.browser_supply import Supply

# The ways out that are no requests, and so cannot be answered from here. They would fail anyway.
_NO_SIDE_DOORS = """
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport"]) {
  try { Object.defineProperty(globalThis, name, {value: undefined}); } catch (error) {}
}
"""
# Of the page's time: until then it may load; until then it may load what it shows after it was agreed to.
_FIRST_REST, _LAST_REST = 0.6, 0.85
_MOMENT = 0.3


async def show_page(context: BrowserContext, url: str, supply: Supply, seconds: float) -> tuple[str, bytes]:
    """The address at which it ended, if that can be fetched, and the page as HTML."""
    clock = asyncio.get_running_loop().time
    began = clock()
    await context.add_init_script(_NO_SIDE_DOORS)
    await context.route("**/*", supply.serve)
    await context.route_web_socket("**/*", _hang_up)
    page = await context.new_page()
    context.on("page", lambda popup: popup.close())
    await page.goto(url, wait_until="commit", timeout=seconds * 1000)
    await _rest(page, began + seconds * _FIRST_REST - clock())
    if await _agree(page):
        await asyncio.sleep(_MOMENT)  # a click becomes a request a moment later, if it does
        await _rest(page, began + seconds * _LAST_REST - clock())
    found = await _content(page)
    return (page.url if page.url.startswith(("http://", "https://")) else ""), found.encode(
        "utf-8", "replace"
    )


async def _rest(page: Page, seconds: float) -> None:
    """Until nothing is asked for any more; what goes on asking is not waited for."""
    with contextlib.suppress(Error):
        await page.wait_for_load_state("networkidle", timeout=max(seconds, 0.001) * 1000)


async def _agree(page: Page) -> bool:
    for frame in page.frames:
        with contextlib.suppress(Error):
            if await frame.evaluate(AGREE):
                return True
    return False


async def _content(page: Page) -> str:
    try:
        found: str = await page.content()
    except Error:  # it was just going somewhere else
        await page.wait_for_load_state("domcontentloaded")
        found = await page.content()
    return found


async def _hang_up(socket: WebSocketRoute) -> None:
    await socket.close()
