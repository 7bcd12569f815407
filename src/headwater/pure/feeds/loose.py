"""A tree from a document no XML parser accepts.

Only tags of the feed vocabulary count; everything else is text of the element it stands in. Items
end where the next begins, elements end at their closing tag or, when that is missing, where the
next known one begins. The work is linear in the size of the document.
"""

import re
from bisect import bisect_left
from itertools import islice
from xml.etree.ElementTree import Element, SubElement

from headwater.pure.feeds.loose_text import attributes_of, text_of
from headwater.pure.feeds.names import canonical, prefix_of
from headwater.pure.feeds.notes import Note
from headwater.pure.feeds.sections import section_end
from headwater.pure.feeds.vocabulary import CONTENTS, ENTRIES, HOLDERS, LEAVES, ROOTS, VOID

TOKEN = re.compile(rb"<!--|<(/?)([a-z_][a-z0-9._:-]{0,63})([^<>]*)>?")
FENCE = re.compile(
    rb"<!\[cdata\[|<(/?)(?:[a-z0-9]{1,16}:)?(?:item|entry)(?![a-z0-9._:-])|</(?:channel|feed|rss|rdf:rdf)\s*>"
)
PREFIXES = re.compile(rb"""xmlns:([\w.-]{1,32})\s*=\s*["']([^"'<>]{1,200})["']""")
SECTION = b"<![cdata["
MOST_PREFIXES = 64


def loose_tree(data: bytes, note: Note) -> Element | None:
    """None when no feed tag was met."""
    scanner = _Scanner(data)
    root = scanner.scan()
    if root is not None:
        note("loose_reading", "")
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
            name = canonical(text) if known == "other" else f"{known}:{local}" if known else local
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
        if self.lowered.startswith(SECTION, end):
            end = max(section_end(self.lowered, end), end)
        element.text = text_of(self.data[token.end() : end if end >= 0 else len(self.data)])
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
        element.text = text_of(
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
        if not self.lowered.startswith(SECTION, opening):
            return start
        end = section_end(self.lowered, opening)
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
        return attributes_of(self.data[token.start(3) : token.end(3)]) if token[3] else {}


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
        if found[0] != SECTION:
            fences.append(found.start())
            continue
        end = section_end(lowered, found.start())
        position = end if end >= 0 else position
    return fences
