"""Running heads, running feet and page numbers: boilerplate, not text."""

import re
from collections import Counter
from collections.abc import Sequence

from headwater.extract.pdf.geometry import TextPiece

_ZONE = 0.11
_STEP = 8.0
_DIGITS = re.compile(r"\d+")
_PAGE_WORD = r"(?:page|pages|página|pagina|pág\.?|pag\.?|p\.|seite|blatt|hoja|side|sida|strona)"
_NAMED_NUMBER = re.compile(
    rf"\W*{_PAGE_WORD}\s*[\divxlc]{{1,6}}(?:\s*(?:/|of|de|von|di|sur|\||-)\s*\d{{1,5}})?\W*\Z", re.IGNORECASE
)
_BARE_NUMBER = re.compile(r"\W{0,3}(?:\d{1,4}|[ivxlc]{1,7}|\d{1,4}\s*(?:/|of|de|von)\s*\d{1,4})\W{0,3}\Z")
PagePieces = tuple[Sequence[TextPiece], float]
"""The pieces of a page, and its height."""


def without_margins(pages: Sequence[PagePieces]) -> list[list[TextPiece]]:
    """The pages without their running heads, running feet and page numbers."""
    repeated = _repeated(pages)
    return [_cleaned(pieces, height, repeated) for pieces, height in pages]


def running_heads(pages: Sequence[PagePieces]) -> list[str]:
    """The running heads and feet, as the first page shows them: they may name the publisher."""
    repeated = _repeated(pages)
    texts = [
        piece.text.strip()
        for pieces, height in pages
        for piece in pieces
        if repeated.intersection(_keys(piece, height))
    ]
    return list({_DIGITS.sub("#", text.casefold()): text for text in reversed(texts)}.values())[::-1]


def _repeated(pages: Sequence[PagePieces]) -> set[tuple[str, int]]:
    counts = Counter(
        key for page in pages for key in {key for piece in page[0] for key in _keys(piece, page[1])}
    )
    least = 2 if len(pages) <= 4 else 3
    return {key for key, count in counts.items() if count >= least} if len(pages) > 1 else set()


def _cleaned(pieces: Sequence[TextPiece], height: float, repeated: set[tuple[str, int]]) -> list[TextPiece]:
    body_pieces = [piece for piece in pieces if not repeated.intersection(_keys(piece, height))]
    return [piece for piece in body_pieces if not _is_page_number(piece, body_pieces, height)]


def _keys(piece: TextPiece, height: float) -> list[tuple[str, int]]:
    """The keys by which it is recognised on other pages: its text without numbers, and roughly its position."""
    if piece.table is not None or not _in_margin(piece, height):
        return []
    text = _DIGITS.sub("#", piece.text.casefold()).strip()
    if text == "#" or len(text) > 200:
        return []
    place = round(piece.top / _STEP)
    return [(text, place), (text, round(piece.top / _STEP + 0.5) + 10_000)]


def _in_margin(piece: TextPiece, height: float) -> bool:
    return piece.bottom < _ZONE * height or piece.top > (1 - _ZONE) * height


def _is_page_number(piece: TextPiece, pieces: Sequence[TextPiece], height: float) -> bool:
    if not _in_margin(piece, height) or len(piece.text) > 30:
        return False
    if _NAMED_NUMBER.match(piece.text):
        return True
    return _BARE_NUMBER.match(piece.text) is not None and _stands_alone(piece, pieces)


def _stands_alone(piece: TextPiece, pieces: Sequence[TextPiece]) -> bool:
    reach = piece.height
    return not any(
        other is not piece and other.bottom > piece.top - reach and other.top < piece.bottom + reach
        for other in pieces
    )
