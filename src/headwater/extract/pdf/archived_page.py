"""A page of a captured PDF for a reader: as a picture, with the boxes in which a value stands."""

import struct
import zlib
from dataclasses import dataclass
from typing import Any

import msgspec
import pypdfium2 as pdfium

from headwater.model.errors import Permanent
from headwater.model.outcomes import ExtractHints

WIDTH = 900
MOST_PAGES = 200
MOST_WORDS = 12
MOST_BOXES = 40


class PdfView(msgspec.Struct, frozen=True, kw_only=True):
    """`boxes` are left, top, width and height in parts of the page; without any, the value is not in the text of the PDF and the
    first page is shown."""

    picture: bytes
    page: int
    pages: int
    boxes: tuple[tuple[float, float, float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class ShowPdfPage:
    """`texts` are the forms in which the value may be written, the most exact first."""

    texts: tuple[str, ...] = ()

    def __call__(self, data: bytes, hints: ExtractHints) -> PdfView:
        del hints
        try:
            document = pdfium.PdfDocument(data)
        except pdfium.PdfiumError as error:
            raise Permanent("pdf_unreadable", "PDFium cannot open it") from error
        number, boxes = self._find(document)
        return PdfView(
            picture=draw(document[number]), page=number + 1, pages=len(document), boxes=tuple(boxes)
        )

    def _find(self, document: Any) -> tuple[int, list[tuple[float, float, float, float]]]:
        for text in self.texts:
            words = " ".join(text.split()[:MOST_WORDS])
            for number in range(min(len(document), MOST_PAGES)) if words else ():
                if boxes := boxes_of(document[number], words):
                    return number, boxes
        return 0, []


def boxes_of(page: Any, text: str) -> list[tuple[float, float, float, float]]:
    """The boxes of the first place where the text stands on the page; one for each line."""
    width, height = page.get_size()
    layer = page.get_textpage()
    place = layer.search(text).get_next()
    if place is None or not width or not height:
        return []
    rectangles = [layer.get_rect(number) for number in range(min(layer.count_rects(*place), MOST_BOXES))]
    return [
        (left / width, 1 - top / height, (right - left) / width, (top - bottom) / height)
        for left, bottom, right, top in rectangles
    ]


def draw(page: Any) -> bytes:
    """The page in shades of grey, as a PNG."""
    width, _ = page.get_size()
    pixels = page.render(scale=WIDTH / max(width, 1.0), grayscale=True).to_numpy()
    rows, columns = pixels.shape[:2]
    lines = b"".join(b"\x00" + pixels[number].tobytes() for number in range(rows))
    header = struct.pack(">IIBBBBB", columns, rows, 8, 0, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, content) for name, content in parts)


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
