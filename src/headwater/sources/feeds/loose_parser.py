"""An element tree from a document that no XML parser accepts.

Only tags of the feed vocabulary count; everything else is text of the element around it. An item ends where the next
one begins; an element ends at its closing tag or, without one, where the next known element begins. The work is
linear in the size of the document.
"""

import html
import re
from bisect import bisect_left
from itertools import islice
from xml.etree.ElementTree import Element, SubElement

from headwater.model.warning_log import Warn
from headwater.sources.feeds.body import CONTENT_NAMES, SUMMARY_NAMES
from headwater.sources.feeds.entry import (
    AUTHOR_NAMES,
    CATEGORY_NAMES,
    ID_NAMES,
    KEYWORD_LIST_NAMES,
    PUBLISHED_NAMES,
    SUBTITLE_NAMES,
    TITLE_NAMES,
    UPDATED_NAMES,
)
from headwater.sources.feeds.namespaces import (
    RDF_ABOUT,
    RDF_RESOURCE,
    XML_BASE,
    XML_LANGUAGE,
    canonical_name,
    prefix_of,
)
from headwater.sources.feeds.xml_repair import cdata_end

ENTRY_TAGS = frozenset(("item", "entry"))
ROOT_TAGS = frozenset(("rss", "rdf:rdf", "feed", "channel"))
BODY_NAMES = frozenset((*CONTENT_NAMES, *SUMMARY_NAMES))
_PERSON = frozenset(("name", "email", "uri", "url", "homepage", "itunes:name", "itunes:email"))
_PICTURE = frozenset(("title", "link", "description", "url", "width", "height"))
_SOURCE = frozenset(
    (
        "title",
        "link",
        "id",
        "updated",
        "subtitle",
        "rights",
        "category",
        "generator",
        "icon",
        "logo",
        "author",
    ),
)
_MEDIA = frozenset(
    (
        "media:content",
        "media:thumbnail",
        "media:title",
        "media:description",
        "media:keywords",
        "media:category",
    ),
)
# Elements that contain others, each with what it may contain.
CONTAINERS = {
    "author": _PERSON,
    "contributor": _PERSON,
    "itunes:owner": _PERSON,
    "source": _SOURCE | _PERSON,
    "image": _PICTURE,
    "textinput": _PICTURE | {"name"},
    "media:group": _MEDIA,
}
FIELD_NAMES = frozenset(
    (
        *BODY_NAMES,
        *TITLE_NAMES,
        *SUBTITLE_NAMES,
        *ID_NAMES,
        *PUBLISHED_NAMES,
        *UPDATED_NAMES,
        *KEYWORD_LIST_NAMES,
        *CATEGORY_NAMES,
        *(name for name in AUTHOR_NAMES if name not in CONTAINERS),
        *_PERSON,
        *_PICTURE,
        *_MEDIA,
        *(
            "enclosure",
            "comments",
            "itunes:image",
            "dc:language",
            "language",
            "slash:comments",
            "feedburner:origlink",
        ),
        *(
            "ttl",
            "subtitle",
            "tagline",
            "generator",
            "copyright",
            "rights",
            "managingeditor",
            "webmaster",
            "docs",
        ),
        *("sy:updateperiod", "sy:updatefrequency", "icon", "logo", "cloud", "rating", "wfw:commentrss"),
    ),
)
URL_NAMES = frozenset(("link", "guid", "id", "comments", "url"))
# An element with one of these attributes is complete without a closing tag.
VOID_ATTRIBUTES = {
    "link": ("href",),
    "category": ("term",),
    "enclosure": ("url", "href"),
    "media:content": ("url",),
    "media:thumbnail": ("url",),
    "itunes:image": ("href",),
    "cloud": ("domain",),
}
ATTRIBUTE = re.compile(rb"""([A-Za-z_][\w:.-]{0,63})\s*=\s*(?:"([^"]*)"?|'([^']*)'?|([^\s"'>]+))""")
CDATA_SECTION = re.compile(rb"<!\[CDATA\[(.*?)(?:\]\]>|\Z)", re.DOTALL | re.IGNORECASE)
MARKUP = re.compile(rb"</?[A-Za-z][A-Za-z0-9:]*(?:\s[^<>]*)?/?>")
COMMENT = re.compile(rb"<!--[^<>]*-->")
NAMESPACED_ATTRIBUTES = {
    "xml:base": XML_BASE,
    "xml:lang": XML_LANGUAGE,
    "rdf:about": RDF_ABOUT,
    "rdf:resource": RDF_RESOURCE,
}
TOKEN = re.compile(rb"<!--|<(/?)([a-z_][a-z0-9._:-]{0,63})([^<>]*)>?")
FENCE = re.compile(
    rb"<!\[cdata\[|<(/?)(?:[a-z0-9]{1,16}:)?(?:item|entry)(?![a-z0-9._:-])|</(?:channel|feed|rss|rdf:rdf)\s*>"
)
PREFIXES = re.compile(rb"""xmlns:([\w.-]{1,32})\s*=\s*["']([^"'<>]{1,200})["']""")
CDATA_START = b"<![cdata["
MOST_PREFIXES = 64


