"""Text as every reader hands it out: normal form C, one kind of line end, nothing that is not for reading."""

import re
import unicodedata
from collections.abc import Iterable

_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
# Control characters, lone surrogates and noncharacters: no encoder, terminal or database wants them.
_UNWANTED = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
# Soft hyphens and zero-width marks that only tell a typesetter where a line may break.
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")
_SPACES = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f]")
_SPECIAL = re.compile("[^\n\t\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0370-\u1fff\u2010-\u2027\u3000-\ud7ff]")
_ASCII = {**dict.fromkeys((*range(9), *range(14, 32), 127)), 11: "\n", 12: "\n"}
_MANY_BLANKS = re.compile(r"\n{3,}")


def normalise_text(text: str) -> str:
    """Fit for storing, comparing and showing; line structure stays."""
    if text.isascii():
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        text = text.translate(_ASCII)
    elif _SPECIAL.search(text):
        text = _LINE_ENDS.sub("\n", text)
        text = _SPACES.sub(" ", _INVISIBLE.sub("", _UNWANTED.sub("", text)))
    if not unicodedata.is_normalized("NFC", text):
        text = unicodedata.normalize("NFC", text)
    if " \n" in text or "\t\n" in text:
        text = "\n".join([line.rstrip(" \t") for line in text.split("\n")])
    return (_MANY_BLANKS.sub("\n\n", text) if "\n\n\n" in text else text).strip("\n").rstrip(" \t\n")


def to_one_line(text: str) -> str:
    """Tidy, and on one line."""
    return " ".join(normalise_text(text).split())


def table_cell_text(paragraphs: Iterable[str]) -> str:
    """The paragraphs of a table's cell on one line, with a semicolon where one ends and the next does not go on with
    it."""
    text = ""
    lines = (line for paragraph in paragraphs for line in paragraph.split("\n"))
    for paragraph in filter(None, map(to_one_line, lines)):
        goes_on = not text or text.endswith((":", ",", ";", "-", "(")) or paragraph[0].islower()
        text = f"{text}{' ' if text and goes_on else '' if goes_on else '; '}{paragraph}"
    return text


SURROGATES = re.compile("[\ud800-\udfff]")


def to_storable_text(text: str) -> str:
    """PostgreSQL holds no NUL in a text, neither database half a surrogate pair: each becomes a replacement character."""
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    return text if text.isascii() else SURROGATES.sub("\ufffd", text)
