"""A document is composed from its source and its page; each field has an origin, each change a trail entry."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from headwater.engine.compose import compose_document, needs_browser
from headwater.engine.page_decision import outcome_of_unreadable
from headwater.model.document import Document, FactKey, FactValue, with_trail_entry
from headwater.model.http import Capture
from headwater.model.jobs import Draft
from headwater.model.outcomes import Drop, Reading, SetAside, Unreadable
from headwater.model.page import PageState
from headwater.model.source import Lead, Source, StoredLead

EARLY, LATE = datetime(2026, 11, 13, 8, tzinfo=UTC), datetime(2026, 11, 13, 9, tzinfo=UTC)
SOURCE = Source(
    id="s", recipe="r", kind="feed", name="Wire", url="https://wire.example/feed", subject="coins"
)


def _draft(**lead_fields: Any) -> Draft:
    lead = Lead(**({"identity": "1", "url": "https://wire.example/a"} | lead_fields))
    capture = Capture(
        id="c", lead="l", url=lead.url, final_url="https://wire.example/final", status=200, headers={},
        media_type="text/html", sha256="0", size=1, fetched_at=LATE,
    )  # fmt: skip
    stored = StoredLead(id="l", recipe="r", source="s", document="d", lead=lead)
    return Draft(id="d", revision=3, attempts=1, lead=stored, capture=capture, source=SOURCE)


def test_keys_and_revision_come_from_the_draft():
    document = compose_document(_draft(hints={"guid": 7}), Reading(text="Words", media_type="text/html"))
    assert (document.id, document.recipe, document.source, document.lead) == ("d", "r", "s", "l")
    assert (document.capture, document.revision, document.guid) == ("c", 3, "7")
    assert document.subjects == ("coins",)


def test_the_title_comes_from_the_source_and_every_other_field_from_the_page():
    hints = {
        "authors": ["Feed Author"], "summary": "said", "categories": ["k"], "image": "https://wire.example/f.png",
        "language": "de",
    }  # fmt: skip
    reading = Reading(
        text="Words", title="Page title | Wire", authors=("Page Author",), published=LATE, publisher="Page Wire",
        description="page", keywords=("p",), image="https://wire.example/p.png", language="en", method="dense",
        canonical_url="https://wire.example/canonical", origins={"published": "json-ld datePublished"},
    )  # fmt: skip
    document = compose_document(_draft(title="Feed title", published=EARLY, hints=hints), reading)
    assert (document.title, document.origins["title"]) == ("Feed title", "source")
    assert (document.published, document.origins["published"]) == (LATE, "json-ld datePublished")
    assert (document.authors, document.origins["authors"]) == (("Page Author",), "dense")
    assert (document.description, document.keywords, document.language) == ("page", ("p",), "en")
    assert (document.publisher, document.canonical_url) == ("Page Wire", "https://wire.example/canonical")


def test_a_page_that_says_it_will_be_published_years_from_now_has_the_date_of_its_source():
    far = datetime(2099, 1, 1, tzinfo=UTC)
    reading = Reading(text="Words", published=far, origins={"published": "json-ld datePublished"})
    document = compose_document(_draft(published=EARLY), reading)
    assert (document.published, document.origins["published"]) == (EARLY, "source")
    assert document.notes["date_in_the_future"] == "2099-01-01 00:00:00+00:00"
    assert compose_document(_draft(), reading).published is None
    tomorrow = replace(reading, published=LATE + timedelta(hours=20))
    assert compose_document(_draft(published=EARLY), tomorrow).published == tomorrow.published


@pytest.mark.parametrize(
    ("page", "source", "origin"),
    [
        (datetime(2026, 11, 13, tzinfo=UTC), LATE, "source"),
        (datetime(2026, 11, 14, tzinfo=UTC), LATE, "source"),
        (datetime(2026, 11, 1, tzinfo=UTC), LATE, "page"),
        (datetime(2026, 11, 13, 8, 30, tzinfo=UTC), LATE, "page"),
        (datetime(2026, 11, 13, tzinfo=UTC), None, "page"),
    ],
)
def test_a_date_without_a_time_yields_to_a_source_with_a_time(
    page: datetime, source: datetime | None, origin: str
):
    document = compose_document(
        _draft(published=source), Reading(text="x", published=page, origins={"published": "page"})
    )
    assert document.published == (source if origin == "source" else page)
    assert document.origins["published"] == origin


def test_fields_missing_on_the_page_come_from_the_source():
    hints = {"authors": ["Feed Author"], "summary": "said", "categories": ["k"], "language": "de"}
    document = compose_document(
        _draft(title="Feed title", published=EARLY, hints=hints), Reading(text="Words")
    )
    assert (document.authors, document.description, document.keywords) == (("Feed Author",), "said", ("k",))
    assert (document.published, document.language, document.publisher) == (EARLY, "de", "Wire")
    fields = ("title", "published", "authors", "description", "keywords", "language", "publisher")
    assert {document.origins[name] for name in fields} == {"source"}


@pytest.mark.parametrize(
    ("origin", "hint", "publisher"),
    [
        ("address", "Harbour Wire", ("Harbour Wire", "source")),
        ("address", "", ("press.example", "address")),
        ("og:site_name", "Harbour Wire", ("press.example", "og:site_name")),
    ],
)
def test_a_page_that_names_no_publisher_has_the_one_that_its_source_names(
    origin: str, hint: str, publisher: tuple[str, str]
):
    reading = Reading(text="Words", publisher="press.example", origins={"publisher": origin})
    document = compose_document(_draft(hints={"publisher": hint}), reading)
    assert (document.publisher, document.origins["publisher"]) == publisher


def test_a_field_without_evidence_stays_empty_and_has_no_origin():
    document = compose_document(_draft(), Reading(text="Words", origins={"image": "og:image"}))
    assert (document.image, document.published, document.canonical_url) == ("", None, "")
    assert not {"image", "published", "canonical_url"} & document.origins.keys()


def test_the_url_is_that_of_the_page_or_that_of_the_lead_when_it_has_a_body():
    assert compose_document(_draft(), Reading(text="x")).url == "https://wire.example/final"
    delivered = compose_document(_draft(body="x"), Reading(text="x"), PageState.NOT_NEEDED)
    assert delivered.url == "https://wire.example/a"


def test_the_subject_of_a_lead_wins_over_that_of_its_source():
    assert compose_document(_draft(subject="tea"), Reading(text="x")).subjects == ("tea",)


@pytest.mark.parametrize("reason", ["paywall", "login", "error_page", "soft_404", "unsupported"])
def test_a_page_that_never_has_text_is_dropped(reason: str):
    assert outcome_of_unreadable(Unreadable(reason, "why")) == Drop(reason, evidence={"detail": "why"})


@pytest.mark.parametrize(
    "reason", ["js_required", "consent", "no_text", "requires_ocr", "malformed", "encrypted"]
)
def test_a_page_that_may_have_text_is_set_aside(reason: str):
    assert outcome_of_unreadable(Unreadable(reason)) == SetAside(reason)


# The trail: which step changed what, and which step set a fact.

PLAIN = Document(id="d", recipe="r", source="s", lead="l", url="u", title="A title", text="A text")
FORM = FactKey("form", str)
TITLE = "title"


def test_a_step_without_changes_has_an_empty_trail_entry():
    unchanged = replace(PLAIN, title=f"A {TITLE}", attributes={})
    assert with_trail_entry(PLAIN, unchanged, "step", "1").trail[-1].changed == ()


def test_the_trail_entry_has_the_changed_fields_and_the_notes():
    after = replace(PLAIN, title="Other", language="en").with_notes(score=0.5)
    document = with_trail_entry(PLAIN, after, "step", "2")
    (entry,) = document.trail
    assert (entry.step, entry.version, entry.notes) == ("step", "2", {"score": 0.5})
    assert set(entry.changed) == {"title", "language"}
    assert document.notes == {}


def test_a_fact_names_the_step_that_set_it_and_no_later_one():
    first = with_trail_entry(PLAIN, PLAIN.with_fact(FORM, "10-K"), "filings", "3")
    assert first.facts["form"] == FactValue("10-K", "filings", "3")
    second = with_trail_entry(first, first.with_fact(FactKey("other", int), 1), "counter", "1")
    assert second.facts["form"] == FactValue("10-K", "filings", "3")
    assert second.facts["other"] == FactValue(1, "counter", "1")
    assert second.fact(FORM) == "10-K"
    assert second.fact(FactKey("none", int)) is None
    assert [entry.step for entry in second.trail] == ["filings", "counter"]


@pytest.mark.parametrize(
    ("reason", "policy", "lead_fields", "expected"),
    [
        ("js_required", {}, {}, True),
        ("consent", {}, {}, True),
        ("js_required", {"rendered": True}, {}, False),
        ("js_required", {"rendered": False}, {}, False),
        ("paywall", {}, {}, False),
        ("no_text", {}, {}, False),
        ("js_required", {}, {"body": "in the feed"}, False),
    ],
)
def test_a_browser_is_used_once_and_only_where_it_may_help(
    reason: str, policy: dict[str, Any], lead_fields: dict[str, Any], expected: bool
):
    draft = _draft(**lead_fields)
    assert draft.capture is not None
    assert needs_browser(reason, replace(draft, capture=replace(draft.capture, policy=policy))) is expected
