"""PDF to a Reading."""

import ctypes
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from headwater.extract.blocks import Block, ListItem, Paragraph, reading_from_blocks
from headwater.extract.pdf import ocr
from headwater.extract.pdf.geometry import PageFrame, TextLine, TextPiece
from headwater.extract.pdf.margins import running_heads, without_margins
from headwater.extract.pdf.metadata import form_fields, links_of, pdf_metadata
from headwater.extract.pdf.paragraphs import to_blocks
from headwater.extract.pdf.reading_order import reading_order
from headwater.extract.pdf.ruled_tables import edges_of, grids_of, tables_of
from headwater.extract.pdf.text_layer import page_text, pieces_of, words_of
from headwater.model.outcomes import ExtractHints, Reading, Unreadable
from headwater.text.sniffing import PDF

LARGEST = 200_000_000
MOST_PAGES = 2_000
MOST_TEXT = 20_000_000
MOST_RUNNING = 12
_FEWEST_CHARACTERS = 20  # a page with less is a picture, if there is one on it
_FEWEST_EDGES = 4
_WORDS = re.compile(r"\S")
# Only one thread at a time may use PDFium.
_PDFIUM_LOCK = threading.RLock()


@dataclass(frozen=True, slots=True, kw_only=True)
class PdfReader:
    """An extractor. Scanned pages are recognised with Tesseract where it is installed and `recognises` is true. Otherwise
    `attributes["requires_ocr"]` lists them, and a document of nothing else is "requires_ocr". `languages` are names of
    Tesseract joined by "+"; none means all that are installed."""

    recognises: bool = True
    languages: str = ""
    seconds_per_page: float = 20.0

    def __call__(self, data: bytes, hints: ExtractHints) -> Reading | Unreadable:
        del hints
        if len(data) > LARGEST:
            return Unreadable("too_large", f"{len(data)} bytes; at most {LARGEST} are read")
        with _PDFIUM_LOCK:
            try:
                document = pypdfium2.PdfDocument(data)
            except pypdfium2.PdfiumError as error:
                return _refusal(error)
            with document:
                return self._read(document)

    def _read(self, document: pypdfium2.PdfDocument) -> Reading | Unreadable:
        count = len(document)
        if not count:
            return Unreadable("malformed", "it has no pages")
        pages: list[PdfPage] = []
        size = 0
        for number in range(min(count, MOST_PAGES)):
            page = read_page(document, number)
            pages.append(self._recognise(document, page) if page.is_picture else page)
            size += page.characters
            if size > MOST_TEXT:
                break
        return _compose(document, pages, count)

    def _recognise(self, document: pypdfium2.PdfDocument, page: "PdfPage") -> "PdfPage":
        if not self.recognises:
            return page
        with open_page(document, page.number) as handle:
            text = ocr.recognise(handle, self.languages, self.seconds_per_page) if handle else ""
        return replace(page, ocr_text=text) if text.strip() else page


@dataclass(frozen=True, slots=True, kw_only=True)
class PdfPage:
    number: int
    height: float = 0.0
    characters: int = 0
    pieces: tuple[TextPiece, ...] = ()
    links: tuple[str, ...] = ()
    has_images: bool = False
    is_damaged: bool = False
    ocr_text: str = ""

    @property
    def is_picture(self) -> bool:
        return self.has_images and self.characters <= _FEWEST_CHARACTERS


@contextmanager
def open_page(document: pypdfium2.PdfDocument, number: int) -> Iterator[pypdfium2.PdfPage | None]:
    """The page; None when it cannot be loaded."""
    try:
        page = document[number]
    except pypdfium2.PdfiumError:
        yield None
        return
    try:
        yield page
    finally:
        page.close()


def read_page(document: pypdfium2.PdfDocument, number: int) -> PdfPage:
    with open_page(document, number) as page:
        if page is None:
            return PdfPage(number=number, is_damaged=True)
        handle = pdfium.FPDFText_LoadPage(page.raw)
        if not handle:
            return PdfPage(number=number, is_damaged=True)
        try:
            return _measure(document, page, handle, number)
        finally:
            pdfium.FPDFText_ClosePage(handle)


