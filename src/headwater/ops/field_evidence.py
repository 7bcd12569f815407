"""Where the value of a field stands: its origin, the capture it was read from, and the place in the captured bytes."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from headwater.app import App
from headwater.model.errors import Refused
from headwater.model.http import Capture
from headwater.text.passages import find_passage

LONGEST_QUOTE = 300
FIELDS = frozenset(
    {
        "title", "text", "authors", "publisher", "published_at", "modified_at", "language", "description", "keywords", "image",
        "canonical_url", "url",
    }
)  # fmt: skip


def explain_field(app: App, document: str, field: str) -> Mapping[str, Any]:
    """The evidence for one field of a document, by its id."""
    row = app.catalogue.document(document)
    if row is None:
        raise Refused("unknown_document", "there is no such document")
    attributes = row["attributes"] or {}
    if field not in FIELDS and field not in attributes:
        raise Refused("unknown_field", f"there is no field '{field}'; there are: {', '.join(sorted(FIELDS))}")
    value = row[field] if field in FIELDS else attributes[field]
    evidence = field_passage(app, row["capture_id"], value)
    return {
        "document": row["id"],
        "revision": row["revision"],
        "field": field,
        "value": value,
        "origin": (row["origins"] or {}).get(field),
        **evidence,
    }


def field_passage(app: App, capture_id: str | None, value: Any) -> dict[str, Any]:
    """The capture and the passage in it where the value stands; None for what is not there."""
    pair = app.provenance.captures([capture_id]).get(capture_id) if capture_id else None
    if pair is None:
        return {"capture": None, "passage": None}
    capture, body = pair
    return {"capture": capture_record(capture), "passage": passage_record(body, value)}


def capture_record(capture: Capture) -> dict[str, Any]:
    return {
        "id": capture.id,
        "url": capture.final_url,
        "sha256": capture.sha256,
        "fetched_at": capture.fetched_at,
        "media_type": capture.media_type,
    }


def passage_record(body: bytes, value: Any) -> dict[str, Any] | None:
    for text in written_forms(value):
        if (place := find_passage(body, text)) is not None:
            start, end = place
            quote = body[start : min(end, start + LONGEST_QUOTE)].decode("utf-8", "replace")
            return {"start": start, "end": end, "quote": quote}
    return None


def written_forms(value: Any) -> Iterator[str]:
    """How a value may be written in a page, the most exact first."""
    if isinstance(value, datetime):
        yield value.isoformat()
        yield value.strftime("%Y-%m-%dT%H:%M:%SZ")
        yield value.strftime("%Y-%m-%dT%H:%M")
        yield value.strftime("%Y-%m-%d")
        yield value.strftime("%a, %d %b %Y")
    elif isinstance(value, list | tuple):
        yield from (str(part) for part in value)
    elif value is not None:
        yield str(value)
