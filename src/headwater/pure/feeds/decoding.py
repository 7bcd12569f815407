"""Which characters the bytes stand for.

What the header, the byte order mark and the declaration say is tried in that order, but bytes that
are valid UTF-8 and not plain ASCII are UTF-8 whatever anyone says: other encodings produce such
bytes only by a very unlikely accident, and the lie is common.
"""

import codecs
import re

from headwater.pure.feeds.legacy import guess_legacy, undo_invalid_bytes
from headwater.pure.feeds.notes import Note

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# The first characters of a document in encodings that are not supersets of ASCII.
OPENINGS = (
    (b"<\x00\x00\x00", "utf-32-le"),
    (b"\x00\x00\x00<", "utf-32-be"),
    (b"<\x00", "utf-16-le"),
    (b"\x00<", "utf-16-be"),
    (b"{\x00", "utf-16-le"),
    (b"\x00{", "utf-16-be"),
    (b"\x4c\x6f\xa7\x94", "cp037"),
)
# Labels are read as what their users mean by them, mostly a larger set of the same family.
MEANT = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}
STATEFUL = ("iso2022", "hz")
DECLARED = re.compile(rb"""^[^<]{0,64}<\?xml[^>]{0,200}?encoding\s*=\s*["']?\s*([A-Za-z0-9._:-]{1,40})""")
CHARSET = re.compile(r"""charset\s*=\s*["']?\s*([A-Za-z0-9._:-]{1,40})""", re.IGNORECASE)


def as_utf8(data: bytes, *, media_type: str | None, note: Note) -> bytes:
    """The same document in valid UTF-8 without a byte order mark."""
    marked = next((pair for pair in BYTE_ORDER_MARKS if data.startswith(pair[0])), None)
    if marked:
        data = data[len(marked[0]) :]
    wide = _wide(data, marked[1] if marked else None)
    if wide:
        return _from_wide(data, wide, note)
    labels = _labels(data, media_type, note)
    stateful = next((label for label in labels if label.startswith(STATEFUL)), None)
    if stateful and b"\x1b" in data:
        return data.decode(stateful, "replace").encode()
    try:
        data.decode()
    except UnicodeDecodeError:
        return _not_utf8(data, labels, note)
    if labels and labels[0] not in {"utf-8", "ascii"} and not data.isascii():
        note("encoding_lie", f"declared {labels[0]}, is utf-8")
    return data


def _wide(data: bytes, marked: str | None) -> str | None:
    if marked and marked != "utf-8":
        return marked
    return next((name for opening, name in OPENINGS if data.startswith(opening)), None)


def _from_wide(data: bytes, name: str, note: Note) -> bytes:
    try:
        text = data.decode(name)
    except UnicodeDecodeError as error:
        note("encoding_damage", f"{name}: {error.reason}")
        text = data.decode(name, "replace")
    return text.encode("utf-8", "replace")


def _labels(data: bytes, media_type: str | None, note: Note) -> list[str]:
    found: list[str] = []
    charset = CHARSET.search(media_type) if media_type else None
    if charset:
        found.append(charset[1])
    declared = DECLARED.match(data)
    if declared:
        found.append(declared[1].decode("ascii"))
    return [name for label in found if (name := _codec(label, note))]


def _codec(label: str, note: Note) -> str | None:
    try:
        info = codecs.lookup(label)
    except LookupError:
        note("unknown_charset", label)
        return None
    # Codecs that are programs rather than alphabets (utf-7, unicode_escape, zip) are never taken on trust.
    if not getattr(info, "_is_text_encoding", True) or info.name.startswith(
        ("utf-7", "unicode", "raw", "idna", "punycode")
    ):
        note("unknown_charset", label)
        return None
    return info.name


def _not_utf8(data: bytes, labels: list[str], note: Note) -> bytes:
    for label in labels:
        if label.startswith(("utf-8", "utf_8", "utf-16", "utf-32")):
            continue
        try:
            return data.decode(MEANT.get(label, label)).encode()
        except UnicodeDecodeError:
            if MEANT.get(label) == "cp1252":
                return data.decode("latin-1").encode()
            note("encoding_lie", f"not {label}")
    mended = undo_invalid_bytes(data)
    if mended is not None:
        note("mixed_encoding", "utf-8 with foreign bytes")
        return mended
    name = guess_legacy(data)
    note("encoding_guessed", name)
    return data.decode(name, "replace").encode()
