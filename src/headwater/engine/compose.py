"""Composes a document from the metadata of its source and the reading of its page; each field with its origin."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, time, timedelta
from hashlib import sha256
from typing import Any

from headwater.model.copy_dates import FROM_COPY
from headwater.model.document import FROM_ADDRESS, FROM_SOURCE, FROM_SOURCE_TEXT, Document
from headwater.model.jobs import Draft
from headwater.model.outcomes import Reading
from headwater.model.page import PageState
from headwater.model.source import Lead

# Pages whose text a browser may show.
BROWSER_REASONS = frozenset({"js_required", "consent"})

# A day, in any time zone.
DAY_ANYWHERE = timedelta(hours=24 + 14)


def compose_document(draft: Draft, reading: Reading, page: PageState = PageState.READ) -> Document:
    """The source's title wins, because pages decorate theirs. For every other field the page wins, except for a date
    without a time where the source has the time, and for a date that was in the future when the page was read. A date that neither of
    them has is taken from a copy."""
    lead, hints = draft.lead.lead, draft.lead.lead.hints
    origins = dict(reading.origins)
    values: dict[str, Any] = {}

    def choose(field: str, *candidates: tuple[str, Any]) -> None:
        for origin, value in candidates:
            if value:
                values[field] = value
                origins[field] = origins.get(field, reading.method or "page") if origin == "page" else origin
                return
        origins.pop(field, None)

    choose("title", (FROM_SOURCE, lead.title), ("page", reading.title))
    page_date = _page_date(draft, reading)
    dates = [("page", page_date), (FROM_SOURCE, lead.published)]
    dates = dates[::-1] if _has_only_the_day(page_date, lead.published) else dates
    copied = [(FROM_COPY + draft.copy_date.origin, draft.copy_date.published)] if draft.copy_date else []
    choose("published", *dates, *copied)
    choose("authors", ("page", reading.authors), (FROM_SOURCE, tuple(hints.get("authors", ()))))
    choose("description", ("page", reading.description), (FROM_SOURCE, hints.get("summary")))
    choose("keywords", ("page", reading.keywords), (FROM_SOURCE, tuple(hints.get("categories", ()))))
    choose("image", ("page", reading.image), (FROM_SOURCE, hints.get("image")))
    choose("language", ("page", reading.language), (FROM_SOURCE, hints.get("language")))
    choose("publisher", *_publisher_candidates(reading, hints), (FROM_SOURCE, draft.source.name))
    choose("canonical_url", ("page", reading.canonical_url))
    choose("modified", ("page", reading.modified), (FROM_SOURCE, hints.get("updated")))
    choose("text", ("page", reading.text))
    final_url = draft.capture.final_url if draft.capture and page is PageState.READ else lead.url
    subject = lead.subject or draft.source.subject
    values |= {
        "id": draft.id,
        "recipe": draft.lead.recipe,
        "source": draft.source.id,
        "lead": draft.lead.id,
        "capture": draft.capture.id if draft.capture else None,
        "revision": draft.revision,
        "url": final_url,
        "guid": str(hints.get("guid") or ""),
        "page": page,
        "media_type": reading.media_type,
        "subjects": (subject,) if subject else (),
        "attributes": _attributes(reading, hints),
        "origins": origins,
        "notes": {
            "method": reading.method,
            "confidence": reading.confidence,
            **_readers(reading),
            **_future_date(reading, page_date),
        },
    }
    return Document.of_values(values)


def _page_date(draft: Draft, reading: Reading) -> datetime | None:
    """None for a date that no time zone explains: such a page would be the newest for years."""
    if draft.capture is None or reading.published is None:
        return reading.published
    is_explained = reading.published - draft.capture.fetched_at <= DAY_ANYWHERE
    return reading.published if is_explained else None


def _future_date(reading: Reading, page_date: datetime | None) -> dict[str, Any]:
    is_ignored = reading.published is not None and page_date is None
    return {"date_in_the_future": str(reading.published)} if is_ignored else {}


def _readers(reading: Reading) -> dict[str, Any]:
    """What each reader brought, in their order, where the first one was not enough."""
    is_second_choice = reading.method in list(reading.candidates)[1:]
    return {"readers": dict(reading.candidates)} if is_second_choice else {}


def _publisher_candidates(reading: Reading, hints: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """A page that names no publisher has only its host's name, so the name that the source states is better."""
    candidates = [("page", reading.publisher), (FROM_SOURCE, hints.get("publisher"))]
    return candidates[::-1] if reading.origins.get("publisher") == FROM_ADDRESS else candidates


def entry_reading(entry: Lead, body: Reading | None) -> Reading:
    """Returns what the source provided of the text: the `body` of its entry, as it was read, or the summary, whichever is
    longer."""
    summary = str(entry.hints.get("summary") or "").strip()
    if body is None or len(body.text) < len(summary):
        return Reading(
            text=summary,
            plain=summary,
            media_type="text/plain",
            method=FROM_SOURCE,
            origins={"text": FROM_SOURCE},
        )
    fields = {"text": FROM_SOURCE_TEXT} | ({"image": FROM_SOURCE} if body.image else {})
    return Reading(
        text=body.text, plain=body.plain, image=body.image, images=body.images, links=body.links,
        media_type=body.media_type, method=FROM_SOURCE, attributes=body.attributes, origins=fields,
    )  # fmt: skip


def _attributes(reading: Reading, hints: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the attributes of the page over those of the source."""
    subtitle = {"subtitle": hints["subtitle"]} if hints.get("subtitle") else {}
    return {**hints.get("attributes", {}), **subtitle, **reading.attributes}


def needs_browser(reason: str, draft: Draft) -> bool:
    """True when a browser may find text that a plain fetch did not. A rendered page is not rendered again, and neither is
    one for which the browser brought nothing."""
    capture = draft.capture
    return (
        reason in BROWSER_REASONS
        and draft.reads_page
        and draft.lead.page_reason is None
        and capture is not None
        and "rendered" not in capture.policy
    )


def _has_only_the_day(page: datetime | None, source: datetime | None) -> bool:
    """True when the page has a date without a time, and the source a time on about that day."""
    if page is None or source is None or page.time() != time():
        return False
    return abs(page - source) < DAY_ANYWHERE


def without_text(document: Document) -> Document:
    """Returns a duplicate as it is stored: with everything but its text, which is that of the original. The bytes are in
    the archive; the trail notes the length and the hash of the text."""
    *earlier, last = document.trail
    digest = sha256(document.text.encode("utf-8", "surrogatepass")).hexdigest()
    last = replace(last, notes={**last.notes, "characters": len(document.text), "sha256": digest})
    return document.with_changes(text="", trail=(*earlier, last))
