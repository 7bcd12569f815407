"""Loads one page: opens it, waits until its scripts are idle, accepts a cookie banner once, returns the HTML."""

import asyncio
import contextlib
import json

from playwright.async_api import BrowserContext, Error, Page, WebSocketRoute

from headwater.fetch.browser.page_requests import PageRequestHandler

# Labels of consent buttons, in lower case. Only whole labels count: "accept" inside a sentence is not a button.
CONSENT_LABELS = (
    *("accept all", "accept all cookies", "accept cookies", "accept", "accept and continue", "i accept"),
    *("agree", "i agree", "agree and continue", "allow all", "allow all cookies", "allow cookies"),
    *("got it", "ok", "continue", "consent"),
    *("alle akzeptieren", "akzeptieren", "alle cookies akzeptieren", "alles akzeptieren", "zustimmen"),
    *("akzeptieren und weiter", "ich stimme zu", "einverstanden", "zustimmen und weiter"),
    *("aceptar", "aceptar todo", "aceptar todas", "aceptar y continuar", "aceptar cookies", "acepto"),
    *("tout accepter", "accepter", "accepter et continuer", "accepter tout", "j'accepte", "j’accepte"),
    *("accetta", "accetta tutti", "accetta tutto", "accetto", "accetta e continua"),
    *("aceitar", "aceitar tudo", "aceitar todos", "aceito", "concordo"),
    *("accepteren", "alles accepteren", "akkoord", "alle cookies accepteren", "ik ga akkoord"),
    *("akceptuję", "zaakceptuj wszystko", "zgadzam się"),
    *("godkänn alla", "acceptera alla", "godta alle", "tillad alle", "hyväksy kaikki"),
    *("принять", "принять все", "согласен", "すべて同意", "同意する", "同意", "接受", "全部接受"),
)

# Clicks the first visible button with such a label, and returns whether there was one. A page that mentions neither
# cookies nor privacy is not asking for consent, whatever its buttons say.
CONSENT_SCRIPT = """
(() => {
  const labels = new Set(__LABELS__);
  const about = /cookie|consent|gdpr|dsgvo|rgpd|privacy|datenschutz|privacidad|vie privée|同意/i;
  if (!document.body || !about.test(document.documentElement.outerHTML.slice(0, 500000))) return false;
  const named = (element) => (element.innerText || element.value || "").trim().replace(/\\s+/g, " ").toLowerCase();
  const chosen = [...document.querySelectorAll("button, [role=button], input[type=submit], input[type=button], a")]
    .filter((element) => element.getClientRects().length > 0)
    .map((element) => [element, named(element)])
    .filter(([element, name]) => labels.has(name) && !(element.tagName === "A" && /^https?:/.test(element.getAttribute("href") || "")));
  if (chosen.length === 0) return false;
  chosen[0][0].click();
  return true;
})()
""".replace("__LABELS__", json.dumps(CONSENT_LABELS))


# Network APIs that do not go through requests, so that we cannot answer them. They would fail anyway.
_DISABLE_OTHER_NETWORK = """
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport"]) {
  try { Object.defineProperty(globalThis, name, {value: undefined}); } catch (error) {}
}
"""
# Shares of the page's time: for loading, and for loading what appears after consent.
_LOAD_SHARE, _CONSENT_SHARE = 0.6, 0.85
_CLICK_PAUSE = 0.3


async def load_page(
    context: BrowserContext, url: str, requests: PageRequestHandler, seconds: float
) -> tuple[str, bytes]:
    """The final address, if that can be fetched, and the page as HTML."""
    clock = asyncio.get_running_loop().time
    started = clock()
    await context.add_init_script(_DISABLE_OTHER_NETWORK)
    await context.route("**/*", requests.serve)
    await context.route_web_socket("**/*", _close_socket)
    page = await context.new_page()
    context.on("page", lambda popup: popup.close())
    await page.goto(url, wait_until="commit", timeout=seconds * 1000)
    await _wait_until_idle(page, started + seconds * _LOAD_SHARE - clock())
    if await _click_consent(page):
        await asyncio.sleep(_CLICK_PAUSE)  # a click may cause requests a moment later
        await _wait_until_idle(page, started + seconds * _CONSENT_SHARE - clock())
    html = await _content(page)
    url = page.url if page.url.startswith(("http://", "https://")) else ""
    return url, html.encode("utf-8", "replace")


async def _wait_until_idle(page: Page, seconds: float) -> None:
    """Wait until the page sends no more requests, or the time is up."""
    with contextlib.suppress(Error):
        await page.wait_for_load_state("networkidle", timeout=max(seconds, 0.001) * 1000)


async def _click_consent(page: Page) -> bool:
    for frame in page.frames:
        with contextlib.suppress(Error):
            if await frame.evaluate(CONSENT_SCRIPT):
                return True
    return False


async def _content(page: Page) -> str:
    try:
        html: str = await page.content()
    except Error:  # the page was navigating
        await page.wait_for_load_state("domcontentloaded")
        html = await page.content()
    return html


async def _close_socket(socket: WebSocketRoute) -> None:
    await socket.close()
