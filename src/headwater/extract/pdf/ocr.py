"""Scanned pages as pictures, for the program that recognises their text."""

import pypdfium2

from headwater.extract import tesseract

_RESOLUTION = 300
_MOST_PIXELS = 40_000_000
_POINTS_PER_INCH = 72


def recognise(page: pypdfium2.PdfPage, languages: str, seconds: float) -> str:
    """The text of the page; empty when it cannot be recognised. Without languages, all installed ones are used."""
    return tesseract.recognise(_as_image(page), languages, seconds) if tesseract.can_recognise() else ""


def _as_image(page: pypdfium2.PdfPage) -> bytes:
    """The page in shades of grey, as PGM."""
    width, height = page.get_size()
    scale = _RESOLUTION / _POINTS_PER_INCH
    scale = min(scale, (_MOST_PIXELS / max(1.0, width * height)) ** 0.5)
    bitmap = page.render(scale=scale, grayscale=True)
    rows = bytes(bitmap.buffer)
    pixels = b"".join(rows[row * bitmap.stride :][: bitmap.width] for row in range(bitmap.height))
    header = f"P5 {bitmap.width} {bitmap.height} 255\n".encode()
    bitmap.close()
    return header + pixels
