"""Attributes and text cut out of a document that could not be parsed."""

import html
import re

from headwater.pure.feeds.names import RDF_ABOUT, RDF_RESOURCE, XML_BASE, XML_LANGUAGE

ATTRIBUTE = re.compile(rb"""([A-Za-z_][\w:.-]{0,63})\s*=\s*(?:"([^"]*)"?|'([^']*)'?|([^\s"'>]+))""")
SECTION = re.compile(rb"<!\[CDATA\[(.*?)(?:\]\]>|\Z)", re.DOTALL | re.IGNORECASE)
MARKUP = re.compile(rb"</?[A-Za-z][A-Za-z0-9:]*(?:\s[^<>]*)?/?>")
COMMENT = re.compile(rb"<!--[^<>]*-->")
KEYS = {
    "xml:base": XML_BASE,
    "xml:lang": XML_LANGUAGE,
    "rdf:about": RDF_ABOUT,
    "rdf:resource": RDF_RESOURCE,
}


def attributes_of(raw: bytes) -> dict[str, str]:
    found: dict[str, str] = {}
    for match in ATTRIBUTE.finditer(raw):
        key = match[1].decode("ascii").lower()
        value = match[2] or match[3] or match[4] or b""
        found.setdefault(KEYS.get(key, key), html.unescape(value.decode("utf-8", "replace")))
    return found


def text_of(raw: bytes, *, address: bool = False) -> str:
    """What a parser would have given: sections taken literally, references decoded elsewhere.

    Text with tags in it that were never escaped is markup already, and stays as it is.
    """
    if b"<![" not in raw:
        return _outside(raw, address=address)
    pieces: list[str] = []
    position = 0
    for section in SECTION.finditer(raw):
        pieces.append(_outside(raw[position : section.start()], address=address))
        pieces.append(section[1].decode("utf-8", "replace"))
        position = section.end()
    pieces.append(_outside(raw[position:], address=address))
    return "".join(pieces)


def _outside(raw: bytes, *, address: bool) -> str:
    if address:
        raw = MARKUP.sub(b"", raw)
    raw = COMMENT.sub(b"", raw)
    text = raw.decode("utf-8", "replace")
    return text if MARKUP.search(raw) else html.unescape(text)
