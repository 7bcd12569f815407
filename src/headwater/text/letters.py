"""Clean text: normal form C, one kind of line end, no unreadable characters."""

import re
import unicodedata
from collections.abc import Iterable

_SURROGATE = re.compile("[\ud800-\udfff]")
_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
# Control characters, lone surrogates and noncharacters: encoders, terminals and databases reject them.
_UNWANTED = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
# Soft hyphens and zero-width marks, which only say where a line may break.
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")
_SPACES = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f]")
_SPECIAL = re.compile("[^\n\t\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0370-\u1fff\u2010-\u2027\u3000-\ud7ff]")
_ASCII = {**dict.fromkeys((*range(9), *range(14, 32), 127)), 11: "\n", 12: "\n"}
_MANY_BLANKS = re.compile(r"\n{3,}")


def normalise_text(text: str) -> str:
    """Text to store, compare and display; the lines stay."""
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
    """Normalised text on one line."""
    return " ".join(normalise_text(text).split())


def table_cell_text(paragraphs: Iterable[str]) -> str:
    """The paragraphs of a table cell on one line, with a semicolon between those that do not continue one another."""
    text = ""
    lines = (line for paragraph in paragraphs for line in paragraph.split("\n"))
    for paragraph in filter(None, map(to_one_line, lines)):
        continues = not text or text.endswith((":", ",", ";", "-", "(")) or paragraph[0].islower()
        text = f"{text}{' ' if text and continues else '' if continues else '; '}{paragraph}"
    return text


def replace_surrogates(text: str) -> str:
    """Without lone surrogates, which no encoder accepts."""
    try:
        text.encode()  # three times as fast as the search for a surrogate
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


def to_storable_text(text: str) -> str:
    """PostgreSQL stores no NUL in text, and neither database half a surrogate pair: each becomes a replacement character."""
    text = text.replace("\x00", "\ufffd")
    return text if text.isascii() else replace_surrogates(text)
