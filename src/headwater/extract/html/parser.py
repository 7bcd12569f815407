"""Markup to a tree, after limiting its size and depth."""

import re

import numpy as np
import numpy.typing as npt
from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, SelectolaxError

from headwater.extract.html.article_element import article_element
from headwater.text.markup import VOID_TAGS

# What a page does not show anywhere: their text must not count as that of an element around them.
_INVISIBLE_TAGS = ["script", "style", "template", "svg"]
# Other elements without readable text. `noscript` stays: some forums keep their whole text there.
_UNREADABLE_TAGS = [
    "iframe", "canvas", "object", "embed", "select", "textarea", "audio", "video",
    "map", "math", "link", "meta", "datalist", "noembed", "noframes", "title", "progress", "meter", "xmp", "plaintext",
]  # fmt: skip
_UNREADABLE = ",".join(_UNREADABLE_TAGS)
# What stands around an article, where the page names it. Its words are those of every page of the site. Each element is tested alone:
# looking at those around it would take as long as the page is deep.
_SURROUNDINGS = "nav,footer,aside,ul[class~=menu],ul[class~=nav],ul[class~=navbar-nav],ul[class~=sub-menu],ul[class~=nav-menu],ul[id*=menu]"
# Markup beyond this is left out: parsing takes some forty times as much memory.
LARGEST_MARKUP = 5_000_000
_INVISIBLE_START = re.compile(r"<(?:(script|style|svg|template)\b[^<>]*>|!--)", re.IGNORECASE)
_INVISIBLE_ENDS = {
    "": re.compile("-->"),
    **{name: re.compile(rf"</{name}\s*+>", re.IGNORECASE) for name in ("script", "style", "svg", "template")},
}
_LONG_VALUE = re.compile(r"""=\s*(?:"[^"]{20000,}"|'[^']{20000,}')""")
_MANY_TAGS = 12_000
_PIECE = 60_000
_SHIFT_OUT = 14
# Events only copy the label of a chosen option to its menu.
_NO_EVENTS = LexborDocumentOptions.WO_EVENTS.value
_DEEPEST = 1_000
_NEVER_DEEP = VOID_TAGS | {"!doctype", "p", "li", "dt", "dd", "option", "tr", "td", "th"}
_TAG = re.compile(r"<(/?)([a-zA-Z!][^\s/>]*)")


def parse_html(markup: str, utf8: bytes | None = None) -> LexborHTMLParser:
    """`utf8` is the same markup as bytes, if there is such: the parser would have to encode it again."""
    try:
        limited = markup if utf8 is not None and _has_few_tags(utf8) else limit_depth(markup)
        page = utf8 if utf8 is not None and limited is markup else limited
        return LexborHTMLParser(page, options=_NO_EVENTS)
    except SelectolaxError as error:  # the parser accepts every markup; it fails when it gets no more memory
        raise MemoryError(str(error)) from error


def truncate_markup(markup: str) -> tuple[str, bool]:
    """The markup within the limit, and whether some of it was left out."""
    if len(markup) <= LARGEST_MARKUP:
        return markup, False
    markup = _LONG_VALUE.sub('=""', _without_invisible(markup))
    return markup[:LARGEST_MARKUP], len(markup) > LARGEST_MARKUP


def _without_invisible(markup: str) -> str:
    """Keeps linked data, although it stands in a script. What is never closed is not searched for twice."""
    pieces: list[str] = []
    unclosed: set[str] = set()
    position = piece_start = 0
    while (start := _INVISIBLE_START.search(markup, position)) is not None:
        position, name = start.end(), (start[1] or "").lower()
        end = _INVISIBLE_ENDS[name].search(markup, position) if name not in unclosed else None
        if end is None:
            unclosed.add(name)
            continue
        position = end.end()
        if "ld+json" not in markup[start.start() : min(position, start.start() + 200)]:
            pieces += (markup[piece_start : start.start()], " ")
            piece_start = position
    return "".join((*pieces, markup[piece_start:]))


def readable_body(tree: LexborHTMLParser) -> str:
    """The serialised body without invisible and unreadable elements. Changes the tree."""
    remove_invisible(tree)
    return body_markup(tree)


def remove_invisible(tree: LexborHTMLParser) -> None:
    if tree.head is not None:  # at once: the tree is searched for each of the tags
        tree.head.decompose(recursive=False)
    tree.strip_tags(_INVISIBLE_TAGS)


def remove_surroundings(tree: LexborHTMLParser) -> None:
    body = tree.body
    for element in body.css(_SURROUNDINGS) if body is not None else ():
        element.decompose(recursive=False)  # what it contains goes with it


def article_markup(tree: LexborHTMLParser) -> str:
    """The same of a page that declares itself an article, without what stands around it. Changes the tree."""
    remove_surroundings(tree)
    element = article_element(tree.body) if tree.body is not None else None
    if element is None:
        return body_markup(tree)
    for unreadable in element.css(_UNREADABLE):
        unreadable.decompose(recursive=False)
    return element.html or ""


def body_markup(tree: LexborHTMLParser) -> str:
    """The serialised body without unreadable elements. Changes the tree."""
    tree.strip_tags(_UNREADABLE_TAGS)
    body = tree.body
    return (body.html or "") if body is not None else ""


def limit_depth(markup: str) -> str:
    """The markup without endless nesting: the parser's time grows with the square of the depth."""
    if markup.count("<") < _MANY_TAGS:
        return markup
    deep_tags = _deep_tags(markup)
    if not deep_tags:
        return markup
    names = "|".join(re.escape(name) for name in sorted(deep_tags))
    return re.sub(rf"<(/?)(?:{names})(?=[\s/>])[^<>]*>", r"<\1p>", markup, flags=re.IGNORECASE)


def has_control_bytes(data: bytes) -> bool:
    """Whether there are any that mean nothing in a page. They are looked for in a third of the time of removing them."""
    if b"\x0b" in data or b"\x7f" in data:
        return True
    for piece in _pieces(data):
        # What lies between the white space and the first printable character wraps around to the lowest values.
        if (
            np.minimum.reduce(piece) < ord("\t")
            or np.minimum.reduce(piece - _SHIFT_OUT) < ord(" ") - _SHIFT_OUT
        ):
            return True
    return False


def _has_few_tags(utf8: bytes) -> bool:
    """Counted piece by piece: a result as long as the page would be new memory each time."""
    return sum([int(np.count_nonzero(piece == ord("<"))) for piece in _pieces(utf8)]) < _MANY_TAGS


def _pieces(data: bytes) -> list[npt.NDArray[np.uint8]]:
    codes = np.frombuffer(data, np.uint8)
    return [codes[start : start + _PIECE] for start in range(0, len(codes), _PIECE)]


def _deep_tags(markup: str) -> set[str]:
    """Tags that are nested deeper than on any real page."""
    depth: dict[str, int] = {}
    deep: set[str] = set()
    for slash, name in _TAG.findall(markup):
        name = name.lower()  # noqa: PLW2901  -- the hot loop of a guard
        if name in _NEVER_DEEP:
            continue
        level = depth.get(name, 0) + (-1 if slash else 1)
        depth[name] = max(level, 0)
        if level > _DEEPEST:
            deep.add(name)
    return deep