def _measure(
    document: pypdfium2.PdfDocument, page: pypdfium2.PdfPage, handle: ctypes.c_void_p, number: int
) -> PdfPage:
    left, bottom, right, top = page.get_cropbox()
    frame = PageFrame(left, bottom, right, top, page.get_rotation())
    text = page_text(handle)
    words = words_of(handle, text, frame)
    paths, images = _count_objects(page.raw)
    tables: list[TextPiece] = []
    if paths >= 1 and words:
        edges = edges_of(page.raw, frame)
        if len(edges) >= _FEWEST_EDGES:
            tables, words = tables_of(grids_of(edges), words)
    characters = len(_WORDS.findall(text))
    return PdfPage(
        number=number,
        height=frame.height,
        characters=characters,
        pieces=(*tables, *pieces_of(words, handle)),
        links=tuple(links_of(document, page.raw)),
        has_images=images > 0,
    )


def _count_objects(page: ctypes.c_void_p) -> tuple[int, int]:
    """The number of paths and of images (or form objects, which may contain images) on the page."""
    paths = images = 0
    for number in range(min(pdfium.FPDFPage_CountObjects(page), 50_000)):
        kind = pdfium.FPDFPageObj_GetType(pdfium.FPDFPage_GetObject(page, number))
        if kind == pdfium.FPDF_PAGEOBJ_PATH:
            paths += 1
        elif kind in {pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_FORM}:
            images += 1
    return paths, images


def _compose(document: pypdfium2.PdfDocument, pages: list[PdfPage], count: int) -> Reading | Unreadable:
    scanned = [page.number + 1 for page in pages if page.is_picture and not page.ocr_text]
    damaged = [page.number + 1 for page in pages if page.is_damaged]
    fields = form_fields(document, len(pages))
    blocks = [*_blocks(pages), *_filled_fields(fields)]
    links = tuple(dict.fromkeys(link for page in pages for link in page.links))
    reading = reading_from_blocks(
        blocks,
        media_type=PDF,
        method="pdf",
        about={**pdf_metadata(document), "links": links},
        attributes=_attributes(pages, count, scanned, damaged, fields),
    )
    if isinstance(reading, Unreadable):
        if scanned:
            return Unreadable("requires_ocr", f"{len(scanned)} pages are pictures")
        return (
            Unreadable("malformed", "its pages cannot be opened") if len(damaged) == len(pages) else reading
        )
    readable = sum(page.characters > 0 or bool(page.ocr_text) for page in pages)
    return replace(reading, confidence=round(readable / len(pages), 3))


def _attributes(
    pages: list[PdfPage], count: int, scanned: list[int], damaged: list[int], fields: list[dict[str, Any]]
) -> dict[str, Any]:
    attributes: dict[str, Any] = {"pages": count}
    recognised = [page.number + 1 for page in pages if page.ocr_text]
    partial = damaged or len(pages) < count
    optional = {
        "requires_ocr": scanned,
        "recognised": recognised,
        "damaged": damaged,
        "form_fields": fields,
        "partial": bool(partial),
        "running": running_heads([(page.pieces, page.height) for page in pages])[:MOST_RUNNING],
    }
    return {**attributes, **{name: value for name, value in optional.items() if value}}


def _blocks(pages: list[PdfPage]) -> list[Block]:
    """The blocks of all pages together, since paragraphs continue over pages; a recognised page stands by itself."""
    bodies = without_margins([(page.pieces, page.height) for page in pages])
    blocks: list[Block] = []
    lines: list[TextLine] = []
    for page, pieces in zip(pages, bodies, strict=True):
        if page.ocr_text:
            blocks += to_blocks(lines)
            lines = []
            blocks += [Paragraph(part.replace("\n", " ")) for part in re.split(r"\n\s*\n", page.ocr_text)]
        else:
            lines += [replace(line, page=page.number) for line in reading_order(pieces)]
    return [*blocks, *to_blocks(lines)]


def _filled_fields(fields: list[dict[str, Any]]) -> list[Block]:
    return [
        ListItem(f"{field['label'] or field['name']}: {field['value']}") for field in fields if field["value"]
    ]


def _refusal(error: pypdfium2.PdfiumError) -> Unreadable:
    code = getattr(error, "err_code", None)
    if code == pdfium.FPDF_ERR_PASSWORD:
        return Unreadable("encrypted", "it needs a password")
    if code == pdfium.FPDF_ERR_SECURITY:
        return Unreadable("encrypted", "its kind of protection is not supported")
    return Unreadable("malformed", "the PDF cannot be opened")


read_pdf = PdfReader()
