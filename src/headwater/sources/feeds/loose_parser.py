"""The element names that mean something in a feed, by their role in a document read loosely."""

import html
import re
from bisect import bisect_left
from itertools import islice
from xml.etree.ElementTree import Element, SubElement

from headwater.model.warning_log import Warn
from headwater.sources.feeds import body as bodies
from headwater.sources.feeds import entry
from headwater.sources.feeds.namespaces import (
    RDF_ABOUT,
    RDF_RESOURCE,
    XML_BASE,
    XML_LANGUAGE,
    canonical_name,
    prefix_of,
)
from headwater.sources.feeds.xml_repair import cdata_end

ENTRIES = frozenset(("item", "entry"))
ROOTS = frozenset(("rss", "rdf:rdf", "feed", "channel"))
CONTENTS = frozenset((*bodies.CONTENTS, *bodies.SUMMARIES))
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
# Elements that hold others, each with what may stand inside it.
HOLDERS = {
    "author": _PERSON,
    "contributor": _PERSON,
    "itunes:owner": _PERSON,
    "source": _SOURCE | _PERSON,
    "image": _PICTURE,
    "textinput": _PICTURE | {"name"},
    "media:group": _MEDIA,
}
LEAVES = frozenset(
    (
        *CONTENTS,
        *entry.TITLES,
        *entry.SUBTITLES,
        *entry.IDENTITIES,
        *entry.PUBLISHED,
        *entry.UPDATED,
        *entry.LISTS,
        *entry.SUBJECTS,
        *(name for name in entry.AUTHORS if name not in HOLDERS),
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
# An element with one of these attributes says everything in it and needs no closing tag.
VOID = {
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
KEYS = {
    "xml:base": XML_BASE,
    "xml:lang": XML_LANGUAGE,
    "rdf:about": RDF_ABOUT,
    "rdf:resource": RDF_RESOURCE,
}


def parse_attributes(raw: bytes) -> dict[str, str]:
    found: dict[str, str] = {}
    for match in ATTRIBUTE.finditer(raw):
        key = match[1].decode("ascii").lower()
        value = match[2] or match[3] or match[4] or b""
        found.setdefault(KEYS.get(key, key), html.unescape(value.decode("utf-8", "replace")))
    return found


def parse_text(raw: bytes, *, address: bool = False) -> str:
    """What a parser would have given: sections taken literally, references decoded elsewhere.

    Text with tags in it that were never escaped is markup already, and stays as it is.
    """
    if b"<![" not in raw:
        return _outside(raw, address=address)
    pieces: list[str] = []
    position = 0
    for section in CDATA_SECTION.finditer(raw):
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


TOKEN = re.compile(rb"<!--|<(/?)([a-z_][a-z0-9._:-]{0,63})([^<>]*)>?")
FENCE = re.compile(
    rb"<!\[cdata\[|<(/?)(?:[a-z0-9]{1,16}:)?(?:item|entry)(?![a-z0-9._:-])|</(?:channel|feed|rss|rdf:rdf)\s*>"
)
PREFIXES = re.compile(rb"""xmlns:([\w.-]{1,32})\s*=\s*["']([^"'<>]{1,200})["']""")
CDATA_START = b"<![cdata["
MOST_PREFIXES = 64


def parse_loosely(data: bytes, warn: Warn) -> Element | None:
    """None when no feed tag was met."""
    scanner = _Scanner(data)
    root = scanner.scan()
    if root is not None:
        warn("loose_reading", "")
    return root


class _Scanner:
    __slots__ = ("data", "fences", "found", "lowered", "names", "prefixes", "root", "stack")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.lowered = data.lower()
        self.prefixes = {
            match[1].decode("ascii", "replace").lower(): prefix_of(match[2].decode("ascii", "replace"))
            for match in islice(PREFIXES.finditer(data), MOST_PREFIXES)
        }
        self.found: dict[bytes, tuple[int, int]] = {}
        self.names: dict[bytes, str] = {}
        self.fences = _fences(self.lowered)
        self.root: Element | None = None
        self.stack: list[tuple[str, Element]] = []

    def scan(self) -> Element | None:
        position = 0
        while token := TOKEN.search(self.lowered, position):
            position = self._step(token)
        return self.root

    def _step(self, token: re.Match[bytes]) -> int:
        """Deals with one tag and says where to go on."""
        if token[2] is None:
            end = self._find(b"-->", token.end())
            return end + 3 if end < len(self.data) else token.end()
        name = self.name_of(token[2])
        if token[1]:
            self._close(name)
            return token.end()
        if name in ENTRIES or name in ROOTS:
            self._open(name, token)
        elif name in HOLDERS:
            self._hold(name, token)
        elif name in LEAVES and self.stack:
            return self._leaf(name, token)
        return token.end()

    def name_of(self, raw: bytes) -> str:
        name = self.names.get(raw)
        if name is None:
            text = raw.decode("ascii")
            prefix, _, local = text.rpartition(":")
            known = self.prefixes.get(prefix, "other") if prefix else "other"
            name = canonical_name(text) if known == "other" else f"{known}:{local}" if known else local
            self.names[raw] = name
        return name

    def _open(self, name: str, token: re.Match[bytes]) -> None:
        attributes = self._attributes(token)
        if self.root is None:
            self.root = Element(_root_for(name), attributes if name in ROOTS else {})
            self.stack = [(self.root.tag, self.root)]
            if name in ROOTS and name != "channel":
                return
        self._unwind(name)
        if name in ROOTS and name != "channel":
            # A second document pasted behind the first adds its entries to it.
            return
        element = SubElement(self.stack[-1][1] if self.stack else self.root, name, attributes)
        self.stack.append((name, element))
        if token[0].endswith(b"/>"):
            self.stack.pop()

    def _unwind(self, name: str) -> None:
        """An item or a channel begins: whatever item was open is over."""
        while self.stack and self.stack[-1][0] not in ROOTS:
            self.stack.pop()
        if name in ROOTS and self.root is not None:
            self.stack = [(self.root.tag, self.root)]

    def _hold(self, name: str, token: re.Match[bytes]) -> None:
        if not self.stack:
            return
        self._leave_holders(name)
        element = SubElement(self.stack[-1][1], name, self._attributes(token))
        if token[0].endswith(b"/>"):
            return
        end = self.lowered.find(b"<", token.end())
        if self.lowered.startswith(CDATA_START, end):
            end = max(cdata_end(self.lowered, end), end)
        element.text = parse_text(self.data[token.end() : end if end >= 0 else len(self.data)])
        self.stack.append((name, element))

    def _leave_holders(self, name: str) -> None:
        """A field that cannot be inside an author or an image means that its closing tag is missing."""
        while self.stack and (inside := HOLDERS.get(self.stack[-1][0])) is not None and name not in inside:
            self.stack.pop()

    def _leaf(self, name: str, token: re.Match[bytes]) -> int:
        self._leave_holders(name)
        attributes = self._attributes(token)
        element = SubElement(self.stack[-1][1], name, attributes)
        if token[0].endswith(b"/>") or any(key in attributes for key in VOID.get(name, ())):
            return token.end()
        end, following = self._extent(token.end(), token[2], name)
        element.text = parse_text(
            self.data[token.end() : end], address=name in {"link", "guid", "id", "comments", "url"}
        )
        return following

    def _extent(self, start: int, raw: bytes, name: str) -> tuple[int, int]:
        """Where the text ends and where to go on after it."""
        index = bisect_left(self.fences, start)
        fence = self.fences[index] if index < len(self.fences) else len(self.data)
        after_section = self._after_section(start)
        fence = max(fence, after_section)
        closing = self._find(b"</" + raw, max(start, after_section))
        if closing < fence and name in CONTENTS:
            return closing, closing
        limit = min(closing, fence)
        sibling = self._next_known(max(start, after_section), limit)
        return sibling, sibling

    def _find(self, needle: bytes, start: int) -> int:
        """Where the needle comes next, else the end; remembered, so that a missing one is sought once."""
        asked, found = self.found.get(needle, (0, -1))
        if not asked <= start <= found:
            found = self.lowered.find(needle, start)
            found = found if found >= 0 else len(self.data)
            self.found[needle] = (start, found)
        return found

    def _after_section(self, start: int) -> int:
        """Behind a section of unparsed text that opens the element, if it is properly closed."""
        opening = start
        while self.lowered[opening : opening + 1].isspace():
            opening += 1
        if not self.lowered.startswith(CDATA_START, opening):
            return start
        end = cdata_end(self.lowered, opening)
        return end if end >= 0 else start

    def _next_known(self, start: int, limit: int) -> int:
        while token := TOKEN.search(self.lowered, start, limit):
            name = self.name_of(token[2]) if token[2] else ""
            if name in LEAVES or name in HOLDERS or name in ROOTS:
                return token.start()
            start = token.end()
        return limit

    def _close(self, name: str) -> None:
        if name in ROOTS and any(opened in ENTRIES for opened, _ in self.stack):
            # A stray end of the feed does not end the entry it strayed into.
            return
        for depth in range(len(self.stack) - 1, 0, -1):
            if self.stack[depth][0] == name:
                del self.stack[depth:]
                return

    def _attributes(self, token: re.Match[bytes]) -> dict[str, str]:
        return parse_attributes(self.data[token.start(3) : token.end(3)]) if token[3] else {}


def _root_for(name: str) -> str:
    if name in {"item", "channel"}:
        return "rss"
    return "feed" if name == "entry" else name


def _fences(lowered: bytes) -> list[int]:
    """Where items begin and end, unparsed sections left out."""
    fences: list[int] = []
    position = 0
    while found := FENCE.search(lowered, position):
        position = found.end()
        if found[0] != CDATA_START:
            fences.append(found.start())
            continue
        end = cdata_end(lowered, found.start())
        position = end if end >= 0 else position
    return fences
