"""The archived page of a document, in a frame that runs nothing and loads nothing, with the place of a field marked."""

from base64 import b64encode
from dataclasses import dataclass, replace
from hashlib import sha256
from html import escape
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.extract.html.archived_page import ArchivedView, ShowArchivedPage
from headwater.extract.pdf.archived_page import PdfView, ShowPdfPage
from headwater.extract.sandbox.sandboxed import parse_in_sandbox
from headwater.model.api_key import KeyScope
from headwater.model.document import FIELD_PLACES, FROM_SOURCE
from headwater.model.errors import Permanent
from headwater.model.http import Capture
from headwater.model.outcomes import ExtractHints
from headwater.model.recipe import Parse
from headwater.ops.field_evidence import day_forms, field_origin, field_value, whole_forms
from headwater.store.reads.explanation import entry_body
from headwater.text.charset import decode_text
from headwater.text.passages import find_passage
from headwater.web.context import WebContext, context_of
from headwater.web.pages.frame import frame_of
from headwater.web.pages.session import admit_reader
from headwater.web.pages.translations import translate
from headwater.web.rest.documents import find_document

# The note stands above the page and not over it: what it says is about a place that the reader must see.
STYLE = """:root{color-scheme:light dark}html,body{height:100%}body{font:16px/1.6 Charter,Georgia,serif;margin:0;display:flex;flex-direction:column;
background:light-dark(#fff,#1d2125);color:light-dark(#1b1d1f,#e9e7e2);overflow-wrap:anywhere}
.page{flex:1;min-height:0;overflow:auto;padding:0 1.25rem 1rem}.page>*{max-width:46rem}
mark{background:#ffd54a;color:#241a00;outline:3px solid #ffd54a;border-radius:2px;scroll-margin-top:5rem}
.link{text-decoration:underline}.picture{display:inline-block;border:1px dashed #8b8780;padding:.2rem .6rem;font-size:.85em}
.note{font:14px/1.5 system-ui,sans-serif;background:light-dark(#efede8,#0f1214);padding:.6rem .9rem;border-radius:8px;margin:.6rem .75rem;max-height:30%;overflow:auto}
pre{white-space:pre-wrap;font:13px/1.5 ui-monospace,monospace}table{border-collapse:collapse}td,th{border:1px solid #8b8780;padding:.25rem .5rem}
svg{width:100%;height:auto;display:block}.box{fill:#ffc400;fill-opacity:.35;stroke:#b37400;stroke-width:2}"""
STYLE_HASH = b64encode(sha256(STYLE.encode()).digest()).decode()
# Opaque origin, no script, no request: not even for a picture, except the one that we drew ourselves.
FRAME_HEADERS = {
    "Content-Security-Policy": (
        f"sandbox; default-src 'none'; style-src 'sha256-{STYLE_HASH}'; img-src data:; frame-ancestors 'self'"
    ),
    "X-Frame-Options": "SAMEORIGIN",
    "Cache-Control": "private, no-store",
}
AROUND = 1_500
PDF, HTML_TYPES = "application/pdf", ("text/html", "application/xhtml+xml")


@dataclass(frozen=True, slots=True)
class Marked:
    """What the frame shows: its content, where the value stands in words, and whether it was found there. `only_day`: the
    marked words state the day of a time and not the time."""

    body: str
    place: str = ""
    is_evidence: bool = False
    only_day: bool = False


def show_archived(request: Request) -> Response:
    context = context_of(request)
    admit_reader(request, context, KeyScope.READ)
    row = find_document(request, request.path_params["document"])
    field = request.query_params.get("field", "")
    marked = mark_value(context, row, field_value(row, field) if field else None)
    origin = field_origin(row, field) if field else None
    language = frame_of(request).language
    return Response(
        _whole_page(marked, field_label(row, field), language, origin or ""),
        headers=FRAME_HEADERS,
        media_type="text/html; charset=utf-8",
    )


def field_label(row: dict[str, Any], field: str) -> str:
    """What a field is called: a passage by the field that the recipe read from it."""
    first, *rest = field.split(".")
    places = (row["attributes"] or {}).get(FIELD_PLACES) or ()
    if first == FIELD_PLACES and rest and rest[0].isdecimal() and int(rest[0]) < len(places):
        return str(places[int(rest[0])]["field"]).replace("_", " ")
    return field


def mark_value(context: WebContext, row: dict[str, Any], value: Any) -> Marked:
    """The place that states the whole value, even among bytes that a page does not show; else that of its day."""
    marked = read_archived(context, row, tuple(whole_forms(value)))
    if marked.is_evidence or not (days := tuple(day_forms(value))):
        return marked
    day = read_archived(context, row, days)
    return replace(day, only_day=day.is_evidence)


