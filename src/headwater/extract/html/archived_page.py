"""A captured page for a reader: rebuilt from a short list of harmless elements, with the place of a value marked.

Nothing of the page's markup is passed on. Elements, attributes and text are written anew, so no script, style, address or form of
the page reaches a browser.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import msgspec

from headwater.extract.html.parser import parse_html, truncate_markup
from headwater.model.outcomes import ExtractHints
from headwater.text.charset import decode_text

BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "caption",
        "dd",
        "div",
        "dl",
        "dt",
        "figcaption",
        "figure",
        "footer",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
    ]
)
INLINE = frozenset(
    [
        "abbr",
        "b",
        "cite",
        "code",
        "del",
        "em",
        "i",
        "ins",
        "kbd",
        "mark",
        "q",
        "s",
        "samp",
        "small",
        "span",
        "strong",
        "sub",
        "sup",
        "time",
        "u",
        "var",
    ]
)
VOID = frozenset({"br", "hr"})
LEFT_OUT = frozenset(
    [
        "applet",
        "audio",
        "canvas",
        "embed",
        "frame",
        "frameset",
        "head",
        "iframe",
        "input",
        "math",
        "object",
        "option",
        "script",
        "select",
        "style",
        "svg",
        "template",
        "textarea",
        "video",
    ]
)
OTHER_NAMES = {"mark": "span", "main": "div"}
MOST_WORDS = 12
EVIDENCE = "evidence"


class ArchivedView(msgspec.Struct, frozen=True, kw_only=True):
    """The page as harmless HTML. `path` and `offset` say where the value stands: the element, and the character in
    its piece of text. Both are empty if it is not in the visible page."""

    html: str
    path: str = ""
    offset: int = 0


@dataclass(frozen=True, slots=True)
class ShowArchivedPage:
    """`texts` are the forms in which the value may be written, the most exact first."""

    texts: tuple[str, ...] = ()

    def __call__(self, data: bytes, hints: ExtractHints) -> ArchivedView:
        markup, _ = truncate_markup(decode_text(data, hints.media_type).text)
        pieces = visible_pieces(parse_html(markup))
        place = find_heading(pieces, self.texts) or find_place([piece.text for piece in pieces], self.texts)
        if place is None:
            return ArchivedView(html=write_pieces(pieces))
        (first, start), (last, _) = place
        html = write_pieces(
            pieces, {number: _span(number, place, pieces) for number in range(first, last + 1)}
        )
        return ArchivedView(html=html, path=pieces[first].path, offset=start)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the page: text with the path of its element, or, without a path, a tag to write."""

    text: str = ""
    path: str = ""
    tag: str = ""


Place = tuple[tuple[int, int], tuple[int, int]]
"""The first and the last piece of a text, each with an offset in it; the last offset is exclusive."""


def visible_pieces(tree: Any) -> list[Piece]:
    """In document order, without recursion: a page may be nested a thousand deep."""
    pieces: list[Piece] = []
    node = tree.body
    stack: list[tuple[str, dict[str, int]]] = []
    path = "html/body"
    if node is None:
        return pieces
    counts: dict[str, int] = {}
    root, node = node, node.child
    while node is not None:
        tag = node.tag
        if tag == "-text":
            pieces.append(Piece(text=node.text_content or "", path=path))
        elif tag == "img" and (caption := (node.attributes.get("alt") or "").strip()):
            pieces.append(Piece(tag='<span class="picture">'))
            pieces.append(Piece(text=caption, path=f"{path}/img/@alt"))
            pieces.append(Piece(tag="</span>"))
        elif not tag.startswith(("-", "!")) and tag not in LEFT_OUT:
            counts[tag] = counts.get(tag, 0) + 1
            pieces.append(Piece(tag=_opening(tag)))
            if tag not in VOID and node.child is not None:
                stack.append((path, counts))
                path, counts = f"{path}/{tag}[{counts[tag]}]", {}
                node = node.child
                continue
            pieces.append(Piece(tag=_closing(tag)))
        while node.next is None:
            node = node.parent
            if node is None or node == root:
                return pieces
            pieces.append(Piece(tag=_closing(node.tag)))
            path, counts = stack.pop()
        node = node.next
    return pieces


def _opening(tag: str) -> str:
    if tag == "a":
        return '<span class="link">'
    name = OTHER_NAMES.get(tag, tag)
    return f"<{name}>" if name in BLOCKS or name in INLINE or name in VOID else ""


def _closing(tag: str) -> str:
    name = "span" if tag == "a" else OTHER_NAMES.get(tag, tag)
    return f"</{name}>" if name in BLOCKS or name in INLINE else ""


def find_heading(pieces: Sequence[Piece], forms: Sequence[str]) -> Place | None:
    """A main heading that is exactly one of the forms: a title stands there, and not in the navigation above it."""
    for form in forms:
        for number, piece in enumerate(pieces):
            if "/h1[" in piece.path and piece.text.split() == form.split() != []:
                start = len(piece.text) - len(piece.text.lstrip())
                return (number, start), (number, len(piece.text.rstrip()))
    return None


def find_place(texts: Sequence[str], forms: Sequence[str]) -> Place | None:
    """Where the first form that occurs stands in the texts, however its words are spaced or divided among them."""
    starts, length = [], 0
    for text in texts:
        starts.append(length)
        length += len(text)
    whole = "".join(texts)
    for form in forms:
        if (span := find_words(whole, form.split()[:MOST_WORDS])) is not None:
            return _piece_at(starts, span[0]), _last_piece_at(starts, span[1])
    return None


def find_words(text: str, words: Sequence[str]) -> tuple[int, int] | None:
    """Start and end of the words in the text; between them, only white space counts as nothing."""
    if not words:
        return None
    start = text.find(words[0])
    while start >= 0:
        end = start + len(words[0])
        for word in words[1:]:
            after = end
            while after < len(text) and text[after].isspace():
                after += 1
            if not text.startswith(word, after):
                break
            end = after + len(word)
        else:
            return start, end
        start = text.find(words[0], start + 1)
    return None


def _piece_at(starts: Sequence[int], position: int) -> tuple[int, int]:
    number = bisect_right(starts, position) - 1
    return number, position - starts[number]


def _last_piece_at(starts: Sequence[int], end: int) -> tuple[int, int]:
    number, offset = _piece_at(starts, end - 1)
    return number, offset + 1


def _span(number: int, place: Place, pieces: Sequence[Piece]) -> tuple[int, int]:
    (first, start), (last, end) = place
    return start if number == first else 0, end if number == last else len(pieces[number].text)


def write_pieces(pieces: Sequence[Piece], spans: dict[int, tuple[int, int]] | None = None) -> str:
    """`spans` are the marked parts of pieces, by their number."""
    lines: list[str] = []
    has_mark = False
    for number, piece in enumerate(pieces):
        if not piece.path:
            lines.append(piece.tag)
            continue
        start, end = (spans or {}).get(number, (0, 0))
        if not piece.text[start:end].strip():
            lines.append(escape(piece.text))
            continue
        name = "" if has_mark else f' id="{EVIDENCE}"'
        has_mark = True
        part = f"<mark{name}>{escape(piece.text[start:end])}</mark>"
        lines.append(f"{escape(piece.text[:start])}{part}{escape(piece.text[end:])}")
    return "".join(lines)
