"""A parsed page as blocks of text in document order, each with the chain of elements around it.

The tree is never walked node by node: Lexbor serialises it, and its serialised form is regular (attribute values hold
neither `<` nor `>`), so that one regular expression cuts it into (tag, attributes, following text).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

BLOCK_TAGS = (
    "body", "p", "div", "section", "article", "main", "aside", "nav", "header", "footer", "hgroup", "ul", "ol", "li",
    "dl", "dt", "dd", "menu", "dir", "table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption", "h1", "h2", "h3",
    "h4", "h5", "h6", "blockquote", "pre", "form", "fieldset", "legend", "figure", "figcaption", "address", "details",
    "summary", "dialog", "button", "label", "center", "search", "optgroup", "option", "noscript", "xmp", "listing",
    "frameset", "marquee", "turbo-frame",
)  # fmt: skip
TAG_NUMBER = {name: number for number, name in enumerate(BLOCK_TAGS)}
_CLOSES = {"/" + name: number for name, number in TAG_NUMBER.items()}
# Of markup that the parser has written: every tag in it is closed.
_TOKEN = re.compile(r"<(/?[^\s>/]++)([^>]*+)>([^<]*)")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_LONG_ENOUGH_TO_BREAK = 40
# Ten times what long pages have. The rest is left out, and the reading is marked as truncated.
MOST_BLOCKS = 20_000


Handler = Callable[[str, str], None]


@dataclass(slots=True)
class FlatPage:
    """Blocks and elements as columns, since they are counted over the whole page at once. `block_elements` are the
    elements that contain the blocks."""

    texts: list[str] = field(default_factory=list)
    words: list[int] = field(default_factory=list)
    block_elements: list[int] = field(default_factory=list)
    link_characters: list[int] = field(default_factory=list)
    link_counts: list[int] = field(default_factory=list)
    image_counts: list[int] = field(default_factory=list)
    bold_characters: list[int] = field(default_factory=list)
    breaks: list[int] = field(default_factory=list)
    tags: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    attributes: list[str] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    last: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    anchors: list[tuple[int, str]] = field(default_factory=list)
    pictures: list[tuple[int, str]] = field(default_factory=list)


def flatten(markup: str) -> FlatPage:
    if "<!--" in markup:
        markup = _COMMENT.sub("", markup)
    walk = _Walk()
    handlers = walk.handlers()
    parts = walk.parts
    for name, attributes, text in _TOKEN.findall(markup):
        handler = handlers.get(name)
        if handler is not None:
            handler(name, attributes)
        # White space between words counts, white space between blocks does not.
        if text and (parts or not text.isspace()):
            parts.append(text)
    return walk.finish()


def unescape(text: str) -> str:
    """Undoes the four escapes that the serialiser writes, and the one of attribute values."""
    if "&" not in text:
        return text
    text = text.replace("&nbsp;", "\u00a0").replace("&lt;", "<").replace("&gt;", ">")
    return text.replace("&quot;", '"').replace("&amp;", "&")


class _Walk:
    __slots__ = (
        "blocks", "bold", "bold_from", "broken", "elements", "images", "last", "line_break_at", "link_from", "linked", "links", "page", "parts",
        "stack", "verbatim",
    )  # fmt: skip

    def __init__(self) -> None:
        self.page = FlatPage()
        self.elements: list[tuple[int, int, str, int, int]] = []
        self.blocks: list[tuple[str, int, int, int, int, int, int, int]] = []
        self.last: list[int] = []
        self.parts: list[str] = []
        self.stack: list[int] = []
        self.link_from = -1
        self.bold_from = -1
        self.linked = self.links = self.images = self.bold = self.broken = 0
        self.verbatim = 0
        self.line_break_at = -1
        self._open("body", "")

    def handlers(self) -> dict[str, Handler]:
        table: dict[str, Handler] = {name: self._open for name in BLOCK_TAGS if name != "body"}
        table |= {"/" + name: self._close for name in BLOCK_TAGS if name != "body"}
        table |= {"pre": self._open_verbatim, "/pre": self._close_verbatim}
        table |= {"a": self._open_link, "/a": self._close_link, "br": self._line_break, "img": self._picture}
        table |= {"hr": self._rule}
        for name in ("b", "strong"):
            table |= {name: self._open_bold, "/" + name: self._close_bold}
        return table

    def finish(self) -> FlatPage:
        """Rows to columns."""
        self._flush()
        while self.stack:
            self.last[self.stack.pop()] = len(self.blocks)
        page = self.page
        page.last = self.last
        parents, tags, attributes, first, depths = zip(*self.elements, strict=True)
        page.parents, page.tags, page.attributes = list(parents), list(tags), list(attributes)
        page.first, page.depths = list(first), list(depths)
        if self.blocks:
            texts, words, block_elements, linked, links, images, bold, breaks = zip(*self.blocks, strict=True)
            page.texts, page.words, page.block_elements = list(texts), list(words), list(block_elements)
            page.link_characters, page.link_counts = list(linked), list(links)
            page.image_counts, page.bold_characters, page.breaks = list(images), list(bold), list(breaks)
        return page

    def _open(self, name: str, attributes: str) -> None:
        if self.parts:
            self._flush()
        stack, elements = self.stack, self.elements
        number = len(elements)
        around = stack[-1] if stack else 0
        stack.append(number)
        elements.append((around, TAG_NUMBER[name], attributes, len(self.blocks), len(stack)))
        self.last.append(0)

    def _close(self, name: str, _: str) -> None:
        if self.parts:
            self._flush()
        stack = self.stack
        if self.elements[stack[-1]][1] == _CLOSES[name] and len(stack) > 1:
            self.last[stack.pop()] = len(self.blocks)
        else:
            self._close_outer(_CLOSES[name])

    def _close_outer(self, tag: int) -> None:
        """Serialised markup is well formed; raw text that looks like markup is not."""
        stack = self.stack
        if all(self.elements[number][1] != tag for number in stack[1:]):
            return
        while len(stack) > 1:
            number = stack.pop()
            self.last[number] = len(self.blocks)
            if self.elements[number][1] == tag:
                return

    def _open_verbatim(self, name: str, attributes: str) -> None:
        self._open(name, attributes)
        self.verbatim += 1

    def _close_verbatim(self, name: str, attributes: str) -> None:
        self._close(name, attributes)
        self.verbatim = max(0, self.verbatim - 1)

    def _open_link(self, _: str, attributes: str) -> None:
        self.links += 1
        self.link_from = len(self.parts)
        self.page.anchors.append((len(self.blocks), attributes))

    def _close_link(self, _name: str, _: str) -> None:
        if self.link_from >= 0:
            self.linked += sum([len(part) for part in self.parts[self.link_from :]])
        self.link_from = -1

    def _open_bold(self, _name: str, _: str) -> None:
        self.bold_from = len(self.parts)

    def _close_bold(self, _name: str, _: str) -> None:
        if self.bold_from >= 0:
            self.bold += sum([len(part) for part in self.parts[self.bold_from :]])
        self.bold_from = -1

    def _picture(self, _: str, attributes: str) -> None:
        self.images += 1
        self.page.pictures.append((len(self.blocks), attributes))

    def _rule(self, _name: str, _: str) -> None:
        if self.parts:
            self._flush()

    def _line_break(self, _name: str, _: str) -> None:
        self.broken += 1
        parts = self.parts
        if self.verbatim:
            parts.append("\n")
        elif self.line_break_at >= 0 and not "".join(parts[self.line_break_at :]).strip():
            if len("".join(parts)) > _LONG_ENOUGH_TO_BREAK:
                self._flush()
        else:
            parts.append(" ")
            self.line_break_at = len(parts)

    def _flush(self) -> None:
        parts = self.parts
        raw = parts[0] if len(parts) == 1 else "".join(parts)
        words = raw.split()
        if words:
            self._close_open_runs()
            self._add(raw.strip("\n").rstrip() if self.verbatim else " ".join(words), len(words))
        elif self.link_from > 0:
            self.link_from = 0
        self.linked = self.links = self.images = self.bold = self.broken = 0
        parts.clear()
        self.line_break_at = -1

    def _close_open_runs(self) -> None:
        """A link or bold run that spans blocks counts in each of them."""
        if self.link_from >= 0:
            self.linked += sum([len(part) for part in self.parts[self.link_from :]])
            self.links = self.links or 1
            self.link_from = 0
        if self.bold_from >= 0:
            self.bold += sum([len(part) for part in self.parts[self.bold_from :]])
            self.bold_from = 0

    def _add(self, text: str, words: int) -> None:
        if "&" in text:
            text = unescape(text)
            if "\u00a0" in text and not self.verbatim:
                pieces = text.split()
                text, words = " ".join(pieces), len(pieces)
                if not pieces:
                    return
        if len(self.blocks) >= MOST_BLOCKS:
            return
        length = len(text)
        linked, bold = min(self.linked, length), min(self.bold, length)
        element = self.stack[-1]
        self.blocks.append((text, words, element, linked, self.links, self.images, bold, self.broken))
