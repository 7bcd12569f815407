"""A document: its text beside the archived page, the origin of every field, how it was processed, and its copies."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from starlette.requests import Request

from headwater.extract.html.fragment import read_fragment
from headwater.extract.reader import read_any
from headwater.extract.sandbox.sandboxed import Sandboxed
from headwater.model.document import FIELD_PLACES
from headwater.model.errors import Permanent, Refused
from headwater.model.outcomes import ExtractHints, Reading
from headwater.ops.field_evidence import field_origin
from headwater.store.reads.explanation import entry_body, explain
from headwater.store.reads.record_lists import DOCUMENTS, SUBJECTS, find_row
from headwater.store.schema.flow import documents
from headwater.store.schema.knowledge import subjects
from headwater.web.context import WebContext
from headwater.web.pages.analyst.marked_text import aligned_rows
from headwater.web.pages.page import Page
from headwater.web.rest.documents import find_document

# In the order of the page.
FIELDS = (
    "title", "authors", "publisher", "published_at", "modified_at", "language", "description", "keywords", "canonical_url",
)  # fmt: skip
# Attributes that describe the reading, not the document.
INTERNAL = frozenset(
    {"charset", "charset_origin", "headings", "geo_entities", "links", "images", FIELD_PLACES}
)
MOST_ATTRIBUTES, LONGEST_VALUE, DEEPEST = 60, 600, 5


def load_document(request: Request, context: WebContext) -> dict[str, Any]:
    row = find_document(request, request.path_params["document"])
    history = explain(context.app.engine, row["id"]) or {}
    edges = history.get("edges", [])
    return {
        "document": {name: row[name] for name in DOCUMENTS.shown} | {"text": row["text"]},
        "source": _chosen(history.get("source"), ("id", "name", "url", "kind")),
        "paragraphs": paragraphs(row["text"]),
        "fields": field_records(row),
        "places": place_records(row["attributes"] or {}),
        "attributes": with_names(
            attribute_records(unexplained(row["attributes"] or {})), subject_names(context, row)
        ),
        "most_attributes": MOST_ATTRIBUTES,
        "trail": trail_records(row["trail"] or []),
        "stories": history.get("stories", []),
        "captures": [
            _chosen(capture, ("id", "url", "status", "media_type", "size", "fetched_at", "policy"))
            for capture in history.get("captures", [])
        ],
        "page_failure": page_failure(history.get("lead")),
        "revisions": len(history.get("revisions", [])),
        "original": row["duplicate_of"],
        "copies": copy_records(context, edges, row["id"]),
        "quarantine": [
            _chosen(item, ("record_id", "task", "reason", "detail", "state"))
            for item in history.get("quarantine", [])
        ],
    }


def _chosen(record: Mapping[str, Any] | None, names: Sequence[str]) -> dict[str, Any]:
    return {name: record.get(name) for name in names} if record else {}


def page_failure(lead: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The last attempt to fetch the page, if it brought nothing: it has no capture."""
    if not lead or not lead["page_reason"]:
        return None
    return {"url": lead["url"], "reason": lead["page_reason"], "at": lead["updated_at"]}


def paragraphs(text: str) -> list[dict[str, Any]]:
    """The text in blocks with their lines; `kind` is heading, quote, list or text, by the first characters of the block."""
    marks = {"#": "heading", ">": "quote", "- ": "list", "* ": "list"}
    blocks = []
    for part in text.split("\n\n"):
        if block := part.strip():
            kind = next((name for mark, name in marks.items() if block.startswith(mark)), "text")
            lines = plain_lines(block)
            blocks.append({"kind": kind, "lines": lines})
    return blocks


def plain_lines(text: str) -> list[str]:
    """The lines without the marks of headings, quotes, lists, emphasis and links."""
    return [without_markup(line).lstrip("#>-* ") for line in text.splitlines() if line.strip()]


def without_markup(line: str) -> str:
    """A line without the marks of emphasis, and with the words of links instead of their addresses."""
    text = line.replace("**", "")
    parts: list[str] = []
    position = 0
    while (middle := text.find("](", position)) >= 0 and (end := text.find(")", middle)) >= 0:
        start = text.rfind("[", position, middle)
        if start < 0:
            parts.append(text[position : middle + 2])
            position = middle + 2
            continue
        parts += [text[position:start], text[start + 1 : middle]]
        position = end + 1
    return "".join(parts) + text[position:]


def field_records(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {"name": name, "value": row[name], "origin": field_origin(row, name)}
        for name in FIELDS
        if row[name] not in (None, "", [], ())
    ]