def parse_loosely(data: bytes, warn: Warn) -> Element | None:
    """The root of the tree; None if the document holds no feed tag."""
    scanner = _Scanner(data)
    root = scanner.scan()
    if root is not None:
        warn("loose_reading", "")
    return root


class _Scanner:
    __slots__ = ("data", "fences", "lowered", "names", "next_positions", "prefixes", "root", "stack")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.lowered = data.lower()
        self.prefixes = {
            match[1].decode("ascii", "replace").lower(): prefix_of(match[2].decode("ascii", "replace"))
            for match in islice(PREFIXES.finditer(data), MOST_PREFIXES)
        }
        self.next_positions: dict[bytes, tuple[int, int]] = {}
        self.names: dict[bytes, str] = {}
        self.fences = _fences(self.lowered)
        self.root: Element | None = None
        self.stack: list[tuple[str, Element]] = []

    def scan(self) -> Element | None:
        position = 0
        while token := TOKEN.search(self.lowered, position):
            position = self._handle_tag(token)
        return self.root

    def _handle_tag(self, token: re.Match[bytes]) -> int:
        """Handle one tag; returns the position at which to continue."""
        if token[2] is None:
            end = self._find(b"-->", token.end())
            return end + 3 if end < len(self.data) else token.end()
        name = self.name_of(token[2])
        if token[1]:
            self._close(name)
            return token.end()
        if name in ENTRY_TAGS or name in ROOT_TAGS:
            self._open(name, token)
        elif name in CONTAINERS:
            self._container(name, token)
        elif name in FIELD_NAMES and self.stack:
            return self._leaf(name, token)
        return token.end()

    def name_of(self, raw: bytes) -> str:
        name = self.names.get(raw)
        if name is None:
            text = raw.decode("ascii")
            prefix, _, local = text.rpartition(":")
            namespace_prefix = self.prefixes.get(prefix, "other") if prefix else "other"
            name = (
                canonical_name(text)
                if namespace_prefix == "other"
                else f"{namespace_prefix}:{local}"
                if namespace_prefix
                else local
            )
            self.names[raw] = name
        return name

    def _open(self, name: str, token: re.Match[bytes]) -> None:
        attributes = self._attributes(token)
        if self.root is None:
            self.root = Element(_root_tag_for(name), attributes if name in ROOT_TAGS else {})
            self.stack = [(self.root.tag, self.root)]
            if name in ROOT_TAGS and name != "channel":
                return
        self._unwind(name)
        if name in ROOT_TAGS and name != "channel":
            # A second document pasted after the first adds its entries to it.
            return
        element = SubElement(self.stack[-1][1] if self.stack else self.root, name, attributes)
        self.stack.append((name, element))
        if token[0].endswith(b"/>"):
            self.stack.pop()

    def _unwind(self, name: str) -> None:
        """Close the open item, because an item or a channel begins."""
        while self.stack and self.stack[-1][0] not in ROOT_TAGS:
            self.stack.pop()
        if name in ROOT_TAGS and self.root is not None:
            self.stack = [(self.root.tag, self.root)]

    def _container(self, name: str, token: re.Match[bytes]) -> None:
        if not self.stack:
            return
        self._leave_containers(name)
        element = SubElement(self.stack[-1][1], name, self._attributes(token))
        if token[0].endswith(b"/>"):
            return
        end = self.lowered.find(b"<", token.end())
        if self.lowered.startswith(CDATA_START, end):
            end = max(cdata_end(self.lowered, end), end)
        element.text = parse_text(self.data[token.end() : end if end >= 0 else len(self.data)])
        self.stack.append((name, element))

    def _leave_containers(self, name: str) -> None:
        """Close containers that cannot hold this field: their closing tag is missing."""
        while (
            self.stack and (allowed := CONTAINERS.get(self.stack[-1][0])) is not None and name not in allowed
        ):
            self.stack.pop()

    def _leaf(self, name: str, token: re.Match[bytes]) -> int:
        self._leave_containers(name)
        attributes = self._attributes(token)
        element = SubElement(self.stack[-1][1], name, attributes)
        if token[0].endswith(b"/>") or any(key in attributes for key in VOID_ATTRIBUTES.get(name, ())):
            return token.end()
        end, resume_at = self._extent(token.end(), token[2], name)
        is_url = name in URL_NAMES
        if end == len(self.data) and is_url:
            return resume_at  # the document was cut off here; the beginning of an address is another address
        element.text = parse_text(self.data[token.end() : end], is_url=is_url)
        return resume_at

    def _extent(self, start: int, raw: bytes, name: str) -> tuple[int, int]:
        """Where the text ends and where to continue."""
        index = bisect_left(self.fences, start)
        fence = self.fences[index] if index < len(self.fences) else len(self.data)
        after_section = self._after_section(start)
        fence = max(fence, after_section)
        closing = self._find(b"</" + raw, max(start, after_section))
        if closing < fence and name in BODY_NAMES:
            return closing, closing
        limit = min(closing, fence)
        sibling = self._next_feed_tag(max(start, after_section), limit)
        return sibling, sibling

    def _find(self, needle: bytes, start: int) -> int:
        """The next position of the needle, else the end. Remembered, so that a missing one is searched for once."""
        searched_from, position = self.next_positions.get(needle, (0, -1))
        if not searched_from <= start <= position:
            position = self.lowered.find(needle, start)
            position = position if position >= 0 else len(self.data)
            self.next_positions[needle] = (start, position)
        return position

    def _after_section(self, start: int) -> int:
        """The position after a closed CDATA section with which the element begins, else `start`."""
        opening = start
        while self.lowered[opening : opening + 1].isspace():
            opening += 1
        if not self.lowered.startswith(CDATA_START, opening):
            return start
        end = cdata_end(self.lowered, opening)
        return end if end >= 0 else start

    def _next_feed_tag(self, start: int, limit: int) -> int:
        while token := TOKEN.search(self.lowered, start, limit):
            name = self.name_of(token[2]) if token[2] else ""
            if name in FIELD_NAMES or name in CONTAINERS or name in ROOT_TAGS:
                return token.start()
            start = token.end()
        return limit

    def _close(self, name: str) -> None:
        if name in ROOT_TAGS and any(open_name in ENTRY_TAGS for open_name, _ in self.stack):
            # A stray closing tag of the feed does not end the entry that contains it.
            return
        for depth in range(len(self.stack) - 1, 0, -1):
            if self.stack[depth][0] == name:
                del self.stack[depth:]
                return

    def _attributes(self, token: re.Match[bytes]) -> dict[str, str]:
        return parse_attributes(self.data[token.start(3) : token.end(3)]) if token[3] else {}


