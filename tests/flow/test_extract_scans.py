"""Scanned pages, read with the real Tesseract. `make test` installs it."""

import io
import re

import pypdfium2
import pytest
from PIL import ImageFilter
from tests.pure.test_extract_samples import PdfSheet, make_pdf

from headwater.extract import tesseract
from headwater.extract.pdf.reader import read_pdf
from headwater.model.outcomes import ExtractHints, Reading

ENGLISH = (
    "The harbour council met on Monday evening",
    "and agreed to repair the northern quay before",
    "the winter storms arrive in December 2026.",
)
SPANISH = (
    "El ayuntamiento aprobó la reparación del muelle",
    "y anunció que la señal se encenderá mañana,",
    "según explicó la directora de la estación.",
)


def scan(lines: tuple[str, ...]) -> bytes:
    """The lines printed, laid on a scanner and saved as a PDF that holds nothing but the picture."""
    sheet = PdfSheet()
    for number, line in enumerate(lines):
        sheet.write(72, 700 - 22 * number, line, 14)
    with pypdfium2.PdfDocument(make_pdf([sheet])) as printed:
        picture = printed[0].render(scale=150 / 72, grayscale=True).to_pil()
    out = io.BytesIO()
    picture.rotate(0.4, fillcolor=255).filter(ImageFilter.GaussianBlur(0.6)).save(out, "PDF", resolution=150)
    return out.getvalue()


@pytest.mark.parametrize("lines", [ENGLISH, SPANISH])
def test_p14_a_scanned_page_is_recognised_word_for_word(lines: tuple[str, ...]) -> None:
    assert tesseract.tesseract() is not None, (
        "the tests need Tesseract, e.g. apt-get install tesseract-ocr tesseract-ocr-spa"
    )
    reading = read_pdf(scan(lines), ExtractHints())
    assert isinstance(reading, Reading)
    assert reading.attributes["recognised"] == [1]
    expected = re.findall(r"\w+", " ".join(lines))
    recognised = set(re.findall(r"\w+", reading.text))
    assert sum(word in recognised for word in expected) >= 0.9 * len(expected), reading.text


def test_the_languages_are_those_that_are_installed() -> None:
    program = tesseract.tesseract()
    assert program is not None
    assert tesseract.installed_languages(program).split("+")[:2] == ["eng", "spa"]
