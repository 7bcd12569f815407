"""Textual repairs after which a strict parser often accepts the document."""

import html
import re

from headwater.pure.feeds.names import ADDRESSES
from headwater.pure.feeds.notes import Note
from headwater.pure.feeds.sections import outside_sections

BEFORE = re.compile(rb"<\?xml\b|<!--|<[A-Za-z_]")
DECLARATION = re.compile(rb"\s*<\?xml\b[^>]*\?>")
CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]|\xef\xbb\xbf|\xef\xbf[\xbe\xbf]")
REFERENCE = re.compile(rb"&(?:#(\d{1,9});|#[xX]([0-9a-fA-F]{1,8});|([A-Za-z][A-Za-z0-9]{1,31});)?")
HALVES = re.compile(
    rb"&#([xX][dD][89abAB][0-9a-fA-F]{2}|5[5-7]\d{3});&#([xX][dD][c-fC-F][0-9a-fA-F]{2}|5[5-7]\d{3});"
)
SECOND_DECLARATION = re.compile(rb"<\?xml\b[^<>]*\?>")
CLOSING = re.compile(rb"</(?:rss|feed|rdf:rdf)\s*>", re.IGNORECASE)
ENTRY = re.compile(rb"<(?:[a-z0-9]{1,16}:)?(?:item|entry)[\s>]", re.IGNORECASE)
ROOT = re.compile(rb"<[A-Za-z_][^<>]*")
PREFIX = re.compile(rb"[</\s]([A-Za-z][\w.-]*):[A-Za-z]")
DECLARED = re.compile(rb"xmlns:([\w.-]+)\s*=")
PREDEFINED = (b"amp", b"lt", b"gt", b"quot", b"apos")


def repaired(data: bytes, note: Note) -> bytes:
    """The document without junk around it, stray characters, unknown references or undeclared prefixes."""
    data = _without_junk(data, note)
    cleaned = CONTROLS.sub(b"", data)
    if cleaned != data:
        note("control_characters", "")
    referenced = outside_sections(cleaned, _references)
    if referenced != cleaned:
        note("bad_references", "")
    return _with_prefixes(referenced, note)


def _without_junk(data: bytes, note: Note) -> bytes:
    start = BEFORE.search(data)
    if start and start.start():
        note("junk_before_document", data[: start.start()].decode("utf-8", "replace"))
        data = data[start.start() :]
    declaration = DECLARATION.match(data)
    rest = data[declaration.end() :] if declaration else data
    # A second declaration in the middle is a document pasted into another.
    rest = SECOND_DECLARATION.sub(b"", rest) if b"<?xml" in rest else rest
    return _cut_behind(rest, note)


def _cut_behind(data: bytes, note: Note) -> bytes:
    end = max((match.end() for match in CLOSING.finditer(data)), default=len(data))
    if data[end:].strip() and not ENTRY.search(data, end):
        note("junk_after_document", data[end:].decode("utf-8", "replace"))
        return data[:end]
    return data


def _references(text: bytes) -> bytes:
    if b"&" not in text:
        return text
    return REFERENCE.sub(_reference, HALVES.sub(_joined_halves, text))


def _joined_halves(match: re.Match[bytes]) -> bytes:
    """One character written as the two halves that UTF-16 makes of it."""
    first, second = (int(half[1:], 16) if half[:1] in b"xX" else int(half) for half in match.groups())
    if not (0xD800 <= first <= 0xDBFF and 0xDC00 <= second <= 0xDFFF):
        return match[0]
    return chr(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)).encode()


def _reference(match: re.Match[bytes]) -> bytes:
    whole = match[0]
    if match[1] or match[2]:
        number = int(match[1]) if match[1] else int(match[2], 16)
        return whole if _is_character(number) else b""
    name = match[3]
    if name is None:
        return b"&amp;"
    if name in PREDEFINED:
        return whole
    letters = html.unescape(whole.decode("ascii"))
    return b"&amp;" + whole[1:] if letters.startswith("&") else letters.encode()


def _is_character(number: int) -> bool:
    return (
        number in {9, 10, 13}
        or 32 <= number <= 0xD7FF
        or 0xE000 <= number <= 0xFFFD
        or 0x10000 <= number <= 0x10FFFF
    )


def _with_prefixes(data: bytes, note: Note) -> bytes:
    """Declares the prefixes that are used and never declared, known ones with their own namespace."""
    used = set(PREFIX.findall(data)) - {b"xml", b"xmlns"}
    missing = sorted(used - set(DECLARED.findall(data)))
    root = ROOT.search(data)
    if not missing or root is None or len(missing) > 64:
        return data
    names = [prefix for prefix in missing if re.search(rb"</?%s:|\s%s:\w+\s*=" % (prefix, prefix), data)]
    if not names:
        return data
    note("undeclared_prefix", b" ".join(names).decode("ascii", "replace"))
    declared = b"".join(b' xmlns:%s="%s"' % (prefix, _address(prefix)) for prefix in names)
    end = root.end() - 1 if root[0].endswith(b"/") else root.end()
    return data[:end] + declared + data[end:]


def _address(prefix: bytes) -> bytes:
    name = prefix.decode("ascii", "replace").lower()
    return ADDRESSES.get(name, f"urn:prefix:{name}").encode()