def _root_tag_for(name: str) -> str:
    if name in {"item", "channel"}:
        return "rss"
    return "feed" if name == "entry" else name


def _fences(lowered: bytes) -> list[int]:
    """Where items begin and end, CDATA sections skipped."""
    fences: list[int] = []
    position = 0
    while match := FENCE.search(lowered, position):
        position = match.end()
        if match[0] != CDATA_START:
            fences.append(match.start())
            continue
        end = cdata_end(lowered, match.start())
        position = end if end >= 0 else position
    return fences


def parse_attributes(raw: bytes) -> dict[str, str]:
    attributes: dict[str, str] = {}
    for match in ATTRIBUTE.finditer(raw):
        key = match[1].decode("ascii").lower()
        value = match[2] or match[3] or match[4] or b""
        attributes.setdefault(
            NAMESPACED_ATTRIBUTES.get(key, key), html.unescape(value.decode("utf-8", "replace"))
        )
    return attributes


def parse_text(raw: bytes, *, is_url: bool = False) -> str:
    """The text as a parser would return it: CDATA taken literally, references decoded elsewhere.

    Text with unescaped tags is markup already and stays as it is.
    """
    if b"<![" not in raw:
        return _text_outside_cdata(raw, is_url=is_url)
    pieces: list[str] = []
    position = 0
    for section in CDATA_SECTION.finditer(raw):
        pieces.append(_text_outside_cdata(raw[position : section.start()], is_url=is_url))
        pieces.append(section[1].decode("utf-8", "replace"))
        position = section.end()
    pieces.append(_text_outside_cdata(raw[position:], is_url=is_url))
    return "".join(pieces)


def _text_outside_cdata(raw: bytes, *, is_url: bool) -> str:
    if is_url:
        raw = MARKUP.sub(b"", raw)
    raw = COMMENT.sub(b"", raw)
    text = raw.decode("utf-8", "replace")
    return text if MARKUP.search(raw) else html.unescape(text)
