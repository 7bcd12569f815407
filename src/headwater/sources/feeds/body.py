"""The body of an entry: which element carries it, and whether it is HTML or plain text."""

import base64
import binascii
import html
import re
from html import escape
from typing import Literal
from xml.etree.ElementTree import Element

from headwater.model.warning_log import Warn
from headwater.sources.feeds.fields import Fields, repair_encoding
from headwater.sources.feeds.namespaces import attribute_of, canonical_name
from headwater.text.markup import ANY_TAG, VOID_TAGS, looks_like_html

BodyKind = Literal["html", "text"]
EntryBody = tuple[str, BodyKind]
CONTENT_NAMES = ("content:encoded", "content", "body", "xhtml:body", "fullitem", "encoded")
SUMMARY_NAMES = (
    "description",
    "summary",
    "abstract",
    "dc:description",
    "dcterms:abstract",
    "itunes:summary",
    "media:description",
    "itunes:subtitle",
)
# Markup that was escaped twice: it holds an escaped closing tag, and no real tag.
ESCAPED_TAG = re.compile(
    r"&lt;(?:/(?:p|div|a|b|i|em|strong|span|ul|ol|li|h[1-6]|table)|(?:br|img|hr)\b[^<&]{0,300}?)\s*/?&gt;"
)
PLAIN_TYPES = ("text", "plain", "text/plain")
MARKUP_TYPES = ("html", "xhtml", "text/html", "application/xhtml+xml")


def read_bodies(fields: Fields, warn: Warn, *, atom: bool) -> tuple[str | None, str | None, BodyKind | None]:
    """Summary, content and the kind of the content, which falls back to the summary."""
    summary = _first_body(fields, SUMMARY_NAMES, warn, atom=atom)
    content = (
        _first_body(fields, CONTENT_NAMES, warn, atom=atom)
        or _longest_further_description(fields, warn)
        or summary
    )
    if content is None:
        return None, None, None
    return summary[0] if summary else None, content[0], content[1]


def _first_body(fields: Fields, names: tuple[str, ...], warn: Warn, *, atom: bool) -> EntryBody | None:
    for name in names:
        for element in fields.get(name, ()):
            body = read_body(element, warn, atom=atom)
            if body:
                return body
    return None


def _longest_further_description(fields: Fields, warn: Warn) -> EntryBody | None:
    """Some feeds write a short and a long description side by side."""
    further = fields.get("description", ())[1:]
    bodies = [body for element in further if (body := read_body(element, warn, atom=False))]
    return max(bodies, key=lambda body: len(body[0]), default=None)


def read_body(element: Element, warn: Warn, *, atom: bool) -> EntryBody | None:
    kind = (attribute_of(element, "type") or "").lower() if element.attrib else ""
    if len(element):
        return _inline_markup(element, warn)
    text = (element.text or "").strip()
    if not text:
        return None
    if element.attrib and is_base64(element, kind, atom=atom):
        return _decode_base64(text, kind, warn)
    if "&lt;" in text and "<" not in text and kind not in PLAIN_TYPES and ESCAPED_TAG.search(text):
        warn("double_encoded_body", text)
        text = html.unescape(text)
    return repair_encoding(text, warn), _body_kind(text, kind, warn, atom=atom)


def _body_kind(text: str, kind: str, warn: Warn, *, atom: bool) -> BodyKind:
    if kind in MARKUP_TYPES:
        return "html"
    if not atom:
        return "html" if looks_like_html(text) else "text"
    if kind in PLAIN_TYPES or not ANY_TAG.search(text):
        return "text"
    warn("untyped_markup", text)
    return "html"


def is_base64(element: Element, kind: str, *, atom: bool) -> bool:
    if attribute_of(element, "mode") == "base64":
        return True
    return atom and "/" in kind and not kind.startswith("text/") and not kind.endswith(("xml", "json"))


def _decode_base64(text: str, kind: str, warn: Warn) -> EntryBody | None:
    """The text in base64; None for anything else, such as a picture."""
    try:
        decoded = base64.b64decode(text, validate=False).decode().strip()
    except (binascii.Error, ValueError):
        warn("binary_content", kind)
        return None
    if not decoded:
        return None
    return decoded, "html" if kind in MARKUP_TYPES or looks_like_html(decoded) else "text"


def _inline_markup(element: Element, warn: Warn) -> EntryBody | None:
    """Markup that was not escaped, without the div that Atom demands around XHTML."""
    container = element
    child = element[0]
    wrapped = len(element) == 1 and not (element.text or "").strip() and not (child.tail or "").strip()
    if wrapped and canonical_name(child.tag) in {"xhtml:div", "div"}:
        container = child
    text = inner_markup(container).strip()
    return (repair_encoding(text, warn), "html") if text else None


def inner_markup(element: Element) -> str:
    """Everything between the element's tags as HTML, without namespaces. Not recursive: nesting may be very deep."""
    pieces = [escape(element.text or "", quote=False)]
    stack = [(iter(element), "")]
    while stack:
        children, closing = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
            pieces.append(closing)
            continue
        stack.append((iter(child), _open_tag(child, pieces)))
    return "".join(pieces)


def _open_tag(element: Element, pieces: list[str]) -> str:
    """Append the opening tag and the text; returns the closing tag and the text after it."""
    name = _local_name(element.tag)
    attributes = "".join(f' {_local_name(key)}="{escape(value)}"' for key, value in element.attrib.items())
    pieces.append(f"<{name}{attributes}>")
    tail = escape(element.tail or "", quote=False)
    if name in VOID_TAGS and not len(element) and not element.text:
        return tail
    pieces.append(escape(element.text or "", quote=False))
    return f"</{name}>{tail}"


def _local_name(tag: str) -> str:
    return tag.rpartition("}")[2]
