"""Why an item is missing: what became of an address, or of an item with these words in its title; and what polls noted of
an entry that they refused."""

from typing import Any

from sqlalchemy import Engine
from starlette.requests import Request

from headwater.model.jobs import State
from headwater.store.reads.explanation import explain
from headwater.store.reads.lead_lookup import (
    MOST_ROWS,
    leads_with_words,
    listed_lead,
    poll_notes_with_words,
    sources_of_host,
)
from headwater.store.rows import Record
from headwater.text.urls import host_of
from headwater.web.context import WebContext
from headwater.web.pages.forms import Action
from headwater.web.pages.page import Page

MOST_WORDS = 12
# What the state of a document, or of a lead without one, means for who misses it.
MEANINGS = {
    "kept": "It is here: it was kept.",
    "duplicate": "It is a copy of another document, which was kept.",
    "dropped": "It was dropped, for this reason.",
    "aside": "It was stored, but not passed on, for this reason.",
    "quarantined": "It could not be processed and is quarantined, for this reason.",
    "waiting": "It waits to be processed.",
    "done": "Its page was fetched; it waits to be processed.",
}

LISTED_BEFORE = "Its address was known already: another source had listed it."


def load_missing(request: Request, context: WebContext) -> dict[str, Any]:
    text, item = (request.query_params.get(name, "").strip() for name in ("q", "item"))
    engine = context.app.engine
    history = explain(engine, item or text) if item or text else None
    items = _matching_items(engine, text) if text and not history else []
    host = host_of(text) if text.startswith(("http://", "https://")) else ""
    return {
        "q": text,
        "fate": describe_fate(history, listed_lead(engine, item) if item else None) if history else None,
        "is_from_list": bool(item and text),
        "items": items[:MOST_ROWS],
        "has_more": len(items) > MOST_ROWS,
        "notes": poll_notes_with_words(engine, text.split()[:MOST_WORDS]) if text and not history else [],
        "sources": sources_of_host(engine, host) if host and not history else [],
    }


def _matching_items(engine: Engine, text: str) -> list[Record]:
    """Those that readers cannot find come first."""
    rows = leads_with_words(engine, text.split()[:MOST_WORDS])
    return sorted(rows, key=lambda row: row["state"] == State.KEPT)


def describe_fate(history: Record, listed: Record | None = None) -> dict[str, Any]:
    """The end of an item in a few words, with what leads further. `listed` is the item that a reader chose: it may be another one
    than that which led to the document."""
    fate = _document_fate(history)
    if listed is None or listed["id"] == history["lead"]["id"]:
        return fate
    return fate | {
        "state": State.DUPLICATE.value,
        "meaning": LISTED_BEFORE,
        "reason": listed["lead_reason"] or "",
        "detail": "",
        "title": listed["lead_title"] or fate["title"],
        "url": listed["url"],
        "first_seen_at": listed["first_seen_at"],
        "source": {"id": listed["source_id"], "name": listed["source"]},
        "known_from": {
            **(fate["source"] or {}),
            "first_seen_at": fate["first_seen_at"],
            "state": fate["state"],
        },
        "trail": [],
    }


def _document_fate(history: Record) -> dict[str, Any]:
    document, lead, source = history["document"], history["lead"], history["source"]
    state = document["state"] if document else lead["state"]
    return {
        "state": state,
        "meaning": MEANINGS.get(state, ""),
        "reason": (document["reason"] if document else lead["reason"]) or "",
        "detail": (document["detail"] if document else "") or "",
        "title": (document["title"] if document else "") or lead["title"] or lead["url"],
        "url": lead["url"],
        "document": document["id"] if document else None,
        "duplicate_of": document["duplicate_of"] if document else None,
        "quarantined": [row["record_id"] for row in history["quarantine"]],
        "first_seen_at": lead["first_seen_at"],
        "source": {"id": source["id"], "name": source["name"]} if source else None,
        "trail": (document["trail"] or []) if document else [],
        "page": document["page"] if document else "",
        "page_reason": lead["page_reason"] or "",
        "known_from": None,
    }


PAGES = (
    Page(
        path="/operate/missing",
        template="operator/missing.html",
        load=load_missing,
        parameters=frozenset({"q", "item"}),
    ),
)
ACTIONS: tuple[Action, ...] = ()
