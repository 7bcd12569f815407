"""A feed's entries as leads."""

from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any

from headwater.model.lead import Lead
from headwater.pure.feeds import Entry, Feed, excerpt, is_teaser, plausible
from headwater.pure.feeds.notes import Notes

LONGEST_SUMMARY = 600


def leads_of(feed: Feed, options: Mapping[str, Any], now: datetime, notes: Notes) -> tuple[Lead, ...]:
    """What there is to follow; an entry that neither links anywhere nor carries a body is counted in the notes."""
    leads = []
    for entry in feed.entries:
        lead = lead_of(entry, feed, options, now, notes)
        if lead is None:
            notes("entry_without_link", entry.title or entry.id or "")
        else:
            leads.append(lead)
    return tuple(leads)


def lead_of(entry: Entry, feed: Feed, options: Mapping[str, Any], now: datetime, notes: Notes) -> Lead | None:
    body = _body(entry, options.get("full_text", "auto"))
    link = entry.link if entry.link and entry.link.startswith(("http://", "https://")) else ""
    identity = entry.id or link or entry.title or ""
    if not identity or not (link or body):
        return None
    return Lead(
        identity=identity,
        url=link,
        version=_version(entry),
        title=entry.title,
        published=plausible(entry.published or entry.updated, now, notes),
        body=body,
        body_type="text/html" if entry.content_type != "text" else "text/plain",
        hints=_hints(entry, feed),
    )


def _body(entry: Entry, wish: object) -> str | None:
    """Always, never, or as the entry itself suggests."""
    if wish is False or not entry.content:
        return None
    return entry.content if wish is True or not is_teaser(entry) else None


def _version(entry: Entry) -> str:
    said = (entry.title, entry.content, entry.summary, entry.updated and entry.updated.isoformat())
    return sha256(repr(said).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _hints(entry: Entry, feed: Feed) -> dict[str, Any]:
    """What the feed says about the entry, by the names of a document's fields; nothing empty."""
    said = {
        "guid": entry.id,
        "authors": list(entry.authors),
        "subtitle": entry.subtitle,
        "summary": excerpt(entry.summary, LONGEST_SUMMARY) if entry.summary else None,
        "categories": list(entry.categories),
        "image": entry.image,
        "language": entry.language or feed.language,
        "feed": feed.title,
        "origin": entry.source_title,
    }
    return {name: value for name, value in said.items() if value}
