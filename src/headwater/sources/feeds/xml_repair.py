"""Repairs that make a broken document acceptable to a strict XML parser.

`without_doctype` removes the document type declaration before a parser sees it, so nothing outside the document is
ever read. Plain character entities that it declares are expanded; the W3C character sets are ignored because their
names are known here; any other entity (external, nested, parameter, oversized) rejects the document. `repair_xml`
fixes junk around the document, stray characters, unknown references and undeclared prefixes. All work is linear.
"""

import html
import re
from collections.abc import Callable

from headwater.model.warning_log import Warn
from headwater.sources.feeds.feed import NotAFeed
from headwater.sources.feeds.namespaces import NAMESPACE_BY_PREFIX

CDATA_OPENING = b"<![CDATA["
CDATA_CLOSING = b"]]>"
ENTITY_DECLARATION = re.compile(rb"""<!ENTITY\s+([A-Za-z_][\w.-]{0,63})\s+(?:"([^"]*)"|'([^']*)')\s*>""")
CHARACTER_SET = re.compile(
    rb"""<!ENTITY\s+%\s+([\w.-]{1,64})\s+PUBLIC\s+["']-//W3C//ENTITIES [^"'<>]{1,200}["']\s+["'][^"'<>]{1,300}["']\s*>"""
)
COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
HARMLESS = re.compile(rb"(?:[^&<%]++|%(?![\w.-]+;)|&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|amp|lt|gt|quot|apos);)*")
ENTITY_REFERENCE = re.compile(rb"&([A-Za-z_][\w.-]{0,63});")
SUBSET_MARK = re.compile(rb"""["'\[\]>]|<!--""")
LONGEST_VALUE = 256
MOST_ENTITIES = 512
MOST_GROWTH = 1 << 20
DOCUMENT_START = re.compile(rb"<\?xml\b|<!--|<[A-Za-z_]")
DECLARATION = re.compile(rb"\s*<\?xml\b[^>]*\?>")
CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]|\xef\xbb\xbf|\xef\xbf[\xbe\xbf]")
REFERENCE = re.compile(rb"&(?:#(\d{1,9});|#[xX]([0-9a-fA-F]{1,8});|([A-Za-z][A-Za-z0-9]{1,31});)?")
SURROGATE_PAIR = re.compile(
    rb"&#([xX][dD][89abAB][0-9a-fA-F]{2}|5[5-7]\d{3});&#([xX][dD][c-fC-F][0-9a-fA-F]{2}|5[5-7]\d{3});"
)
SECOND_DECLARATION = re.compile(rb"<\?xml\b[^<>]*\?>")
CLOSING = re.compile(rb"</(?:rss|feed|rdf:rdf)\s*>", re.IGNORECASE)
ENTRY = re.compile(rb"<(?:[a-z0-9]{1,16}:)?(?:item|entry)[\s>]", re.IGNORECASE)
ROOT = re.compile(rb"<[A-Za-z_][^<>]*")
PREFIX = re.compile(rb"[</\s]([A-Za-z][\w.-]*):[A-Za-z]")
DECLARED_PREFIX = re.compile(rb"xmlns:([\w.-]+)\s*=")
PREDEFINED = (b"amp", b"lt", b"gt", b"quot", b"apos")


def without_doctype(data: bytes) -> tuple[bytes, bytes]:
    """The document without its document type declaration, and the declaration."""
    start = _doctype_start(data)
    if start is None:
        return data, b""
    end = _doctype_end(data, start)
    declaration = data[start:end]
    entities = _declared_entities(declaration)
    document = data[:start] + data[end:]
    return (_expand_entities(document, entities) if entities else document), declaration


def _doctype_start(data: bytes) -> int | None:
    """The start of the declaration, if it precedes the first element as the grammar demands."""
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
    """The end of the declaration, quoted strings, comments and the internal subset skipped."""
    position = start + 9
    in_subset = False
    while match := SUBSET_MARK.search(data, position):
        position = match.end()
        token = match[0]
        if token == b">" and not in_subset:
            return position
        if token in {b"[", b"]"}:
            in_subset = token == b"["
        elif token != b">":
            closing = data.find(b"-->" if token == b"<!--" else token, position)
            if closing < 0:
                break
            position = closing + 1
    if b"<!ENTITY" in data[start:].upper():
        raise NotAFeed("refused_entities", "unterminated document type declaration")
    closing = data.find(b">", start)
    return closing + 1 if closing >= 0 else len(data)


