"""How pages ask whether they may set cookies, and the one click that answers."""

import asyncio
import contextlib
import json

from playwright.async_api import BrowserContext, Error, Page, WebSocketRoute

from headwater.fetch.browser.page_requests import PageRequestHandler

# As they stand on buttons, in lower case. Only whole labels: "accept" inside a sentence is no button.
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

# Clicks the first button that can be seen and bears such a label; says whether there was one. A page whose text
# speaks of no cookies and no privacy is not asking for consent, whatever its buttons say.
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


# The ways out that are no requests, and so cannot be answered from here. They would fail anyway.
_NO_SIDE_DOORS = """
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport"]) {
  try { Object.defineProperty(globalThis, name, {value: undefined}); } catch (error) {}
}
"""
# Of the page's time: until then it may load; until then it may load what it shows after it was agreed to.
_FIRST_REST, _LAST_REST = 0.6, 0.85
_MOMENT = 0.3


async def load_page(
    context: BrowserContext, url: str, supply: PageRequestHandler, seconds: float
) -> tuple[str, bytes]:
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
            if await frame.evaluate(CONSENT_SCRIPT):
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
