"""The text of an entry: which element carries it, and whether it is markup."""

import base64
import binascii
import html
import re
from typing import Literal
from xml.etree.ElementTree import Element

from headwater.pure.feeds.fields import Fields
from headwater.pure.feeds.markup import inner_markup
from headwater.pure.feeds.names import attribute, canonical
from headwater.pure.feeds.notes import Note
from headwater.pure.feeds.wording import ANY_TAG, looks_like_html, mended

Kind = Literal["html", "text"]
Body = tuple[str, Kind]

CONTENTS = ("content:encoded", "content", "body", "xhtml:body", "fullitem", "encoded")
SUMMARIES = (
    "description",
    "summary",
    "abstract",
    "dc:description",
    "dcterms:abstract",
    "itunes:summary",
    "media:description",
    "itunes:subtitle",
)
# Markup escaped once more than it should have been: no tag of its own, and a closing one in references.
ESCAPED_TAG = re.compile(
    r"&lt;(?:/(?:p|div|a|b|i|em|strong|span|ul|ol|li|h[1-6]|table)|(?:br|img|hr)\b[^<&]{0,300}?)\s*/?&gt;"
)
PLAIN_TYPES = ("text", "plain", "text/plain")
MARKUP_TYPES = ("html", "xhtml", "text/html", "application/xhtml+xml")


def read_bodies(fields: Fields, note: Note, *, atom: bool) -> tuple[str | None, str | None, Kind | None]:
    """Summary, content and the kind of the content; the content falls back to the summary."""
    summary = _first(fields, SUMMARIES, note, atom=atom)
    content = _first(fields, CONTENTS, note, atom=atom) or _second_description(fields, note) or summary
    if content is None:
        return None, None, None
    return summary[0] if summary else None, content[0], content[1]


def _first(fields: Fields, names: tuple[str, ...], note: Note, *, atom: bool) -> Body | None:
    for name in names:
        for element in fields.get(name, ()):
            body = read_body(element, note, atom=atom)
            if body:
                return body
    return None


def _second_description(fields: Fields, note: Note) -> Body | None:
    """Some feeds write a short and a long description side by side."""
    spare = fields.get("description", ())[1:]
    bodies = [body for element in spare if (body := read_body(element, note, atom=False))]
    return max(bodies, key=lambda body: len(body[0]), default=None)


def read_body(element: Element, note: Note, *, atom: bool) -> Body | None:
    kind = (attribute(element, "type") or "").lower() if element.attrib else ""
    if len(element):
        return _inline(element, note)
    text = (element.text or "").strip()
    if not text:
        return None
    if element.attrib and is_packed(element, kind, atom=atom):
        return _unpacked(text, kind, note)
    if "&lt;" in text and "<" not in text and kind not in PLAIN_TYPES and ESCAPED_TAG.search(text):
        note("double_encoded_body", text)
        text = html.unescape(text)
    return mended(text, note), _kind(text, kind, note, atom=atom)


def _kind(text: str, kind: str, note: Note, *, atom: bool) -> Kind:
    if kind in MARKUP_TYPES:
        return "html"
    if not atom:
        return "html" if looks_like_html(text) else "text"
    if kind in PLAIN_TYPES or not ANY_TAG.search(text):
        return "text"
    note("untyped_markup", text)
    return "html"


def _inline(element: Element, note: Note) -> Body | None:
    """Markup that was not escaped; the div that XHTML content must be wrapped in is not part of it."""
    holder = element
    only = element[0]
    alone = len(element) == 1 and not (element.text or "").strip() and not (only.tail or "").strip()
    if alone and canonical(only.tag) in {"xhtml:div", "div"}:
        holder = only
    text = inner_markup(holder).strip()
    return (mended(text, note), "html") if text else None


def is_packed(element: Element, kind: str, *, atom: bool) -> bool:
    if attribute(element, "mode") == "base64":
        return True
    return atom and "/" in kind and not kind.startswith("text/") and not kind.endswith(("xml", "json"))


def _unpacked(text: str, kind: str, note: Note) -> Body | None:
    """Base64 is opened only where text comes out of it: a picture is no body."""
    try:
        opened = base64.b64decode(text, validate=False).decode().strip()
    except (binascii.Error, ValueError):
        note("binary_content", kind)
        return None
    if not opened:
        return None
    return opened, "html" if kind in MARKUP_TYPES or looks_like_html(opened) else "text"
