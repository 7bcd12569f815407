"""What is stored of an item, given what its source provided and what its page brought."""

from datetime import timedelta
from typing import Any

import pytest
from tests.support.scene import START

from headwater.engine.compose import compose_document, entry_reading, needs_browser
from headwater.engine.page_decision import FromSource, decide_page, is_stored_meanwhile, provides_document
from headwater.model.http import Capture
from headwater.model.jobs import Draft
from headwater.model.outcomes import Drop, Reading, SetAside, Unreadable
from headwater.model.page import PageMode, PageState, has_whole_text, page_state
from headwater.model.source import Lead, Source, StoredLead

URL = "https://wire.example/tide"
ENTRY = Lead(identity="1", url=URL, title="The tide is late", hints={"summary": "It came an hour late."})
BARE = Lead(identity="1", url=URL)

REASONS = {
    "http_401": PageState.FORBIDDEN,
    "http_402": PageState.PAYWALL,
    "http_403": PageState.FORBIDDEN,
    "http_404": PageState.MISSING,
    "http_410": PageState.MISSING,
    "http_429": PageState.FORBIDDEN,
    "http_451": PageState.FORBIDDEN,
    "http_500": PageState.UNREACHABLE,
    "timeout": PageState.UNREACHABLE,
    "dns": PageState.UNREACHABLE,
    "render_crashed": PageState.UNREACHABLE,
    "robots": PageState.DISALLOWED,
    "reserved": PageState.DISALLOWED,
    "forbidden_address": PageState.DISALLOWED,
    "js_required": PageState.SCRIPT_ONLY,
    "consent": PageState.CONSENT_WALL,
    "paywall": PageState.PAYWALL,
    "login": PageState.FORBIDDEN,
    "error_page": PageState.ERROR_PAGE,
    "soft_404": PageState.MISSING,
    "unsupported": PageState.NOT_AN_ARTICLE,
    "no_text": PageState.UNREADABLE,
    "extractor_died": PageState.UNREADABLE,
    "too_large": PageState.TOO_LARGE,
    "not_fetched": PageState.NOT_FETCHED,
}


@pytest.mark.parametrize(("reason", "state"), REASONS.items())
@pytest.mark.parametrize("mode", [PageMode.TRY, PageMode.NEVER])
def test_without_a_page_the_document_is_made_of_what_the_source_provided(
    reason: str, state: PageState, mode: PageMode
):
    assert page_state(reason) is state
    assert decide_page(ENTRY, mode, Unreadable(reason, "why")) == FromSource(state, reason)


@pytest.mark.parametrize(
    ("entry", "mode"), [(ENTRY, PageMode.REQUIRE), (BARE, PageMode.TRY), (BARE, PageMode.NEVER)]
)
@pytest.mark.parametrize(
    ("reason", "outcome"),
    [
        ("http_403", SetAside),
        ("http_404", Drop),
        ("robots", Drop),
        ("paywall", Drop),
        ("unsupported", Drop),
        ("no_text", SetAside),
        ("js_required", SetAside),
    ],
)
def test_an_item_that_needs_its_page_ends_with_the_reason(
    entry: Lead, mode: PageMode, reason: str, outcome: type
):
    decision = decide_page(entry, mode, Unreadable(reason, "why"))
    assert isinstance(decision, outcome)
    assert (decision.reason, decision.evidence) == (reason, {"detail": "why"})  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("reason", "seconds", "expected"),
    [
        ("http_403", 60, True),
        ("http_429", 1, True),
        ("http_503", 2, False),
        ("http_503", 3600, True),
        ("dns", 8, False),
        ("empty", 60, True),
    ],
)
def test_an_item_does_not_wait_for_a_page_that_is_refused_or_comes_late(
    reason: str, seconds: int, expected: bool
):
    delay = timedelta(seconds=seconds)
    assert is_stored_meanwhile(ENTRY, PageMode.TRY, reason, delay) is expected
    assert not is_stored_meanwhile(ENTRY, PageMode.REQUIRE, reason, delay)
    assert not is_stored_meanwhile(BARE, PageMode.TRY, reason, delay)


@pytest.mark.parametrize("mode", PageMode)
def test_a_page_with_text_is_the_document_whatever_the_setting(mode: PageMode):
    reading = Reading(text="The tide came.")
    assert decide_page(ENTRY, mode, reading) is reading


@pytest.mark.parametrize("mode", PageMode)
def test_a_page_that_a_browser_may_read_waits_for_it(mode: PageMode):
    decision = decide_page(ENTRY, mode, Unreadable("js_required"), may_render=True)
    assert decision == SetAside("js_required")


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, False),
        ({"title": "The tide is late"}, True),
        ({"hints": {"summary": "An hour."}}, True),
        ({"body": "<p>An hour.</p>", "teaser": True}, True),
        ({"hints": {"authors": ["Jo Roe"]}}, False),
    ],
)
def test_a_document_needs_more_than_an_address(fields: dict[str, Any], expected: bool):
    assert provides_document(Lead(identity="1", url=URL, **fields)) is expected


def _draft(lead: Lead, *, page: bool, page_reason: str | None = None) -> Draft:
    capture = Capture(
        id="c", lead="l" if page else "", url=URL, final_url="https://wire.example/wall", status=200, headers={},
        media_type="text/html", sha256="0", size=1, fetched_at=START,
    )  # fmt: skip
    source = Source(id="s", recipe="r", kind="feed", name="Wire")
    stored = StoredLead(id="l", recipe="r", source="s", document="d", lead=lead, page_reason=page_reason)
    return Draft(id="d", revision=1, attempts=1, lead=stored, capture=capture, source=source)


@pytest.mark.parametrize("page", [True, False])
def test_every_field_of_such_a_document_has_the_source_as_its_origin(page: bool):
    hints = {"summary": "It came late.", "authors": ["Jo Roe"], "categories": ["Tides"], "language": "en"}
    lead = Lead(identity="1", url=URL, title="The tide is late", published=START, hints=hints)
    document = compose_document(_draft(lead, page=page), entry_reading(lead, None), PageState.FORBIDDEN)
    assert (document.title, document.text, document.authors) == (
        "The tide is late",
        "It came late.",
        ("Jo Roe",),
    )
    assert (document.url, document.page, document.published) == (URL, "forbidden", START)
    assert set(document.origins.values()) == {"source"}


def test_the_longer_of_body_and_summary_is_the_text():
    body = Reading(text="It came an hour late, and nobody minded.", origins={"text": "feed entry"})
    assert entry_reading(ENTRY, body).text == body.text
    assert entry_reading(ENTRY, Reading(text="It came.")).text == "It came an hour late."
    assert entry_reading(BARE, None).text == ""


def test_a_page_for_which_the_browser_brought_nothing_is_not_rendered_again():
    assert needs_browser("js_required", _draft(ENTRY, page=True))
    assert not needs_browser("js_required", _draft(ENTRY, page=True, page_reason="render_crashed"))
    assert not needs_browser("js_required", _draft(ENTRY, page=False))


def test_a_document_has_its_whole_text_if_its_page_was_read_or_not_needed():
    assert {state for state in PageState if has_whole_text(state)} == {PageState.READ, PageState.NOT_NEEDED}
    assert has_whole_text("")
