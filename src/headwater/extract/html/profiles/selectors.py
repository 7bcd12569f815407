"""A profile of CSS selectors, then of text density.

Boilerplate tags and containers are removed. The first selector with enough text wins, else the densest of div, section and
td. The text is then cleaned line by line.
"""

import re
from collections import Counter
from collections.abc import Iterable

from selectolax.lexbor import LexborHTMLParser, LexborNode

STRIPPED_TAGS = (
    "script", "style", "nav", "footer", "header", "aside", "iframe", "noscript", "form", "button", "svg", "template",
)  # fmt: skip
BOILERPLATE = re.compile(
    r"(?:^|[\s_-])(?:sidebar|ad|ads|advert\w*|ad-slot|newsletter|signup|sign-up|social|share|sharing|related|promo|"
    r"cookie|popup|modal|breadcrumbs?|comments?|subscribe)(?:$|[\s_-])",
    re.IGNORECASE,
)
SELECTORS = (
    "article", "[role='main']", ".article-body", ".article-content", ".post-content", ".entry-content", ".story-body",
    "[itemprop='articleBody']", "main", "#content", ".content",
)  # fmt: skip
RESIDUE = re.compile(
    r"^(?:©|copyright\b|all rights reserved|subscribe (?:to|now)|sign up (?:for|to)|share (?:this|on)|follow us|"
    r"read more\b|advertisement$)",
    re.IGNORECASE,
)
_ENOUGH = 200
_ORPHAN = 3
_BLOCKS = "p,li,h1,h2,h3,h4,h5,h6,blockquote,pre,td,dd,dt"


def selectors_text(markup: str) -> str:
    """The text of the best container; empty when there is none."""
    tree = LexborHTMLParser(markup)
    tree.strip_tags(list(STRIPPED_TAGS))
    _drop_boilerplate(tree)
    container = by_selector(tree) or by_density(tree)
    return clean(_lines(container)) if container is not None else ""


def _drop_boilerplate(tree: LexborHTMLParser) -> None:
    for node in tree.css("div,section,ul,p,span"):
        attributes = node.attributes
        if BOILERPLATE.search(f"{attributes.get('class') or ''} {attributes.get('id') or ''}"):
            node.decompose()


def by_selector(tree: LexborHTMLParser) -> LexborNode | None:
    for selector in SELECTORS:
        for node in tree.css(selector):
            if len(node.text(deep=True)) >= _ENOUGH:
                return node
    return None


def by_density(tree: LexborHTMLParser) -> LexborNode | None:
    scored = [(density(node), -number, node) for number, node in enumerate(tree.css("div,section,td"))]
    best = max(scored, key=lambda entry: entry[:2], default=None)
    return best[2] if best is not None and best[0] > 0 else tree.body


def density(node: LexborNode) -> float:
    """Text per tag, few links, many paragraphs, many words."""
    text = node.text(deep=True)
    words = len(text.split())
    if not words:
        return 0.0
    linked = sum(len(link.text(deep=True)) for link in node.css("a"))
    paragraphs = sum(len(entry.text(deep=True)) > 40 for entry in node.css("p"))
    tags = len(node.css("*"))
    return float(
        (len(text) / tags) * (1 - min(1.0, linked / len(text))) * (1 + paragraphs) * min(words, 2_000) ** 0.5
    )


def _lines(container: LexborNode) -> list[str]:
    blocks = [node for node in container.css(_BLOCKS) if not node.css(_BLOCKS)[1:]]
    lines = [" ".join(node.text(deep=True).split()) for node in blocks]
    return lines if any(lines) else [" ".join(container.text(deep=True, separator=" ").split())]


def clean(lines: Iterable[str]) -> str:
    """The lines without residue, short orphans and repeats."""
    candidates = [line for line in lines if line and not RESIDUE.match(line)]
    counts = Counter(candidates)
    return "\n".join(
        line
        for number, line in enumerate(candidates)
        if (len(line.split()) > _ORPHAN or line.endswith((".", "!", "?", ":")))
        and (counts[line] == 1 or candidates.index(line) == number)
    )
