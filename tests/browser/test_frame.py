"""The frame of the pages in a real browser: keys, themes, times, and how little it loads."""

import re
from collections.abc import Iterator
from importlib.resources import files

import pytest
from playwright.sync_api import Page
from tests.support.browser import (
    DESKTOP,
    PHONE,
    Visitor,
    accessibility_problems_in_both_themes,
    is_wider_than_screen,
)

FIRST_PAGE_BYTES = 60_000


@pytest.fixture
def front(visitor: Visitor) -> Iterator[Page]:
    return visitor.open("/")


def test_the_first_page_is_small_and_needs_few_requests(visitor: Visitor):
    page = visitor.open("/keys")
    sizes: list[int] = []
    page.context.clear_cookies()
    page.on("requestfinished", lambda request: sizes.append(request.sizes()["responseBodySize"]))
    session = page.context.new_cdp_session(page)
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    page.goto(f"{visitor.url}/", wait_until="networkidle")
    assert len(sizes) <= 6
    assert sum(sizes) <= FIRST_PAGE_BYTES


def test_everything_can_be_reached_by_keys(front: Page):
    front.keyboard.press("Tab")
    assert front.evaluate("document.activeElement.className") == "skip"
    front.keyboard.press("/")
    assert front.evaluate("document.activeElement.id") == "quick-search"
    front.keyboard.press("Escape")
    front.keyboard.press("j")
    front.keyboard.press("j")
    second = front.evaluate("document.activeElement.textContent")
    front.keyboard.press("k")
    assert front.evaluate("document.activeElement.textContent") != second
    front.keyboard.press("?")
    assert front.get_by_role("dialog").is_visible()
    front.keyboard.press("Escape")
    assert not front.get_by_role("dialog").is_visible()


def test_times_are_in_the_zone_of_the_reader(front: Page):
    assert "GMT-5" in front.locator("footer time").inner_text()


def test_theme_and_language_stay_chosen_without_a_script(visitor: Visitor):
    page = visitor.open("/keys", javascript=False)
    page.get_by_role("button", name="Dark").click()
    page.get_by_role("button", name="Español").click()
    page.goto(f"{visitor.url}/")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.get_by_role("link", name="Historias").first.is_visible()


def test_the_themes_differ_in_colours_only():
    """So whatever is not about colour needs to be checked in one of them only."""
    style = (files("headwater.web.pages") / "static" / "site.css").read_text(encoding="utf-8")
    themes = re.findall(r"data-theme[^{]*\{([^}]*)\}", style)
    names = {declaration.split(":")[0].strip() for block in themes for declaration in block.split(";")} - {""}
    assert len(themes) == style.count("data-theme")
    assert style.count("prefers-color-scheme") == 1
    assert {name for name in names if not name.startswith("--")} == {"color-scheme"}


def test_pages_of_the_frame_are_accessible_in_both_themes(visitor: Visitor):
    page = visitor.open("/")
    for path in ("/", "/keys", "/sign-in"):
        page.goto(visitor.url + path)
        assert accessibility_problems_in_both_themes(page) == [], path
        for width in (PHONE, DESKTOP):
            page.set_viewport_size({"width": width, "height": 900})
            assert not is_wider_than_screen(page), path
