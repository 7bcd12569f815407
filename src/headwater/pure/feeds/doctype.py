"""Document type declarations, taken out before any parser sees them.

Nothing outside the document is ever read. Plain named characters declared inside it are put in
their places, and the character sets of the W3C, which old feeds name to have them, are left out, because their
names are known here; any other entity (external, nested, parameter, oversized) refuses the document.
"""

import re

from headwater.pure.feeds.sections import outside_sections
from headwater.pure.feeds.values import NotAFeed

DECLARATION = re.compile(rb"""<!ENTITY\s+([A-Za-z_][\w.-]{0,63})\s+(?:"([^"]*)"|'([^']*)')\s*>""")
CHARACTER_SET = re.compile(
    rb"""<!ENTITY\s+%\s+([\w.-]{1,64})\s+PUBLIC\s+["']-//W3C//ENTITIES [^"'<>]{1,200}["']\s+["'][^"'<>]{1,300}["']\s*>"""
)
COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
HARMLESS = re.compile(rb"(?:[^&<%]|%(?![\w.-]+;)|&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|amp|lt|gt|quot|apos);)*")
REFERENCE = re.compile(rb"&([A-Za-z_][\w.-]{0,63});")
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
    found = {match[1]: match[2] or match[3] or b"" for match in DECLARATION.finditer(bare)}
    plain = sum(1 for _ in DECLARATION.finditer(bare))
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

    return outside_sections(data, lambda text: REFERENCE.sub(put, text))
