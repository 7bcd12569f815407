"""Where a procedure came from: the extracted text with the span of every field, and the last two raw versions of the page."""

from collections.abc import Mapping
from typing import Any

from headwater.fetch.responses import header_value
from headwater.model.document import Document
from headwater.model.http import Capture
from headwater.text.words import count_words
from headwater_recipes.procedures.knowledge_base.layout import (
    KnowledgeBaseLayout,
    read_json,
    stable_json,
    write_if_changed,
)

TYPES = {
    "text/html": "html",
    "application/pdf": "pdf",
    "application/xml": "boe_xml",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.oasis.opendocument.text": "odt",
}
ENDINGS = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "application/pdf": ".pdf",
    "application/xml": ".xml",
    "text/xml": ".xml",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.oasis.opendocument.text": ".odt",
    "application/rtf": ".rtf",
    "text/plain": ".txt",
}
META_ENDING = ".meta.json"
OMITTED_HEADERS = frozenset({"set-cookie", "set-cookie2", "authorization", "www-authenticate"})


def extracted_record(document: Document, procedure: Mapping[str, Any], extracted_at: str) -> dict[str, Any]:
    """The text, headings, tables and links of a page, with the span of every field in the text."""
    from headwater_recipes.procedures.sections.parts import lines_of  # noqa: PLC0415 - only deliveries need its rules

    attributes = document.attributes
    lines = list(lines_of(document.text))
    forms = attributes.get("forms") or attributes.get("form_fields") or []
    recognised = procedure.get("recognised", [])
    return {
        "source_url": procedure["document"]["source_url"],
        "document_type": _type(document, forms),
        "title": document.title,
        "extracted_at": extracted_at,
        "extracted_text": document.text,
        "headings": [line.text for line in lines if line.kind == "heading"],
        "tables": _tables(document.text),
        "links": [{"text": link.text, "url": link.url} for line in lines for link in line.links],
        "form_fields": forms,
        "spans": procedure.get("spans", {}),
        "placed_by": procedure.get("placed_by", {}),
        "places": procedure.get("places", {}),
        "metadata": {
            "word_count": count_words(document.text),
            "language_detected": document.language,
            "has_text_layer": not attributes.get("requires_ocr", False),
            "page_count": attributes.get("pages"),
            "extraction_tool": document.trail[0].version if document.trail else "",
            "encoding_issues": _step_notes(document, "check-encoding").get("mojibake", 0),
            "quality_score": document.quality,
            "headings_found": sum(line.kind == "heading" for line in lines),
            "sections_recognized": recognised,
            "tables_extracted": len(_tables(document.text)),
            "forms_found": len(forms),
            "partial": bool(attributes.get("truncated", False)),
            "requires_ocr": bool(attributes.get("requires_ocr", False)),
            "requires_js_rendering": False,
        },
    }


def _type(document: Document, forms: Any) -> str:
    kind = TYPES.get(document.media_type, document.media_type.partition("/")[2] or "html")
    return (
        f"form_{kind}"
        if forms and kind in {"html", "pdf"} and not document.attributes.get("procedures")
        else kind
    )


def _tables(text: str) -> list[dict[str, str]]:
    """Tables as Markdown, each with the heading above it."""
    tables: list[dict[str, str]] = []
    caption, rows = "", []
    for line in [*text.split("\n"), ""]:
        if line.startswith("|"):
            rows.append(line)
            continue
        if rows:
            tables.append({"caption": caption, "markdown": "\n".join(rows)})
            rows = []
        if line.startswith("#"):
            caption = line.lstrip("# ")
    return tables


def _step_notes(document: Document, step: str) -> Mapping[str, Any]:
    return next((entry.notes for entry in document.trail if entry.step == step), {})


def keep_raw(layout: KnowledgeBaseLayout, capture: Capture, body: bytes) -> None:
    """Write `{hash}.html` and `{hash}.meta.json`, and keep the version before as `{hash}.previous.…`. The meta file is
    written last, because it names the current body."""
    ending = ENDINGS.get(capture.media_type, ".bin")
    meta_path = layout.raw(capture.final_url, META_ENDING)
    current = read_json(meta_path)
    if current and current.get("sha256") == capture.sha256:
        return
    if current:
        _keep_previous(layout, capture.final_url, current)
    write_if_changed(layout.raw(capture.final_url, ending), body)
    write_if_changed(meta_path, stable_json(_meta(capture, ending)))


def _keep_previous(layout: KnowledgeBaseLayout, url: str, meta: dict[str, str]) -> None:
    ending = str(meta.get("ending", ".html"))
    body = layout.raw(url, ending)
    if body.is_file():
        write_if_changed(layout.raw(url, f".previous{ending}"), body.read_bytes())
        write_if_changed(layout.raw(url, f".previous{META_ENDING}"), stable_json(meta))


def _meta(capture: Capture, ending: str) -> dict[str, object]:
    return {
        "url": capture.url,
        "final_url": capture.final_url,
        "status": capture.status,
        "headers": {
            name: value for name, value in capture.headers.items() if name.lower() not in OMITTED_HEADERS
        },
        "etag": header_value(capture.headers, "etag"),
        "last_modified": header_value(capture.headers, "last-modified"),
        "media_type": capture.media_type,
        "sha256": capture.sha256,
        "size": capture.size,
        "fetched_at": capture.fetched_at.isoformat(),
        "ending": ending,
    }
