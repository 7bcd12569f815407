"""What a page says about itself, gathered in one pass over the tree and not yet evaluated."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from headwater.extract.html.metadata.jsonld import parse_linked_data, types_of

_STATED = (
    'title,meta,base[href],link[rel=canonical i],link[rel=alternate i],script[type="application/ld+json"]'
)
_VISIBLE = 'h1,time,abbr[title],[class*="dt-published"],[itemprop]'
_BYLINES = '[class*="dt-published"],[itemprop],[rel="author"],[class*="byline"],[class*="author"],a[href*="/author/"]'
_FOR_PROGRAMS = frozenset({"meta", "link"})
# The values of `itemprop` that say something about the page, and not about what it shows.
_PROPERTIES = frozenset({"author", "datepublished", "datecreated", "datemodified"})
_YEAR = re.compile(r"\d\d\d\d")  # found faster than \d{4}
_MOST_ELEMENTS = 400
_LONGEST_TEXT = 300
_LONGEST_BROKEN = 200_000


@dataclass(frozen=True, slots=True)
class MarkedElement:
    """An element with a hint: what the page calls it, its machine-readable value, its text."""

    name: str
    value: str
    text: str


@dataclass(slots=True)
class PageEvidence:
    title: str = ""
    language: str = ""
    base: str = ""
    metas: dict[str, list[str]] = field(default_factory=dict)
    links: dict[str, list[str]] = field(default_factory=dict)
    linked_data: list[Mapping[str, Any]] = field(default_factory=list)
    broken_data: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    times: list[MarkedElement] = field(default_factory=list)
    properties: dict[str, list[MarkedElement]] = field(default_factory=dict)
    bylines: list[MarkedElement] = field(default_factory=list)

    def meta(self, *names: str) -> str:
        """The first value that is not empty, in the order of the names."""
        return next((value for name in names for value in self.metas.get(name, ()) if value), "")


def gather_stated(tree: LexborHTMLParser) -> PageEvidence:
    """What is written for programs. Call it before scripts are removed from the tree."""
    evidence = PageEvidence()
    root = tree.root
    if root is not None:
        evidence.language = root.attributes.get("lang") or root.attributes.get("xml:lang") or ""
    for node in tree.css(_STATED)[:_MOST_ELEMENTS]:
        _STATED_HANDLERS[node.tag or "title"](evidence, node, node.attributes)
    return evidence


def gather_visible(tree: LexborHTMLParser, evidence: PageEvidence) -> None:
    """What is written for readers. Call it after scripts and styles are removed, so that none of their text counts."""
    for node in _shown(tree, _VISIBLE):
        attributes = node.attributes
        handler = _VISIBLE_HANDLERS.get(node.tag or "", _published)
        handler(evidence, node, attributes)
        if item := attributes.get("itemprop"):
            _property(evidence, node, attributes, item)


def gather_bylines(tree: LexborHTMLParser, evidence: PageEvidence) -> None:
    """Call it for a page whose head does not name its authors: looking at every class takes as long as all else that is visible."""
    for node in _shown(tree, _BYLINES):
        if node.tag not in _VISIBLE_HANDLERS:
            _byline(evidence, node, node.attributes)


def _shown(tree: LexborHTMLParser, selector: str) -> list[LexborNode]:
    body = tree.body
    nodes = body.css(selector)[:_MOST_ELEMENTS] if body is not None else []
    return [node for node in nodes if node.tag not in _FOR_PROGRAMS]


def node_text(node: LexborNode) -> str:
    return " ".join((node.text(deep=True, separator=" ") or "").split())[:_LONGEST_TEXT]


Attributes = Mapping[str, str | None]


def _title(evidence: PageEvidence, node: LexborNode, _: Attributes) -> None:
    # An <svg> may hold a title of its own; the page's is the first in the head.
    if not evidence.title:
        evidence.title = node_text(node)


def _meta(evidence: PageEvidence, _: LexborNode, attributes: Attributes) -> None:
    content = (attributes.get("content") or "").strip()
    for key in ("property", "name", "itemprop", "http-equiv"):
        if name := attributes.get(key):
            evidence.metas.setdefault(name.strip().lower(), []).append(content)


def _link(evidence: PageEvidence, _: LexborNode, attributes: Attributes) -> None:
    if href := (attributes.get("href") or "").strip():
        evidence.links.setdefault((attributes.get("rel") or "").lower(), []).append(href)


def _base(evidence: PageEvidence, _: LexborNode, attributes: Attributes) -> None:
    evidence.base = evidence.base or (attributes.get("href") or "").strip()


def _script(evidence: PageEvidence, node: LexborNode, _: Attributes) -> None:
    text = node.text(deep=True) or ""
    parsed = parse_linked_data(text)
    evidence.linked_data.extend(parsed)
    if not parsed:
        evidence.broken_data.append(text[:_LONGEST_BROKEN])


def _heading(evidence: PageEvidence, node: LexborNode, _: Attributes) -> None:
    if text := node_text(node):
        evidence.headings.append(text)


def _time(evidence: PageEvidence, node: LexborNode, attributes: Attributes) -> None:
    name = " ".join(attributes.get(key) or "" for key in ("class", "id", "itemprop", "pubdate")).lower()
    value = attributes.get("datetime") or attributes.get("title") or ""
    evidence.times.append(MarkedElement(name, value if _YEAR.search(value) else "", node_text(node)))


def _abbreviation(evidence: PageEvidence, node: LexborNode, attributes: Attributes) -> None:
    """Microformats write the date for machines into the title."""
    if re.search(r"\b(?:published|updated|dtstart)\b", attributes.get("class") or ""):
        _time(evidence, node, attributes)


def _published(evidence: PageEvidence, node: LexborNode, attributes: Attributes) -> None:
    if "datetime" in attributes and "dt-published" in _class_and_rel(attributes):
        _time(evidence, node, attributes)


def _byline(evidence: PageEvidence, node: LexborNode, attributes: Attributes) -> None:
    name, href = _class_and_rel(attributes), attributes.get("href") or ""
    if "author" in name or "byline" in name or "/author/" in href:
        evidence.bylines.append(MarkedElement(name + (" link" if href else ""), href, node_text(node)))


def _class_and_rel(attributes: Attributes) -> str:
    return f"{attributes.get('class') or ''} {attributes.get('rel') or ''}".lower()


def _property(evidence: PageEvidence, node: LexborNode, attributes: Attributes, names: str) -> None:
    value = next((attributes[key] or "" for key in ("content", "datetime", "href") if key in attributes), "")
    for name in _PROPERTIES.intersection(names.lower().split()):
        evidence.properties.setdefault(name, []).append(MarkedElement(name, value, node_text(node)))


_STATED_HANDLERS = {"title": _title, "meta": _meta, "link": _link, "base": _base, "script": _script}
_VISIBLE_HANDLERS = {"h1": _heading, "time": _time, "abbr": _abbreviation}


ARTICLES = re.compile(
    r"Article$|Posting$|^Report$|^Recipe$|^Question$|^QAPage$|^HowTo$|^Event$|^PodcastEpisode$|Blog$"
)
_FORUM = re.compile(r"^DiscussionForumPosting$|^QAPage$|^Question$|^Comment$")
_PRODUCTS = re.compile(r"^Product$|^ProductGroup$|^ItemPage$|^CollectionPage$|^IndividualProduct$")


def is_article(evidence: PageEvidence) -> bool:
    return _og_type(evidence).startswith(("article", "blog", "news")) or _has_type(evidence, ARTICLES)


def is_paywalled(evidence: PageEvidence) -> bool:
    """Whether the page declares that its whole text is for subscribers."""
    return any(
        entry.get("isAccessibleForFree") in (False, "False", "false") for entry in evidence.linked_data
    )


def is_forum(evidence: PageEvidence) -> bool:
    return _has_type(evidence, _FORUM)


def is_product(evidence: PageEvidence) -> bool:
    return _og_type(evidence).startswith(("product", "og:product")) or _has_type(evidence, _PRODUCTS)


def _og_type(evidence: PageEvidence) -> str:
    return evidence.meta("og:type").lower()


def _has_type(evidence: PageEvidence, kinds: re.Pattern[str]) -> bool:
    return any(kinds.search(kind) for entry in evidence.linked_data for kind in types_of(entry))
