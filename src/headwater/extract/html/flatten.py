"""A parsed page as blocks of text in document order, each with the chain of elements around it.

The tree is never walked node by node: Lexbor serialises it, and its serialised form is regular (attribute values hold
neither `<` nor `>`), so that one regular expression cuts it into (text, tag, attributes).
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

BLOCK_TAGS = (
    "body", "p", "div", "section", "article", "main", "aside", "nav", "header", "footer", "hgroup", "ul", "ol", "li",
    "dl", "dt", "dd", "menu", "dir", "table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption", "h1", "h2", "h3",
    "h4", "h5", "h6", "blockquote", "pre", "form", "fieldset", "legend", "figure", "figcaption", "address", "details",
    "summary", "dialog", "button", "label", "center", "search", "optgroup", "option", "noscript", "xmp", "listing",
    "frameset", "marquee", "turbo-frame",
)  # fmt: skip
TAG_NUMBER = {name: number for number, name in enumerate(BLOCK_TAGS)}
_PRE = TAG_NUMBER["pre"]
# What opens a block has the number of its tag, what closes one the complement of it. Text in `pre` is treated in another way.
_BLOCKS = {
    slash + name: ~number if slash else number
    for slash in ("", "/")
    for name, number in TAG_NUMBER.items()
    if name not in ("body", "pre")
}
# Of markup that the parser has written: every tag in it is closed.
_TOKEN = re.compile(r"<(/?[^\s>/]++)([^>]*+)>")
_COMMENT = re.compile(r"<!--[^-]*+(?:-(?!->)[^-]*+)*+(?:-->)?+")
_LONG_ENOUGH_TO_BREAK = 40
# Ten times what long pages have. The rest is left out, and the reading is marked as truncated.
MOST_BLOCKS = 20_000


Handler = Callable[[str], None]


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
    # One flat list of strings, cut into columns: a tuple for each token would cost a third more.
    cut = _TOKEN.split(_COMMENT.sub("", markup) if "<!--" in markup else markup)
    texts = cut[3::3]
    if "<" in "".join(texts):
        texts = [text.partition("<")[0] for text in texts]
    walk = _Walk()
    walk.follow(zip(cut[1::3], cut[2::3], texts, strict=True))
    return walk.finish()


def unescape(text: str) -> str:
    """Undoes the four escapes that the serialiser writes, and the one of attribute values."""
    if "&" not in text:
        return text
    text = text.replace("&nbsp;", "\u00a0").replace("&lt;", "<").replace("&gt;", ">")
    return text.replace("&quot;", '"').replace("&amp;", "&")


class _Walk:
    """What is open while the tokens pass. Elements are columns of the page from the start; rows of blocks lie one after the other in a
    flat list. `here` is the innermost open element."""

    __slots__ = (
        "block_rows", "bold", "bold_from", "broken", "here", "images", "line_break_at", "link_from", "linked", "links", "page", "parts",
        "texts", "verbatim",
    )  # fmt: skip

    def __init__(self) -> None:
        self.page = FlatPage(tags=[TAG_NUMBER["body"]], parents=[0], attributes=[""], first=[0], last=[0])
        self.texts = self.page.texts
        self.block_rows: list[int] = []
        self.parts: list[str] = []
        self.here = 0
        self.link_from = -1
        self.bold_from = -1
        self.linked = self.links = self.images = self.bold = self.broken = 0
        self.verbatim = 0
        self.line_break_at = -1

    def follow(self, tokens: Iterable[tuple[str, str, str]]) -> None:
        """Half of all tokens open or close a block: these are handled here, without a call."""
        page, parts, texts, here = self.page, self.parts, self.texts, self.here
        tags, parents, last = page.tags, page.parents, page.last
        add_tag, add_parent, add_last = tags.append, parents.append, last.append
        add_attributes, add_first = page.attributes.append, page.first.append
        handlers = self._handlers()
        for name, attributes, text in tokens:
            tag = _BLOCKS.get(name)
            if tag is None:
                if (handle := handlers.get(name)) is not None:
                    self.here = here
                    handle(attributes)
                    here = self.here
            else:
                if parts:
                    self.here = here
                    self._flush()
                if tag >= 0:
                    add_parent(here)
                    here = len(last)
                    add_last(0)
                    add_tag(tag)
                    add_attributes(attributes)
                    add_first(len(texts))
                elif tags[here] == ~tag and here:
                    last[here] = len(texts)
                    here = parents[here]
                else:
                    self.here = here
                    self._close_outer(~tag)
                    here = self.here
            # White space between words counts, white space between blocks does not.
            if text and (parts or not text.isspace()):
                parts.append(text)
        self.here = here

    def _handlers(self) -> dict[str, Handler]:
        table: dict[str, Handler] = {"pre": self._open_verbatim, "/pre": self._close_verbatim}
        table |= {"a": self._open_link, "/a": self._close_link, "br": self._line_break, "img": self._picture}
        table |= {"hr": self._end_block}
        for name in ("b", "strong"):
            table |= {name: self._open_bold, "/" + name: self._close_bold}
        return table

    def finish(self) -> FlatPage:
        """What is still open ends with the page; rows to columns."""
        self._flush()
        page, blocks, count = self.page, self.block_rows, len(self.texts)
        page.last[0] = count
        while self.here:
            page.last[self.here] = count
            self.here = page.parents[self.here]
        depths = page.depths
        depths.append(1)
        for parent in page.parents[1:]:
            depths.append(depths[parent] + 1)
        page.words, page.block_elements = blocks[::7], blocks[1::7]
        page.link_characters, page.link_counts = blocks[2::7], blocks[3::7]
        page.image_counts, page.bold_characters, page.breaks = blocks[4::7], blocks[5::7], blocks[6::7]
        return page

    def _open(self, tag: int, attributes: str) -> None:
        page = self.page
        page.parents.append(self.here)
        self.here = len(page.last)
        page.last.append(0)
        page.tags.append(tag)
        page.attributes.append(attributes)
        page.first.append(len(self.texts))

    def _close_outer(self, tag: int) -> None:
        """Serialised markup is well formed; raw text that looks like markup is not."""
        tags, parents = self.page.tags, self.page.parents
        outer = self.here
        while outer and tags[outer] != tag:
            outer = parents[outer]
        if not outer:
            return
        element, until = self.here, parents[outer]
        while element != until:
            self.page.last[element] = len(self.texts)
            element = parents[element]
        self.here = until

    def _open_verbatim(self, attributes: str) -> None:
        self._end_block()
        self._open(_PRE, attributes)
        self.verbatim += 1

    def _close_verbatim(self, _: str) -> None:
        self._end_block()
        self._close_outer(_PRE)
        self.verbatim = max(0, self.verbatim - 1)

    def _open_link(self, attributes: str) -> None:
        self.links += 1
        self.link_from = len(self.parts)
        self.page.anchors.append((len(self.texts), attributes))

    def _close_link(self, _: str) -> None:
        if self.link_from >= 0:
            self.linked += self._length_from(self.link_from)
        self.link_from = -1

    def _length_from(self, place: int) -> int:
        """The characters since that part; mostly it is the last one."""
        parts = self.parts
        return len(parts[place]) if len(parts) == place + 1 else sum(map(len, parts[place:]))

    def _open_bold(self, _: str) -> None:
        self.bold_from = len(self.parts)

    def _close_bold(self, _: str) -> None:
        if self.bold_from >= 0:
            self.bold += self._length_from(self.bold_from)
        self.bold_from = -1

    def _picture(self, attributes: str) -> None:
        self.images += 1
        self.page.pictures.append((len(self.texts), attributes))

    def _end_block(self, _: str = "") -> None:
        if self.parts:
            self._flush()

    def _line_break(self, _: str) -> None:
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
            if self.link_from >= 0 or self.bold_from >= 0:
                self._close_open_runs()
            if self.verbatim:
                self._add(unescape(raw.strip("\n").rstrip()), len(words))
            else:
                text = " ".join(words)
                if "&" in text:
                    text = unescape(text)
                    if "\u00a0" in text:
                        words = text.split()
                        text = " ".join(words)
                if text:
                    self._add(text, len(words))
        elif self.link_from > 0:
            self.link_from = 0
        self.linked = self.links = self.images = self.bold = self.broken = 0
        parts.clear()
        self.line_break_at = -1

    def _close_open_runs(self) -> None:
        """A link or bold run that spans blocks counts in each of them."""
        if self.link_from >= 0:
            self.linked += self._length_from(self.link_from)
            self.links = self.links or 1
            self.link_from = 0
        if self.bold_from >= 0:
            self.bold += self._length_from(self.bold_from)
            self.bold_from = 0

    def _add(self, text: str, words: int) -> None:
        texts, length = self.texts, len(text)
        if len(texts) >= MOST_BLOCKS:
            return
        linked, bold = self.linked, self.bold
        texts.append(text)
        self.block_rows += (
            words,
            self.here,
            linked if linked < length else length,  # noqa: FURB136  -- `min` takes three times as long
            self.links,
            self.images,
            bold if bold < length else length,  # noqa: FURB136
            self.broken,
        )
