"""The media type of a body, also where its header is missing or wrong."""

import re
from functools import lru_cache

_SNIFFED_BYTES = 1024
HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_MAGIC = (
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"RIFF", "image/webp"),
    (b"\x1f\x8b", "application/gzip"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (b"{\\rtf", "application/rtf"),
)
_OFFICE = (
    (b"word/", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    (b"xl/", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    (b"ppt/", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    (b"mimetypeapplication/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.text"),
    (b"mimetypeapplication/epub+zip", "application/epub+zip"),
)
# The first element of an XML document, after its declaration, comments, instructions and document type.
_ROOT = re.compile(
    rb"(?:\s|<\?[^>]*>|<!--.*?-->|<!doctype[^>\[]*(?:\[[^\]]*\])?\s*>)*<([a-z][\w:.-]*)", re.DOTALL
)
_ROOTS = {
    b"rss": "application/rss+xml",
    b"rdf:rdf": "application/rdf+xml",
    b"feed": "application/atom+xml",
    b"atom:feed": "application/atom+xml",
    b"urlset": "application/xml",
    b"sitemapindex": "application/xml",
    b"html": "text/html",
    b"svg": "image/svg+xml",
}
_HTML_STARTS = frozenset(
    (b"head", b"body", b"title", b"meta", b"link", b"script", b"style", b"div", b"p", b"h1", b"table", b"a")
)
_JSON_FEED = b"https://jsonfeed.org/version/"
# Types that servers send for everything. The content says more than these.
_VAGUE = frozenset(
    (
        "",
        "application/octet-stream",
        "application/unknown",
        "application/x-download",
        "application/force-download",
        "application/json",
        "application/xml",
        "binary/octet-stream",
        "text/html",
        "text/plain",
        "text/xml",
    )
)
_CHARSET = re.compile(r"""charset\s*=\s*["']?\s*([A-Za-z0-9_.:+-]+)""", re.IGNORECASE)


def media_type_of(declared: str, body: bytes) -> str:
    """The media type in lower case, without parameters: the declared one unless the body contradicts it."""
    stated = declared.partition(";")[0].strip().lower()
    start = body[:_SNIFFED_BYTES]
    sniffed = _magic(start, body)
    if sniffed is not None:
        return stated if _compatible(stated, sniffed) else sniffed
    if stated not in _VAGUE and "/" in stated:
        return stated
    return _text(start) or (stated if "/" in stated else _unknown(start))


@lru_cache(maxsize=512)
def declared_charset(declared: str) -> str | None:
    """The character set that a Content-Type names, in lower case."""
    match = _CHARSET.search(declared)
    return match.group(1).lower() if match else None


def _magic(start: bytes, body: bytes) -> str | None:
    for magic, name in _MAGIC:
        if start.startswith(magic):
            return name
    if start.startswith(b"PK\x03\x04"):
        return next((name for part, name in _OFFICE if part in body[:4096]), "application/zip")
    return None


def _compatible(stated: str, sniffed: str) -> bool:
    """A container says less than a declared type built on it: a word processor's file is a zip file."""
    containers = ("application/zip", "application/gzip", "application/x-ole-storage", "image/webp")
    return sniffed in containers and stated not in _VAGUE and "/" in stated


def _text(start: bytes) -> str | None:
    text = start.lstrip(b"\xef\xbb\xbf\x00 \t\r\n").lower()
    if text.startswith((b"{", b"[")):
        return "application/feed+json" if _JSON_FEED in text else "application/json"
    if not text.startswith(b"<"):
        return None
    if text.startswith(b"<!doctype html"):
        return "text/html"
    return _markup(text)


def _markup(text: bytes) -> str | None:
    root = _ROOT.match(text)
    name = root.group(1) if root else b""
    if name in _ROOTS:
        return _ROOTS[name]
    if name in _HTML_STARTS:
        return "text/html"
    return "application/xml" if text.startswith(b"<?xml") else None


def _unknown(start: bytes) -> str:
    return "application/octet-stream" if b"\x00" in start else "text/plain"
