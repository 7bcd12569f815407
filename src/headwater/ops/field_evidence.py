"""Where the value of a field stands: its origin, the capture it was read from, and the place in the captured bytes."""

from collections.abc import Iterator, Mapping
from datetime import datetime, time
from typing import Any

from headwater.app import App
from headwater.model.errors import Refused
from headwater.model.http import Capture
from headwater.text.passages import find_passage

LONGEST_QUOTE = 300
ENGLISH_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
SPANISH_MONTHS = (
    "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre",
)  # fmt: skip
FIELDS = frozenset(
    {
        "title", "text", "authors", "publisher", "published_at", "modified_at", "language", "description", "keywords", "image",
        "canonical_url", "url",
    }
)  # fmt: skip


# Fields whose origin is recorded under the name that readers of pages use.
RECORDED_NAMES = {"published_at": "published", "modified_at": "modified"}


def explain_field(app: App, document: str, field: str) -> Mapping[str, Any]:
    """The evidence for one field of a document, by its id."""
    row = app.catalogue.document(document)
    if row is None:
        raise Refused("unknown_document", "there is no such document")
    value = field_value(row, field)
    evidence = field_passage(app, row["capture_id"], value)
    return {
        "document": row["id"],
        "revision": row["revision"],
        "field": field,
        "value": value,
        "origin": field_origin(row, field),
        **evidence,
    }


def field_value(row: Mapping[str, Any], field: str) -> Any:
    """The value of a field of a document, or of its attributes; dots lead into a record, numbers into a list."""
    if field in FIELDS:
        return row[field]
    value: Any = row["attributes"] or {}
    for name in (field,) if field in value else field.split("."):
        if isinstance(value, Mapping) and name in value:
            value = value[name]
        elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        else:
            names = ", ".join(sorted({*FIELDS, *(row["attributes"] or ())}))
            raise Refused("unknown_field", f"there is no field '{field[:100]}'; there are: {names}")
    return value


def field_origin(row: Mapping[str, Any], field: str) -> str | None:
    origins: Mapping[str, str] = row["origins"] or {}
    return origins.get(field) or origins.get(RECORDED_NAMES.get(field, field))


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
    yield from whole_forms(value)
    yield from day_forms(value)


def whole_forms(value: Any) -> Iterator[str]:
    """Those that state the whole value."""
    if isinstance(value, datetime):
        yield value.isoformat()
        yield value.strftime("%Y-%m-%dT%H:%M:%SZ")
        yield value.strftime("%Y-%m-%dT%H:%M")
        if not has_time(value):
            yield from day_forms(value)
    elif isinstance(value, list | tuple):
        yield from (str(part) for part in value)
    elif value is not None:
        yield str(value)


def has_time(value: datetime) -> bool:
    """A date without a time is stored as midnight."""
    return value.time() != time()


def day_forms(value: Any) -> Iterator[str]:
    """Those that state the day of a time, and nothing else."""
    if isinstance(value, datetime):
        yield value.strftime("%Y-%m-%d")
        yield value.strftime("%a, %d %b %Y")
        yield from _written_days(value)


def _written_days(value: datetime) -> Iterator[str]:
    """A day as people write it, in English and Spanish."""
    day, year = value.day, value.year
    english, spanish = ENGLISH_MONTHS[value.month - 1], SPANISH_MONTHS[value.month - 1]
    yield f"{day} {english} {year}"
    yield f"{english} {day}, {year}"
    yield f"{day} {english[:3]} {year}"
    yield f"{english[:3]} {day}, {year}"
    yield f"{day} de {spanish} de {year}"
    yield value.strftime("%d/%m/%Y")
    yield value.strftime("%d.%m.%Y")
