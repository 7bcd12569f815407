"""Pages and boxes of the lines of a PDF."""

import ctypes
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import islice

import pypdfium2
from pypdfium2 import raw as pdfium

from headwater_recipes.procedures.page.source_text import MOST_LINES, Place, SourceNode, SourceText
from headwater_recipes.procedures.sections.parts import lines_of

MOST_PAGES, MOST_CHARACTERS = 60, 2_000


@dataclass(slots=True)
class _PdfText:
    document: pypdfium2.PdfDocument
    texts: list[str] = field(default_factory=list)

    def nodes(self) -> list[SourceNode]:
        for number in range(min(len(self.document), MOST_PAGES)):
            page = self.document[number]
            self.texts.append(page.get_textpage().get_text_range())
        return [SourceNode((f"page {number + 1}",), text) for number, text in enumerate(self.texts)]

    def box(self, page_number: int, start: int, end: int) -> list[float]:
        """Left, top, right and bottom of the characters, in points from the upper left corner of the page."""
        page = self.document[page_number]
        text_page = page.get_textpage()
        edges = [ctypes.c_double() for _ in range(4)]
        references = [ctypes.byref(edge) for edge in edges]
        boxes = [
            tuple(edge.value for edge in edges)
            for place in range(start, min(end, start + MOST_CHARACTERS))
            if pdfium.FPDFText_GetCharBox(text_page.raw, place, *references)
        ]
        if not boxes:
            return []
        height = page.get_height()
        left, right = min(box[0] for box in boxes), max(box[1] for box in boxes)
        bottom, top = min(box[2] for box in boxes), max(box[3] for box in boxes)
        return [round(edge, 1) for edge in (left, height - top, right, height - bottom)]


def pdf_line_places(data: bytes, text: str) -> list[tuple[int, int, Place]]:
    """(start, end, page and box) of each line. Lines of scanned pages have none: text recognition does not report boxes."""
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError:
        return []
    pdf_text = _PdfText(document)
    source = SourceText.of(pdf_text.nodes())
    places: list[tuple[int, int, Place]] = []
    after = 0
    for line in islice(lines_of(text), MOST_LINES):
        match = None if line.kind == "rule" else source.find(line.text, after)
        if match is None:
            continue
        after = match[1]
        number = bisect_right(source.starts, match[0]) - 1
        inside = source.place(*match)
        if inside["path"] == f"page {number + 1}":
            place: Place = {"page": number + 1, "box": pdf_text.box(number, inside["start"], inside["end"])}
        else:
            place = {"page": number + 1}  # the line goes on on the next page
        places.append((line.start, line.end, place))
    return places