def read_archived(context: WebContext, row: dict[str, Any], texts: tuple[str, ...]) -> Marked:
    """The page, or the entry of the feed; where neither shows the value, the place in the bytes that came over the wire."""
    pair = None
    if row["capture_id"]:
        pair = context.app.provenance.captures([row["capture_id"]]).get(row["capture_id"])
    entry = entry_body(context.app.engine, row["lead_id"])
    views = [_entry_view(entry, texts)] if entry else []
    if pair is not None and not any(view.is_evidence for view in views):
        views.append(_capture_view(*pair, texts))
    best = next((view for view in views if view.is_evidence), None)
    if best is None and pair is not None and (source := _source_view(pair[1], pair[0].media_type, texts)):
        return source
    return best or (views[0] if views else Marked(""))


def _entry_view(entry: str, texts: tuple[str, ...]) -> Marked:
    return _html_view(entry.encode("utf-8", "replace"), "text/html; charset=utf-8", texts)


def _capture_view(capture: Capture, body: bytes, texts: tuple[str, ...]) -> Marked:
    media_type = capture.media_type.partition(";")[0].strip()
    if media_type == PDF:
        return _pdf_view(body, texts)
    if media_type in HTML_TYPES:
        return _html_view(body, capture.media_type, texts)
    return Marked(f"<pre>{escape(decode_text(body, capture.media_type).text[: 20 * AROUND])}</pre>")


def _html_view(body: bytes, media_type: str, texts: tuple[str, ...]) -> Marked:
    try:
        view: ArchivedView = parse_in_sandbox(
            Parse(ShowArchivedPage(texts), body, ExtractHints(media_type=media_type))
        )
    except Permanent as error:
        return Marked(f"<p>{escape(error.reason)}</p>")
    place = f"{view.path} : {view.offset}" if view.path else ""
    return Marked(view.html, place, is_evidence=bool(view.path))


def _pdf_view(body: bytes, texts: tuple[str, ...]) -> Marked:
    try:
        view: PdfView = parse_in_sandbox(Parse(ShowPdfPage(texts), body, ExtractHints(media_type=PDF)))
    except Permanent as error:
        return Marked(f"<p>{escape(error.reason)}</p>")
    picture = b64encode(view.picture).decode()
    width, height = _picture_size(view.picture)
    boxes = "".join(
        f'<rect class="box" x="{left * width:.1f}" y="{top * height:.1f}" width="{wide * width:.1f}" height="{high * height:.1f}"/>'
        for left, top, wide, high in view.boxes
    )
    svg = (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{view.page}/{view.pages}" id="evidence">'
        f'<image href="data:image/png;base64,{picture}" width="{width}" height="{height}"/>{boxes}</svg>'
    )
    place = ""
    if view.boxes:
        left, top, wide, high = view.boxes[0]
        place = f"{view.page}/{view.pages} : {left:.1%} {top:.1%} {wide:.1%} × {high:.1%}"
    return Marked(svg, place, is_evidence=bool(view.boxes))


def _picture_size(picture: bytes) -> tuple[int, int]:
    """From the header of a PNG."""
    return int.from_bytes(picture[16:20], "big"), int.from_bytes(picture[20:24], "big")


def _source_view(body: bytes, media_type: str, texts: tuple[str, ...]) -> Marked | None:
    """The bytes around the place, as text: where a value stands in metadata that a page does not show."""
    for text in texts:
        if (place := find_passage(body, text)) is not None:
            start, end = place
            before, value, after = (
                escape(decode_text(part, media_type).text) if part else ""
                for part in (body[max(0, start - AROUND) : start], body[start:end], body[end : end + AROUND])
            )
            html = f'<pre>{before}<mark id="evidence">{value}</mark>{after}</pre>'
            return Marked(html, f"{start}–{end}", is_evidence=True)
    return None


def _whole_page(marked: Marked, field: str, language: str, origin: str) -> str:
    if not marked.body:
        note = translate(language, "The archive has no page for this document.")
    elif field and not marked.is_evidence:
        note = translate(
            language, "“{field}” does not stand in the archived page as it is; see its origin.", field=field
        )
    elif marked.only_day:
        note = _day_note(marked, field, language, origin)
    elif field:
        note = translate(language, "“{field}” stands here: {place}", field=field, place=marked.place)
    else:
        note = translate(language, "As it was captured. Nothing in it runs or loads.")
    title = escape(translate(language, "Archived page"))
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>{title}</title><style>{STYLE}</style></head>'
        f'<body><p class="note" tabindex="0">{escape(note)}</p><div class="page" tabindex="0">{marked.body}</div></body></html>'
    )


def _day_note(marked: Marked, field: str, language: str, origin: str) -> str:
    note = translate(
        language,
        "Of “{field}”, only the day stands here, not the time: {place}",
        field=field,
        place=marked.place,
    )
    if not origin:
        return note
    if origin == FROM_SOURCE:
        return f"{note}. {translate(language, 'The time comes from the entry of the source, for example in its feed.')}"
    return f"{note}. {translate(language, 'Origin of the whole value: {origin}', origin=origin)}"


ARCHIVED_ROUTE = Route("/documents/{document}/source", show_archived, methods=["GET"])
