"""The review of procedures in a real browser: all of them by keyboard alone."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from tests.support.api_installation import installation
from tests.support.browser import Visitor, accessibility_problems, is_wider_than_screen, running_site
from tests.support.review_files import write_procedures

COUNT = 41


@pytest.fixture
def editor(tmp_path: Path, chromium: Browser) -> Iterator[Visitor]:
    with installation(tmp_path) as app:
        write_procedures(app.output("procedures"), COUNT)
        with running_site(app) as url:
            visitor = Visitor(url, chromium)
            yield visitor
            visitor.close()
            assert visitor.problems == []


def test_all_procedures_of_the_demo_are_reviewed_by_keyboard(editor: Visitor):
    page = editor.open("/recipes/procedures/reviews")
    page.keyboard.press("n")
    page.get_by_text(f"1 of {COUNT}").wait_for()
    assert accessibility_problems(page) == []
    page.keyboard.press("a")
    page.get_by_role("status").get_by_text("is accepted").wait_for()
    page.keyboard.press("u")
    page.get_by_role("status").get_by_text("waits for review again").wait_for()
    page.keyboard.press("n")
    page.get_by_text(f"2 of {COUNT}").wait_for()
    page.keyboard.press("p")
    page.get_by_text(f"1 of {COUNT}").wait_for()
    page.keyboard.press("x")
    page.keyboard.type("of another town")
    page.keyboard.press("Enter")
    page.get_by_role("status").get_by_text("is rejected").wait_for()
    for number in range(COUNT - 1, 0, -1):
        page.get_by_text(f"1 of {number}", exact=False).wait_for()
        page.keyboard.press("a")
    page.get_by_role("heading", name="Nothing waits for review").wait_for()


def test_the_page_fits_a_phone_and_is_accessible_in_the_dark(editor: Visitor):
    page = editor.open("/recipes/procedures/review?id=local-muestra-bono-00", width=390, theme="dark")
    assert accessibility_problems(page) == []
    assert not is_wider_than_screen(page)
    assert page.evaluate("document.title") != "1"
    assert page.locator("blockquote").first.is_visible()