def place_records(attributes: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The fields that the recipe explains, each once, with the passages it was read from. `name` leads to a passage in the
    archived page; `by` is rule or model."""
    records: dict[str, dict[str, Any]] = {}
    for number, entry in enumerate(attributes.get(FIELD_PLACES) or ()):
        name = str(entry["field"])
        record = records.setdefault(
            name,
            {
                "label": name.replace("_", " "),
                "value": entry.get("value", ""),
                "by": entry["by"],
                "passages": [],
            },
        )
        record["passages"].append(
            {
                "name": f"{FIELD_PLACES}.{number}.passage",
                "text": entry["passage"],
                "place": entry["place"],
            }
        )
    return list(records.values())


def unexplained(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes whose values are not shown with their places already."""
    explained = {entry.get("attribute") for entry in attributes.get(FIELD_PLACES) or ()}
    return {name: value for name, value in attributes.items() if name not in explained}


def attribute_records(value: Any, path: str = "", depth: int = 0) -> Iterator[dict[str, Any]]:
    """The values that a recipe read, each with a name that leads to its evidence."""
    count = 0
    for name, item in _items(value):
        if not path and name in INTERNAL:
            continue
        place = f"{path}.{name}" if path else str(name)
        records: Iterator[dict[str, Any]] = iter(())
        if isinstance(item, Mapping | list):
            records = attribute_records(item, place, depth + 1) if depth < DEEPEST else iter(())
        elif item not in (None, "", False):
            record = {"name": place, "label": attribute_label(place), "value": str(item)[:LONGEST_VALUE]}
            records = iter([record])
        for record in records:
            yield record
            count += 1
            if count >= MOST_ATTRIBUTES:
                return


def subject_names(context: WebContext, row: Mapping[str, Any]) -> dict[str, str]:
    """The names of what the document is about, by id."""
    rows = (find_row(context.app.engine, SUBJECTS, subjects.c.id == item) for item in row["subjects"] or ())
    return {subject["id"]: subject["name"] for subject in rows if subject}


def with_names(records: Iterator[Mapping[str, Any]], names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Values that are ids of subjects, by their names."""
    return [{**record, "value": names.get(record["value"], record["value"])} for record in records]


def attribute_label(place: str) -> str:
    """The way to a value in words; lists count from one."""
    parts = [str(int(part) + 1) if part.isdecimal() else part.replace("_", " ") for part in place.split(".")]
    return " › ".join(parts)


def _items(value: Any) -> Iterator[tuple[Any, Any]]:
    return iter(value.items()) if isinstance(value, Mapping) else iter(enumerate(value))


def trail_records(trail: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "step": entry.get("step", ""),
            "version": entry.get("version", ""),
            "changed": list(entry.get("changed") or ()),
            "notes": [
                {"name": name, "value": value}
                for name, value in (entry.get("notes") or {}).items()
                if value not in (None, "", [], {})
            ],
        }
        for entry in trail
    ]


def copy_records(
    context: WebContext, edges: Sequence[Mapping[str, Any]], document: str
) -> list[dict[str, Any]]:
    """The documents that were recognised as copies of this one."""
    records = []
    for edge in edges:
        if edge["to_id"] == document and edge["relation"] == "duplicate":
            row = find_row(context.app.engine, DOCUMENTS, documents.c.id == edge["from_id"])
            if row is not None:
                records.append(
                    _chosen(row, ("id", "title", "publisher", "published_at")) | {"rule": edge["rule"]}
                )
    return records


def load_comparison(request: Request, context: WebContext) -> dict[str, Any]:
    """Why a document is a copy: the rule and its figures, and both texts side by side."""
    row = find_document(request, request.path_params["document"])
    original_id = row["duplicate_of"]
    original = find_row(context.app.engine, DOCUMENTS, documents.c.id == original_id) if original_id else None
    if original is None:
        raise Refused("unknown_original", "this document is not a copy of another one that is still stored")
    history = explain(context.app.engine, row["id"]) or {}
    edge: Mapping[str, Any] = next(
        (edge for edge in history.get("edges", []) if edge["from_id"] == row["id"]), {}
    )
    evidence = edge.get("evidence") or {}
    texts = ["\n".join(plain_lines(document_text(context, item))) for item in (original, row)]
    return {
        "original": _chosen(original, ("id", "title", "url", "publisher", "published_at")),
        "copy": _chosen(row, ("id", "title", "url", "publisher", "published_at", "reason")),
        "rule": edge.get("rule", ""),
        "score": edge.get("score"),
        "evidence": [
            {"name": name, "value": str(value)[:LONGEST_VALUE]}
            for name, value in evidence.items()
            if value not in (None, "", [], {}) and name != "passages"
        ],
        "rows": aligned_rows(*texts),
        "has_texts": all(texts),
    }


def document_text(context: WebContext, row: Mapping[str, Any]) -> str:
    """The stored text. A copy has none: it is read again from its entry or its captured page."""
    if row["text"]:
        return str(row["text"])
    entry = entry_body(context.app.engine, row["lead_id"])
    if entry:
        return _read_text(read_fragment, entry.encode("utf-8", "replace"), "text/html")
    pair = context.app.provenance.captures([row["capture_id"]]).get(row["capture_id"] or "")
    return _read_text(read_any, pair[1], pair[0].media_type) if pair else ""


def _read_text(extract: Any, body: bytes, media_type: str) -> str:
    try:
        reading = Sandboxed(extract)(body, ExtractHints(media_type=media_type))
    except Permanent:
        return ""
    return reading.text if isinstance(reading, Reading) else ""


DOCUMENT_PAGE = Page(path="/documents/{document}", template="analyst/document.html", load=load_document)
COMPARISON_PAGE = Page(
    path="/documents/{document}/original", template="analyst/comparison.html", load=load_comparison
)
