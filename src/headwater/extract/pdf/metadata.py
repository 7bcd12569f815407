"""The document properties, form fields and links of a PDF."""

import ctypes
import re
from collections.abc import Iterator
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from headwater.text.dates import parse_pdf_date
from headwater.text.letters import to_one_line

# What programs write when the author states nothing.
_PLACEHOLDER = re.compile(
    r"\W*(?:untitled|anonymous|unspecified|unknown|title|author|microsoft word ?-?.*|.*\.(?:docx?|indd|qxd|pdf|tex))?\W*\Z",
    re.IGNORECASE,
)
_MOST_WIDGETS = 2_000
_MOST_OPTIONS = 200
_MOST_LINKS = 1_000
_LONGEST = 20_000
_REQUIRED = 2
_KINDS = {
    pdfium.FPDF_FORMFIELD_PUSHBUTTON: "button",
    pdfium.FPDF_FORMFIELD_CHECKBOX: "checkbox",
    pdfium.FPDF_FORMFIELD_RADIOBUTTON: "radio",
    pdfium.FPDF_FORMFIELD_COMBOBOX: "select",
    pdfium.FPDF_FORMFIELD_LISTBOX: "select",
    pdfium.FPDF_FORMFIELD_TEXTFIELD: "text",
    pdfium.FPDF_FORMFIELD_SIGNATURE: "signature",
}


def pdf_metadata(document: pypdfium2.PdfDocument) -> dict[str, Any]:
    properties = {name: to_one_line(value) for name, value in document.get_metadata_dict().items()}
    author = _unless_placeholder(properties.get("Author", ""))
    words = re.split(r"[,;]", _unless_placeholder(properties.get("Keywords", "")))
    return {
        "title": _unless_placeholder(properties.get("Title", "")),
        "authors": (author,) if author else (),
        "description": _unless_placeholder(properties.get("Subject", "")),
        "keywords": tuple(word for part in words if (word := part.strip())),
        "published": parse_pdf_date(properties.get("CreationDate", "")),
        "modified": parse_pdf_date(properties.get("ModDate", "")),
    }


def _unless_placeholder(text: str) -> str:
    return "" if _PLACEHOLDER.match(text) else text


def form_fields(document: pypdfium2.PdfDocument, pages: int) -> list[dict[str, Any]]:
    """The form fields: name, type, label, value, whether required, options."""
    if not document.get_formtype():
        return []
    document.init_forms()
    if document.formenv is None:
        return []
    fields: dict[str, dict[str, Any]] = {}
    for number in range(pages):
        if len(fields) >= _MOST_WIDGETS:
            break
        page = document[number]
        for field in _widgets(document.formenv.raw, page.raw):
            form_field = fields.setdefault(field["name"], {**field, "page": number + 1})
            form_field["value"] = form_field["value"] or field["value"]
        page.close()
    return list(fields.values())


def _widgets(form: ctypes.c_void_p, page: ctypes.c_void_p) -> Iterator[dict[str, Any]]:
    for number in range(min(pdfium.FPDFPage_GetAnnotCount(page), _MOST_WIDGETS)):
        note = pdfium.FPDFPage_GetAnnot(page, number)
        if not note:
            continue
        if pdfium.FPDFAnnot_GetSubtype(note) == pdfium.FPDF_ANNOT_WIDGET:
            kind = _KINDS.get(pdfium.FPDFAnnot_GetFormFieldType(form, note))
            if kind and kind != "button":
                yield _field(form, note, kind)
        pdfium.FPDFPage_CloseAnnot(note)


def _field(form: ctypes.c_void_p, note: ctypes.c_void_p, kind: str) -> dict[str, Any]:
    field: dict[str, Any] = {
        "name": _string(pdfium.FPDFAnnot_GetFormFieldName, form, note),
        "type": kind,
        "label": _string(pdfium.FPDFAnnot_GetFormFieldAlternateName, form, note),
        "value": _string(pdfium.FPDFAnnot_GetFormFieldValue, form, note),
        "required": bool(pdfium.FPDFAnnot_GetFormFieldFlags(form, note) & _REQUIRED),
    }
    if kind == "select":
        count = min(pdfium.FPDFAnnot_GetOptionCount(form, note), _MOST_OPTIONS)
        field["options"] = [
            _string(pdfium.FPDFAnnot_GetOptionLabel, form, note, number) for number in range(max(0, count))
        ]
    return field


def _string(ask: Any, *of: Any) -> str:
    """A string of PDFium: the first call returns its length, the second fills a buffer."""
    length = min(ask(*of, None, 0), _LONGEST)
    if length <= 2:
        return ""
    buffer = (ctypes.c_ushort * (length // 2 + 1))()
    ask(*of, buffer, length)
    return to_one_line(bytes(buffer)[: length - 2].decode("utf-16-le", "replace"))


def links_of(document: pypdfium2.PdfDocument, page: ctypes.c_void_p) -> list[str]:
    """The web URLs of the links on the page."""
    urls: list[str] = []
    position, link = ctypes.c_int(0), pdfium.FPDF_LINK()
    while len(urls) < _MOST_LINKS and pdfium.FPDFLink_Enumerate(
        page, ctypes.byref(position), ctypes.byref(link)
    ):
        action = pdfium.FPDFLink_GetAction(link)
        if not action or pdfium.FPDFAction_GetType(action) != pdfium.PDFACTION_URI:
            continue
        length = min(pdfium.FPDFAction_GetURIPath(document.raw, action, None, 0), _LONGEST)
        buffer = ctypes.create_string_buffer(max(1, length))
        pdfium.FPDFAction_GetURIPath(document.raw, action, buffer, length)
        url = to_one_line(buffer.value.decode("utf-8", "replace"))
        if url.startswith(("http://", "https://")):
            urls.append(url)
    return urls