def _declared_entities(declaration: bytes) -> dict[bytes, bytes]:
    bare = CHARACTER_SET.sub(b"", COMMENT.sub(b"", declaration))
    declared = bare.upper().count(b"<!ENTITY")
    if not declared:
        return {}
    entities = {match[1]: match[2] or match[3] or b"" for match in ENTITY_DECLARATION.finditer(bare)}
    declared_plainly = sum(1 for _ in ENTITY_DECLARATION.finditer(bare))
    if declared_plainly != declared:
        raise NotAFeed("refused_entities", "external or parameter entity")
    if declared > MOST_ENTITIES:
        raise NotAFeed("refused_entities", f"{declared} entities")
    for name, value in entities.items():
        if len(value) > LONGEST_VALUE or not HARMLESS.fullmatch(value):
            raise NotAFeed("refused_entities", name.decode("ascii", "replace"))
    return entities


def _expand_entities(data: bytes, entities: dict[bytes, bytes]) -> bytes:
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


def repair_xml(data: bytes, warn: Warn) -> bytes:
    """The document without junk around it, stray characters, unknown references or undeclared prefixes."""
    data = _without_junk(data, warn)
    cleaned = CONTROLS.sub(b"", data)
    if cleaned != data:
        warn("control_characters", "")
    referenced = replace_outside_cdata(cleaned, _repair_references)
    if referenced != cleaned:
        warn("bad_references", "")
    return _with_prefixes(referenced, warn)


def _without_junk(data: bytes, warn: Warn) -> bytes:
    start = DOCUMENT_START.search(data)
    if start and start.start():
        warn("junk_before_document", data[: start.start()].decode("utf-8", "replace"))
        data = data[start.start() :]
    declaration = DECLARATION.match(data)
    document = data[declaration.end() :] if declaration else data
    # A second XML declaration in the middle means that one document was pasted into another.
    document = SECOND_DECLARATION.sub(b"", document) if b"<?xml" in document else document
    return _without_trailing_junk(document, warn)


def _without_trailing_junk(data: bytes, warn: Warn) -> bytes:
    end = max((match.end() for match in CLOSING.finditer(data)), default=len(data))
    if data[end:].strip() and not ENTRY.search(data, end):
        warn("junk_after_document", data[end:].decode("utf-8", "replace"))
        return data[:end]
    return data


def _repair_references(text: bytes) -> bytes:
    if b"&" not in text:
        return text
    return REFERENCE.sub(_repair_reference, SURROGATE_PAIR.sub(_join_surrogates, text))


def _join_surrogates(match: re.Match[bytes]) -> bytes:
    """One character written as its two UTF-16 surrogates."""
    first, second = (int(half[1:], 16) if half[:1] in b"xX" else int(half) for half in match.groups())
    if not (0xD800 <= first <= 0xDBFF and 0xDC00 <= second <= 0xDFFF):
        return match[0]
    return chr(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)).encode()


def _repair_reference(match: re.Match[bytes]) -> bytes:
    reference = match[0]
    if match[1] or match[2]:
        number = int(match[1]) if match[1] else int(match[2], 16)
        return reference if _is_character(number) else b""
    name = match[3]
    if name is None:
        return b"&amp;"
    if name in PREDEFINED:
        return reference
    letters = html.unescape(reference.decode("ascii"))
    return b"&amp;" + reference[1:] if letters.startswith("&") else letters.encode()


def _is_character(number: int) -> bool:
    return (
        number in {9, 10, 13}
        or 32 <= number <= 0xD7FF
        or 0xE000 <= number <= 0xFFFD
        or 0x10000 <= number <= 0x10FFFF
    )


def _with_prefixes(data: bytes, warn: Warn) -> bytes:
    """Declare the prefixes that are used but never declared, well-known ones with their own namespace."""
    used = set(PREFIX.findall(data)) - {b"xml", b"xmlns"}
    missing = sorted(used - set(DECLARED_PREFIX.findall(data)))
    root = ROOT.search(data)
    if not missing or root is None or len(missing) > 64:
        return data
    names = [prefix for prefix in missing if re.search(rb"</?%s:|\s%s:\w+\s*=" % (prefix, prefix), data)]
    if not names:
        return data
    warn("undeclared_prefix", b" ".join(names).decode("ascii", "replace"))
    declarations = b"".join(b' xmlns:%s="%s"' % (prefix, _namespace_for(prefix)) for prefix in names)
    end = root.end() - 1 if root[0].endswith(b"/") else root.end()
    return data[:end] + declarations + data[end:]


def _namespace_for(prefix: bytes) -> bytes:
    name = prefix.decode("ascii", "replace").lower()
    return NAMESPACE_BY_PREFIX.get(name, f"urn:prefix:{name}").encode()


def replace_outside_cdata(data: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """Apply `change` to everything outside the CDATA sections."""
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
    """The end of a CDATA section in a lower-case document; -1 when another one opens before this one is closed."""
    another = lowered.find(b"<![cdata[", opening + 9)
    end = lowered.find(CDATA_CLOSING, opening, another if another >= 0 else len(lowered))
    return end + 3 if end >= 0 else -1
