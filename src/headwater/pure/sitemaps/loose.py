"""Sitemaps that are no XML any more: unescaped, cut off, wrongly nested. Read by their tags, in linear time."""

import re
from collections.abc import Iterator

from headwater.pure.sitemaps.values import Kind, Listed

TOKEN = re.compile(
    rb"<(?:!\[CDATA\[(?P<section>[^\]]*)\]\]>|(?P<close>/?)(?P<name>[A-Za-z][\w.:-]{0,40})[^<>]*>)(?P<text>[^<]*)"
)
COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
# Of an address that was not escaped, only what is surely an escape is undone: `&copy=1` is a parameter.
REFERENCE = re.compile(r"&(amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
LONGEST_TAIL = 64 * 1024
FIELDS = {
    b"loc": "url",
    b"lastmod": "lastmod",
    b"news:title": "title",
    b"news:publication_date": "published",
    b"news:language": "language",
}
RECORDS = {b"url", b"sitemap"}


def read_loosely(found: Iterator[bytes]) -> Iterator[Listed]:
    fields: dict[str, str] = {}
    field: str | None = None
    for token in _tokens(found):
        name = (token["name"] or b"").lower()
        local = name.rpartition(b":")[2]
        if local in RECORDS:
            yield from _finished(fields)
            fields = {}
        if token["section"] is None:
            field = None if token["close"] else FIELDS.get(name if not _ours(name) else local)
        text = _text(token["section"] if token["section"] is not None else token["text"])
        if field and text:
            fields.setdefault(field, text)
    yield from _finished(fields)


def kind_of(start: bytes) -> Kind | None:
    """Which of the two a document that cannot be parsed seems to be."""
    start = start.lower()
    if b"sitemapindex" in start:
        return "index"
    return "urls" if b"urlset" in start or b"<loc>" in start else None


def _ours(name: bytes) -> bool:
    """A prefix that somebody gave the standard's own names, not that of an extension."""
    prefix = name.partition(b":")[0]
    return b":" in name and prefix not in (b"image", b"video", b"news", b"xhtml", b"mobile")


def _finished(fields: dict[str, str]) -> Iterator[Listed]:
    if fields.get("url"):
        yield Listed(**fields)


def _tokens(found: Iterator[bytes]) -> Iterator[re.Match[bytes]]:
    """A token's text ends where the next one begins, so the last one of a piece waits for the next piece."""
    tail = b""
    for piece in found:
        tail = _uncommented(tail + piece)
        cut = tail.rfind(b"<")
        comment = tail.rfind(b"<!--")
        cut = max(comment if comment >= 0 else cut, 0)
        yield from TOKEN.finditer(tail[:cut])
        tail = tail[cut:] if len(tail) - cut <= LONGEST_TAIL else b""
    yield from TOKEN.finditer(tail)


def _uncommented(text: bytes) -> bytes:
    # Only up to the last end of a comment: every beginning before it has an end, so each letter is read once.
    end = text.rfind(b"-->") + 3
    return COMMENT.sub(b"", text[:end]) + text[end:] if end > 2 else text


def _text(raw: bytes) -> str:
    return REFERENCE.sub(_character, raw[:8192].decode("utf-8", "replace")).strip()


def _character(found: re.Match[str]) -> str:
    name = found[1]
    if not name.startswith("#"):
        return NAMED[name]
    code = int("0" + name[1:], 0) if name[1] in "xX" else int(name[1:])
    return chr(code) if 0x20 <= code < 0xD800 or 0xE000 <= code < 0x110000 else ""
