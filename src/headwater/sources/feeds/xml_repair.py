"""Sections of unparsed text, found without ever looking at a byte twice."""

import html
import re
from collections.abc import Callable

from headwater.model.warning_log import Warn
from headwater.sources.feeds.feed import NotAFeed
from headwater.sources.feeds.namespaces import NAMESPACE_BY_PREFIX

CDATA_OPENING = b"<![CDATA["
CDATA_CLOSING = b"]]>"


def replace_outside_cdata(data: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """The document with everything outside its CDATA sections changed."""
    pieces: list[bytes] = []
    position = 0
    while (opening := data.find(CDATA_OPENING, position)) >= 0:
        closing = data.find(CDATA_CLOSING, opening)
        if closing < 0:
            break
        pieces += (change(data[position:opening]), data[opening : closing + 3])
        position = closing + 3
    pieces.append(change(data[position:]))
    return b"".join(pieces)


def cdata_end(lowered: bytes, opening: int) -> int:
    """The end of a section in a lower-case document, or -1 when another opens first: it was never closed."""
    another = lowered.find(b"<![cdata[", opening + 9)
    end = lowered.find(CDATA_CLOSING, opening, another if another >= 0 else len(lowered))
    return end + 3 if end >= 0 else -1


ENTITY_DECLARATION = re.compile(rb"""<!ENTITY\s+([A-Za-z_][\w.-]{0,63})\s+(?:"([^"]*)"|'([^']*)')\s*>""")
CHARACTER_SET = re.compile(
    rb"""<!ENTITY\s+%\s+([\w.-]{1,64})\s+PUBLIC\s+["']-//W3C//ENTITIES [^"'<>]{1,200}["']\s+["'][^"'<>]{1,300}["']\s*>"""
)
COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
HARMLESS = re.compile(rb"(?:[^&<%]|%(?![\w.-]+;)|&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|amp|lt|gt|quot|apos);)*")
ENTITY_REFERENCE = re.compile(rb"&([A-Za-z_][\w.-]{0,63});")
SUBSET_MARK = re.compile(rb"""["'\[\]>]|<!--""")
LONGEST_VALUE = 256
MOST_ENTITIES = 512
MOST_GROWTH = 1 << 20


def without_doctype(data: bytes) -> tuple[bytes, bytes]:
    """The document without its declaration, and the declaration."""
    start = _doctype_start(data)
    if start is None:
        return data, b""
    end = _doctype_end(data, start)
    declaration = data[start:end]
    entities = _entities(declaration)
    rest = data[:start] + data[end:]
    return (_expanded(rest, entities) if entities else rest), declaration


def _doctype_start(data: bytes) -> int | None:
    """Where it begins, if it stands where the grammar allows it: before the first element."""
    position = 0
    while True:
        position = data.find(b"<", position)
        if position < 0:
            return None
        if data.startswith(b"<!--", position):
            position = data.find(b"-->", position)
        elif data.startswith(b"<?", position):
            position = data.find(b"?>", position)
        else:
            return position if data[position : position + 9].upper() == b"<!DOCTYPE" else None
        if position < 0:
            return None


def _doctype_end(data: bytes, start: int) -> int:
    position = start + 9
    inside = False
    while mark := SUBSET_MARK.search(data, position):
        position = mark.end()
        token = mark[0]
        if token == b">" and not inside:
            return position
        if token in {b"[", b"]"}:
            inside = token == b"["
        elif token != b">":
            closing = data.find(b"-->" if token == b"<!--" else token, position)
            if closing < 0:
                break
            position = closing + 1
    if b"<!ENTITY" in data[start:].upper():
        raise NotAFeed("refused_entities", "unterminated document type declaration")
    closing = data.find(b">", start)
    return closing + 1 if closing >= 0 else len(data)


def _entities(declaration: bytes) -> dict[bytes, bytes]:
    bare = CHARACTER_SET.sub(b"", COMMENT.sub(b"", declaration))
    declared = bare.upper().count(b"<!ENTITY")
    if not declared:
        return {}
    found = {match[1]: match[2] or match[3] or b"" for match in ENTITY_DECLARATION.finditer(bare)}
    plain = sum(1 for _ in ENTITY_DECLARATION.finditer(bare))
    if plain != declared:
        raise NotAFeed("refused_entities", "external or parameter entity")
    if declared > MOST_ENTITIES:
        raise NotAFeed("refused_entities", f"{declared} entities")
    for name, value in found.items():
        if len(value) > LONGEST_VALUE or not HARMLESS.fullmatch(value):
            raise NotAFeed("refused_entities", name.decode("ascii", "replace"))
    return found


def _expanded(data: bytes, entities: dict[bytes, bytes]) -> bytes:
    growth = 0

    def put(match: re.Match[bytes]) -> bytes:
        nonlocal growth
        value = entities.get(match[1])
        if value is None:
            return match[0]
        growth += len(value)
        if growth > MOST_GROWTH:
            raise NotAFeed("refused_entities", "expansion too large")
        return value.replace(b'"', b"&quot;")

    return replace_outside_cdata(data, lambda text: ENTITY_REFERENCE.sub(put, text))


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


def repair_xml(data: bytes, warn: Warn) -> bytes:
    """The document without junk around it, stray characters, unknown references or undeclared prefixes."""
    data = _without_junk(data, warn)
    cleaned = CONTROLS.sub(b"", data)
    if cleaned != data:
        warn("control_characters", "")
    referenced = replace_outside_cdata(cleaned, _references)
    if referenced != cleaned:
        warn("bad_references", "")
    return _with_prefixes(referenced, warn)


def _without_junk(data: bytes, warn: Warn) -> bytes:
    start = BEFORE.search(data)
    if start and start.start():
        warn("junk_before_document", data[: start.start()].decode("utf-8", "replace"))
        data = data[start.start() :]
    declaration = DECLARATION.match(data)
    rest = data[declaration.end() :] if declaration else data
    # A second declaration in the middle is a document pasted into another.
    rest = SECOND_DECLARATION.sub(b"", rest) if b"<?xml" in rest else rest
    return _cut_behind(rest, warn)


def _cut_behind(data: bytes, warn: Warn) -> bytes:
    end = max((match.end() for match in CLOSING.finditer(data)), default=len(data))
    if data[end:].strip() and not ENTRY.search(data, end):
        warn("junk_after_document", data[end:].decode("utf-8", "replace"))
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


def _with_prefixes(data: bytes, warn: Warn) -> bytes:
    """Declares the prefixes that are used and never declared, known ones with their own namespace."""
    used = set(PREFIX.findall(data)) - {b"xml", b"xmlns"}
    missing = sorted(used - set(DECLARED.findall(data)))
    root = ROOT.search(data)
    if not missing or root is None or len(missing) > 64:
        return data
    names = [prefix for prefix in missing if re.search(rb"</?%s:|\s%s:\w+\s*=" % (prefix, prefix), data)]
    if not names:
        return data
    warn("undeclared_prefix", b" ".join(names).decode("ascii", "replace"))
    declared = b"".join(b' xmlns:%s="%s"' % (prefix, _address(prefix)) for prefix in names)
    end = root.end() - 1 if root[0].endswith(b"/") else root.end()
    return data[:end] + declared + data[end:]


def _address(prefix: bytes) -> bytes:
    name = prefix.decode("ascii", "replace").lower()
    return NAMESPACE_BY_PREFIX.get(name, f"urn:prefix:{name}").encode()
