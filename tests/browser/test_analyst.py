"""The pages for analysts in a real browser: each flow by mouse, by keys and without scripts; nothing hostile runs."""

from collections.abc import Callable

import pytest
from tests.support.browser import (
    DESKTOP,
    PHONE,
    Visitor,
    accessibility_problems_in_both_themes,
    is_wider_than_screen,
)
from tests.support.page_rows import PageRows

PAGES: dict[str, Callable[[PageRows], str]] = {
    "story": lambda rows: f"/stories/{rows.dam_story}",
    "stories": lambda rows: "/stories",
    "documents": lambda rows: "/documents",
    "search": lambda rows: "/search?q=dam",
    "hints": lambda rows: "/search",
    "document": lambda rows: f"/documents/{rows.article}",
    "comparison": lambda rows: f"/documents/{rows.copy}/original",
    "map": lambda rows: "/map",
}


def test_every_page_is_accessible_in_both_themes_and_fits_a_phone(visitor: Visitor, rows: PageRows):
    page = visitor.open("/")
    for name, path in PAGES.items():
        page.set_viewport_size({"width": DESKTOP, "height": 900})
        page.goto(visitor.url + path(rows))
        assert accessibility_problems_in_both_themes(page) == [], name
        page.set_viewport_size({"width": PHONE, "height": 800})
        assert not is_wider_than_screen(page), name


@pytest.mark.parametrize("javascript", [True, False])
def test_a_field_leads_to_its_place_in_the_archived_page(visitor: Visitor, rows: PageRows, javascript: bool):
    """From the first page on: story, document, field. The hostile page runs nothing and asks for nothing."""
    page = visitor.open("/", javascript=javascript)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.get_by_role("link", name="Valley dam opens its gates").first.click()
    page.get_by_role("link", name="Meridian Post").first.click()
    page.locator(".fields a", has_text="4.2 million dollars").click()
    frame = page.frame_locator("iframe[name=archived]")
    assert frame.locator("#evidence").inner_text() == "4.2 million dollars"
    page.locator(".fields a", has_text="Authors").click()
    frame.locator("#evidence", has_text="Ilse Varn").wait_for()
    assert "ran" not in {page.title(), *(inner.title() for inner in page.frames[1:] if javascript)}
    assert all(url.startswith(visitor.url) for url in requests)


def test_a_search_is_narrowed_and_saved_by_keys_alone(visitor: Visitor):
    page = visitor.open("/")
    page.keyboard.press("/")
    page.keyboard.type("dam")
    page.keyboard.press("Enter")
    page.locator(".result mark").first.wait_for()
    page.locator("#name").fill("by-keys")
    page.keyboard.press("Enter")
    page.locator(".notice.done").wait_for()
    assert "Saved as “by-keys”" in page.locator(".notice.done").inner_text()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/documents/*")


def test_a_country_on_the_map_leads_to_its_row_by_keys(visitor: Visitor):
    page = visitor.open("/map")
    spot = page.locator(".map a").first
    spot.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/map#BR")
    assert page.locator("tr:target").count() == 1


def test_a_duplicate_shows_both_texts_without_scripts(visitor: Visitor, rows: PageRows):
    page = visitor.open(f"/documents/{rows.copy}", javascript=False)
    page.get_by_role("link", name="Why is this a duplicate?").click()
    assert page.locator(".comparison .changed mark").all_inner_texts() == ["Thursday.", "Friday."]
