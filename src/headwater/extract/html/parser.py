"""Markup to a tree, after making sure that the parser can take it."""

import re

from selectolax.lexbor import LexborHTMLParser

# What never holds readable text. `noscript` stays: some forums keep their whole text there.
_UNREADABLE = [
    "script", "style", "template", "svg", "iframe", "canvas", "object", "embed", "select", "textarea", "audio", "video",
    "map", "math", "link", "meta", "datalist", "noembed", "noframes", "title", "progress", "meter", "xmp", "plaintext",
]  # fmt: skip
# Beyond this much markup a page is read as far as it goes: a worker's memory is some forty times that.
LARGEST_MARKUP = 5_000_000
_INVISIBLE = re.compile(
    r"<(script|style|svg|template)\b[^>]*>.*?</\1\s*>|<!--.*?-->", re.DOTALL | re.IGNORECASE
)
_LONG_VALUE = re.compile(r"""=\s*(?:"[^"]{20000,}"|'[^']{20000,}')""")
_MANY_TAGS = 12_000
_DEEPEST = 1_000
_VOID = frozenset(
    [
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
        "!doctype",
        "p",
        "li",
        "dt",
        "dd",
        "option",
        "tr",
        "td",
        "th",
    ]
)
_TAG = re.compile(r"<(/?)([a-zA-Z!][^\s/>]*)")


def parse_html(markup: str) -> LexborHTMLParser:
    return LexborHTMLParser(limit_depth(markup))


def truncate_markup(markup: str) -> tuple[str, bool]:
    """The markup, within the limit, and whether some of it was left out."""
    if len(markup) <= LARGEST_MARKUP:
        return markup, False
    markup = _LONG_VALUE.sub('=""', _INVISIBLE.sub(_kept, markup))
    return markup[:LARGEST_MARKUP], len(markup) > LARGEST_MARKUP


def _kept(found: re.Match[str]) -> str:
    """Linked data stays, though it is written in a script."""
    return found[0] if "ld+json" in found[0][:200] else " "


def readable_body(tree: LexborHTMLParser) -> str:
    """The body, serialised, without what is not for reading. Changes the tree."""
    tree.strip_tags(_UNREADABLE)
    body = tree.body
    return (body.html or "") if body is not None else ""


def limit_depth(markup: str) -> str:
    """The markup with its endless nesting taken out: a parser's time grows with the square of the depth."""
    if markup.count("<") < _MANY_TAGS:
        return markup
    culprits = _deep_tags(markup)
    if not culprits:
        return markup
    names = "|".join(re.escape(name) for name in sorted(culprits))
    return re.sub(rf"<(/?)(?:{names})(?=[\s/>])[^>]*>", r"<\1p>", markup, flags=re.IGNORECASE)


def _deep_tags(markup: str) -> set[str]:
    """Names whose own open elements pile up beyond what any real page has."""
    depth: dict[str, int] = {}
    deep: set[str] = set()
    for slash, name in _TAG.findall(markup):
        name = name.lower()  # noqa: PLW2901  -- the hot loop of a guard
        if name in _VOID:
            continue
        level = depth.get(name, 0) + (-1 if slash else 1)
        depth[name] = max(level, 0)
        if level > _DEEPEST:
            deep.add(name)
    return deep
