"""A real browser on the web pages of a server in this process. What a page does wrong fails the test that visits it."""

import asyncio
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from tests.support.deadline import DEADLINE
from tests.support.web_client import refuse_runs

from headwater.app import App
from headwater.fetch.browser.program import find_browser
from headwater.model.api_key import KeyScope
from headwater.web.application import build_application
from headwater.web.crash_trial import CrashTrial
from headwater.web.security.token_bucket import TokenBuckets
from headwater.web.server import listen_on, make_server
from headwater.web.serving import make_context

PHONE, DESKTOP = 390, 1280
RULES_ABOUT_COLOUR = ["color-contrast", "link-in-text-block"]
AXE = """async (options) => (await axe.run(document, {resultTypes: ["violations"], iframes: false, ...options})).violations.map(
  (found) => found.id + ": " + found.nodes.map((node) => node.target.join(" ")).join(", "))"""


@contextmanager
def running_site(app: App, *, local_scope: KeyScope = KeyScope.ADMIN, **options: Any) -> Iterator[str]:
    """Serves the pages of an installation on a free port; yields the address. Without a key, the reader may do everything."""
    context = make_context(app, refuse_runs, **options)
    context.local_scope = local_scope
    context.crash_trial = CrashTrial(app, (), "crypto")
    context.access.requests = TokenBuckets(1e6, 1e6)
    listener = listen_on("127.0.0.1", 0)
    started = threading.Event()
    server = make_server(
        build_application(context), on_started=lambda *_: started.set(), on_stop=lambda: None
    )
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])), daemon=True)
    thread.start()
    assert started.wait(DEADLINE)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(DEADLINE)
        listener.close()


@contextmanager
def running_chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_browser(), chromium_sandbox=os.geteuid() != 0, args=["--disable-gpu"]
        )
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Visitor:
    """Opens pages, each in a browser of its own without cookies, and remembers what went wrong in them."""

    url: str
    chromium: Browser
    problems: list[str] = field(default_factory=list)
    contexts: list[BrowserContext] = field(default_factory=list)

    def open(
        self,
        path: str,
        *,
        theme: str = "light",
        width: int = DESKTOP,
        javascript: bool = True,
        language: str = "en",
    ) -> Page:
        context = self.chromium.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=theme,
            java_script_enabled=javascript,
            locale=language,
            timezone_id="America/Bogota",
            reduced_motion="reduce",
        )
        context.set_default_timeout(DEADLINE * 1000)
        self.contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: self._note(message.type, message.text))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.goto(self.url + path)
        return page

    def _note(self, kind: str, text: str) -> None:
        """A violation of the content security policy is an error on the console, too."""
        if kind in {"error", "warning"}:
            self.problems.append(text)

    def close(self) -> None:
        for context in self.contexts:
            context.close()
        self.contexts.clear()


def accessibility_problems(page: Page) -> list[str]:
    """What axe finds, without exceptions. The script reaches the page past its policy, through the debugger."""
    axe = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
    page.evaluate(axe + "; 0")
    problems: list[str] = page.evaluate(AXE, {})
    return problems


def accessibility_problems_in_both_themes(page: Page) -> list[str]:
    """The themes differ in colours only (`test_the_themes_differ_in_colours_only`), so the dark one is checked for contrast."""
    page.emulate_media(color_scheme="light")
    problems = accessibility_problems(page)
    page.emulate_media(color_scheme="dark")
    problems += page.evaluate(AXE, {"runOnly": {"type": "rule", "values": RULES_ABOUT_COLOUR}})
    return problems


def is_wider_than_screen(page: Page) -> bool:
    """Whether the whole page has to be moved sideways."""
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))
