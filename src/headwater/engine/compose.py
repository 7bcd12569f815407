"""Composes a document from the metadata of its source and the reading of its page; each field with its origin."""

from collections.abc import Mapping
from datetime import datetime, time, timedelta
from typing import Any

from headwater.model.document import Document
from headwater.model.jobs import Draft
from headwater.model.outcomes import Drop, Reading, SetAside, Unreadable

# Pages that never have text. The others may have one when they are read in another way.
FINAL_REASONS = frozenset({"paywall", "login", "error_page", "soft_404", "unsupported"})

# Pages whose text a browser may show.
BROWSER_REASONS = frozenset({"js_required", "consent"})

# A day, in any time zone.
DAY_ANYWHERE = timedelta(hours=24 + 14)

FROM_SOURCE = "source"


def compose_document(draft: Draft, reading: Reading) -> Document:
    """The source's title wins, because pages decorate theirs. For every other field the page wins, except for a date
    without a time where the source has the time."""
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
    dates = [("page", reading.published), (FROM_SOURCE, lead.published)]
    choose("published", *(reversed(dates) if _has_only_the_day(reading.published, lead.published) else dates))
    choose("authors", ("page", reading.authors), (FROM_SOURCE, tuple(hints.get("authors", ()))))
    choose("description", ("page", reading.description), (FROM_SOURCE, hints.get("summary")))
    choose("keywords", ("page", reading.keywords), (FROM_SOURCE, tuple(hints.get("categories", ()))))
    choose("image", ("page", reading.image), (FROM_SOURCE, hints.get("image")))
    choose("language", ("page", reading.language), (FROM_SOURCE, hints.get("language")))
    choose(
        "publisher", ("page", reading.publisher), (FROM_SOURCE, hints.get("publisher") or draft.source.name)
    )
    choose("canonical_url", ("page", reading.canonical_url))
    choose("modified", ("page", reading.modified), (FROM_SOURCE, hints.get("updated")))
    choose("text", ("page", reading.text))
    final_url = draft.capture.final_url if draft.capture and lead.body is None else lead.url
    subject = lead.subject or draft.source.subject
    return Document(
        id=draft.id,
        recipe=draft.lead.recipe,
        source=draft.source.id,
        lead=draft.lead.id,
        capture=draft.capture.id if draft.capture else None,
        revision=draft.revision,
        url=final_url,
        guid=str(hints.get("guid") or ""),
        media_type=reading.media_type,
        subjects=(subject,) if subject else (),
        attributes=_attributes(reading, hints),
        origins=origins,
        notes={"method": reading.method, "confidence": reading.confidence},
        **values,
    )


def _attributes(reading: Reading, hints: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the attributes of the page over those of the source."""
    subtitle = {"subtitle": hints["subtitle"]} if hints.get("subtitle") else {}
    return {**hints.get("attributes", {}), **subtitle, **reading.attributes}


def needs_browser(reason: str, draft: Draft) -> bool:
    """True when a browser may find text that a plain fetch did not. A rendered page is not rendered again."""
    capture = draft.capture
    return (
        reason in BROWSER_REASONS
        and draft.lead.lead.body is None
        and capture is not None
        and "rendered" not in capture.policy
    )


def _has_only_the_day(page: datetime | None, source: datetime | None) -> bool:
    """True when the page has a date without a time, and the source a time on about that day."""
    if page is None or source is None or page.time() != time():
        return False
    return abs(page - source) < DAY_ANYWHERE


def outcome_of_unreadable(unreadable: Unreadable) -> Drop | SetAside:
    """Returns the outcome for a page without text."""
    evidence = {"detail": unreadable.detail} if unreadable.detail else {}
    if unreadable.reason in FINAL_REASONS:
        return Drop(unreadable.reason, evidence=evidence)
    return SetAside(unreadable.reason, evidence)
