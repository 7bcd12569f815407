"""The words of a page with their positions.

Asking PDFium for every character costs more than everything else. So the text comes from one call, and only the first and
the last character of each word are asked for their position.
"""

import ctypes
import re

import pypdfium2.raw as pdfium

from headwater.extract.pdf.geometry import PageFrame, PageWord, TextPiece

_WORD = re.compile("[^\\s\x00\x02\ufffe]+[\x02\ufffe]?")
_BREAKS = ("\x02", "\ufffe")
_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\u0000": None}
)
MOST_CHARACTERS = 500_000
# Letters of one line do not overlap those of the next, but their boxes do when lines stand close.
_SHRINK = 0.15
_BOLD = re.compile(r"bold|black|heavy|semibold|demi", re.IGNORECASE)


def page_text(handle: ctypes.c_void_p) -> str:
    """The characters of the page; the index in this string is PDFium's number of the character."""
    count = min(pdfium.FPDFText_CountChars(handle), MOST_CHARACTERS)
    if count <= 0:
        return ""
    buffer = (ctypes.c_ushort * (count + 1))()
    length = pdfium.FPDFText_GetText(handle, 0, count, buffer) - 1
    text = bytes(buffer)[: 2 * length].decode("utf-16-le", "surrogatepass")
    if len(text) == count:
        return text
    # Characters beyond the first plane or without Unicode have shifted the indexes: ask one by one.
    return "".join(map(_letter, (pdfium.FPDFText_GetUnicode(handle, place) for place in range(count))))


def _letter(code: int) -> str:
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\x00"


def words_of(handle: ctypes.c_void_p, text: str, frame: PageFrame) -> list[PageWord]:
    box = pdfium.FS_RECTF()
    reference = ctypes.byref(box)
    get_box = pdfium.FPDFText_GetLooseCharBox
    upright = frame.rotation == 0
    words: list[PageWord] = []
    for match in _WORD.finditer(text):
        start, end = match.span()
        word = match.group()
        breaks = word.endswith(_BREAKS)
        last = end - 2 if breaks and end - start > 1 else end - 1
        if not get_box(handle, start, reference):
            continue
        left, bottom, right, top = box.left, box.bottom, box.right, box.top
        if last > start and get_box(handle, last, reference):
            left, right = min(left, box.left), max(right, box.right)
            bottom, top = min(bottom, box.bottom), max(top, box.top)
        if upright:
            box_on_page = (left - frame.left, frame.top - top, right - frame.left, frame.top - bottom)
        else:
            box_on_page = frame.to_page_box(left, bottom, right, top)
        words.append(PageWord(*box_on_page, word[:-1] + "-" if breaks else word, start, breaks))
    return words


def pieces_of(words: list[PageWord], handle: ctypes.c_void_p) -> list[TextPiece]:
    """Runs of words on a line with no more than a space between them."""
    pieces: list[TextPiece] = []
    run: list[PageWord] = []
    for word in words:
        if run and not _continues(run[-1], word):
            pieces.append(_piece(run, handle))
            run = []
        run.append(word)
    if run:
        pieces.append(_piece(run, handle))
    return pieces


def _continues(before: PageWord, word: PageWord) -> bool:
    if before.breaks:
        return False
    height = before.bottom - before.top
    gap = word.left - before.right
    overlap = min(before.bottom, word.bottom) - max(before.top, word.top)
    return overlap > 0.5 * min(height, word.bottom - word.top) and -0.5 * height < gap < 0.9 * height


def _piece(run: list[PageWord], handle: ctypes.c_void_p) -> TextPiece:
    top, bottom = min(word.top for word in run), max(word.bottom for word in run)
    shrink = (bottom - top) * _SHRINK
    text = " ".join(word.text for word in run).translate(_LIGATURES)
    return TextPiece(
        min(word.left for word in run),
        top + shrink,
        max(word.right for word in run),
        bottom - shrink,
        text,
        _is_bold(handle, run[0].start) and (len(run) == 1 or _is_bold(handle, run[-1].start)),
    )


def _is_bold(handle: ctypes.c_void_p, place: int) -> bool:
    flags = ctypes.c_int()
    name = ctypes.create_string_buffer(80)
    length = pdfium.FPDFText_GetFontInfo(handle, place, name, 80, ctypes.byref(flags))
    if not length:
        return False
    return bool(flags.value & 0x40000) or _BOLD.search(name.value.decode("latin-1")) is not None
