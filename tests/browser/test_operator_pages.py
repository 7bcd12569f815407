"""The operator's pages in a real browser: live figures, actions by mouse and keyboard, without a script, and for everyone."""

import re
from collections.abc import Mapping

import pytest
from tests.support.api_installation import HOSTILE, NOW
from tests.support.browser import (
    PHONE,
    Visitor,
    accessibility_problems,
    accessibility_problems_in_both_themes,
    is_wider_than_screen,
)
from tests.support.page_rows import PageRows
from tests.support.scene import RECIPE, START

from headwater.app import App

PATHS = (
    "/operate",
    "/operate/sources",
    "/operate/sources/add",
    "/operate/alarms?past=1",
    "/operate/quarantine",
    "/operate/missing?q=harbour",
    "/operate/runs",
    "/operate/replays",
    "/operate/fetches",
    "/operate/budgets",
    "/operate/searches?test=harbour",
    "/operate/keys",
)


@pytest.fixture(scope="module")
def record_pages(filled_app: tuple[App, PageRows]) -> Mapping[str, str]:
    """The pages of single records: with a run that has ended, and a replay that waits."""
    app, rows = filled_app
    app.pipeline_runs.begin("run_1", RECIPE, {}, NOW)
    app.pipeline_runs.finish("run_1", NOW, error="a worker died")
    return {
        "source": f"/operate/sources/{app.catalogue.sources()[0]['id']}",
        "record": f"/operate/quarantine/{rows.documents[2]}",
        "run": "/operate/runs/run_1",
        "replay": f"/operate/replays/{app.replays.start(RECIPE, START, NOW, NOW)}",
        "crash-trial": "/operate/crash-trial",
    }


def test_every_page_is_accessible_in_both_themes_and_fits_a_phone(
    visitor: Visitor, record_pages: Mapping[str, str]
):
    """One tab for all of them: a new one for each costs as much as the check."""
    page = visitor.open("/operate", width=PHONE)
    for path in (*PATHS, *record_pages.values()):
        page.goto(visitor.url + path)
        assert accessibility_problems_in_both_themes(page) == [], path
        assert not is_wider_than_screen(page), path
        assert page.evaluate("document.title") != "1", path
        assert HOSTILE not in page.content(), path


def test_the_overview_reads_its_figures_again_while_it_is_visible(visitor: Visitor):
    page = visitor.open("/operate")
    with page.expect_response(lambda answer: answer.request.headers.get("hx-request-type") == "partial"):
        pass
    assert page.get_by_role("heading", name="Stages").is_visible()


def test_an_operator_mutes_a_source_by_keyboard(visitor: Visitor):
    page = visitor.open("/operate/sources")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/operate/sources/[0-9a-f]{20,}"))
    page.keyboard.press("m")
    page.get_by_role("status").get_by_text("Wire is muted").wait_for()
    page.keyboard.press("m")
    page.get_by_role("status").get_by_text("no longer muted").wait_for()


def test_a_search_is_tested_saved_applied_and_removed(visitor: Visitor):
    page = visitor.open("/operate/searches")
    page.get_by_label("Query").fill("dam gates")
    page.get_by_role("button", name="Test").click()
    page.get_by_label("Name").fill("dam-gates")
    page.get_by_role("button", name="Save this search").click()
    page.get_by_role("button", name="Apply to what is stored").click()
    page.get_by_role("row").filter(has_text="Valley dam opens its gates").first.wait_for()
    assert accessibility_problems(page) == []
    page.get_by_role("button", name="Remove").click()
    page.get_by_role("heading", name="Remove the search dam-gates with its matches?").wait_for()
    assert accessibility_problems(page) == []
    page.get_by_role("button", name="Remove").click()
    page.get_by_text("dam-gates is removed").wait_for()


def test_a_new_key_is_shown_once(visitor: Visitor):
    page = visitor.open("/operate/keys")
    page.get_by_label("Who or what uses it").fill("Grafana")
    page.get_by_role("button", name="Create a key").click()
    key = page.locator(".secret").inner_text()
    assert key.startswith("hw_")
    page.goto(f"{visitor.url}/operate/keys")
    assert key not in page.content()


def test_lists_and_actions_work_without_a_script_and_in_spanish(visitor: Visitor):
    page = visitor.open("/operate/alarms", javascript=False, language="es")
    page.get_by_role("button", name="Dar por vista").first.click()
    assert page.get_by_role("status").inner_text().startswith("Vista:")
    page.get_by_role("link", name="Cuarentena").first.click()
    assert page.get_by_role("heading", name="Cuarentena").is_visible()


def test_numbers_lead_to_their_lists(visitor: Visitor):
    page = visitor.open("/operate")
    page.locator(".tile").filter(has_text="Open alarms").get_by_role("link").click()
    assert page.get_by_role("heading", name="Alarms").is_visible()
