"""A page of a crawl: its links, its visible text, its robots directives, and the lead made from it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser

from headwater.model.http import Response
from headwater.model.outcomes import ExtractHints
from headwater.model.source import Lead
from headwater.model.warning_log import ignore_warning
from headwater.text.charset import declared_charset, meta_charset, to_utf8
from headwater.text.urls import canonical_url

MOST_LINKS = 2_000
LARGEST_PAGE = 8 * 1024 * 1024
# Only these tags matter here. All others are removed before parsing: they cost time, and endless nesting costs
# quadratic time.
IRRELEVANT_TAG = re.compile(
    r"<(?!/?(?:a|area|base|meta|script|style|template|title|textarea)[\s/>]|!--)[^<>]*>", re.IGNORECASE
)
INVISIBLE_TAGS = ["script", "style", "template", "title", "textarea"]
CONTROL_CHARACTERS = re.compile(r"[\x00-\x1f\x7f]+")
BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawledPage:
    """`text` is the visible text. `links` are absolute http(s) URLs in their order, each once, without fragments and
    without those marked `nofollow`. `robots` are the directives of the meta elements."""

    html: str
    title: str
    text: str
    links: tuple[str, ...]
    robots: frozenset[str] = frozenset()


def parse_untrusted_page(data: bytes, hints: ExtractHints) -> CrawledPage:
    """For the sandbox. The media type is the whole Content-Type header."""
    return parse_page(data, url=hints.url or "", content_type=hints.media_type or "")


def parse_page(body: bytes, *, url: str, content_type: str = "") -> CrawledPage:
    """Never fails: a body that is not a page has no links and little text."""
    html = decode_page(body[:LARGEST_PAGE], content_type)
    tree = LexborHTMLParser(IRRELEVANT_TAG.sub(" ", html))
    title = tree.css_first("title")
    robots = _robots(tree)
    links = () if robots & {"nofollow", "none"} else tuple(_links(tree, url))
    title_text = " ".join(title.text().split()) if title is not None else ""
    tree.strip_tags(INVISIBLE_TAGS)
    visible_text = tree.body.text(separator=" ") if tree.body is not None else ""
    return CrawledPage(html=html, title=title_text, text=visible_text, links=links, robots=robots)


def decode_page(body: bytes, content_type: str) -> str:
    """The page as text: by the header, the byte order mark, its own declaration, else guessed from the bytes."""
    charset = None if declared_charset(content_type) else meta_charset(body)
    label = f"text/html; charset={charset}" if charset else content_type
    return to_utf8(body, media_type=label, warn=ignore_warning).decode("utf-8", "replace")


def robots_directives(text: str) -> frozenset[str]:
    """The robots directives of a header or a meta element, without those for another agent."""
    directives = (directive.strip().lower() for directive in text.split(","))
    return frozenset(directive for directive in directives if directive and ":" not in directive)


def _robots(tree: LexborHTMLParser) -> frozenset[str]:
    directives: frozenset[str] = frozenset()
    for node in tree.css("meta[name][content]"):
        if (node.attributes.get("name") or "").strip().lower() in ("robots", "headwater"):
            directives |= robots_directives(node.attributes.get("content") or "")
    return directives


def _links(tree: LexborHTMLParser, url: str) -> Iterator[str]:
    base_tag = tree.css_first("base[href]")
    base_url = (
        _absolute_url(url, (base_tag.attributes.get("href") or "") if base_tag is not None else "") or url
    )
    links: set[str] = set()
    for node in tree.css("a[href], area[href]"):
        if "nofollow" in (node.attributes.get("rel") or "").lower().split():
            continue
        link = _absolute_url(base_url, node.attributes.get("href") or "")
        if link and link not in links:
            links.add(link)
            yield link
            if len(links) >= MOST_LINKS:
                return


def _absolute_url(base_url: str, reference: str) -> str:
    """The URL that the reference names; empty if it is not an http(s) URL."""
    try:
        url = urljoin(base_url, CONTROL_CHARACTERS.sub("", reference).strip()).partition("#")[0]
    except ValueError:
        return ""
    url = url.replace(" ", "%20")
    return url if url.lower().startswith(("http://", "https://")) else ""


def lead_with_page(
    response: Response, page: CrawledPage, markers: tuple[str, ...], robots: frozenset[str]
) -> Lead:
    """A lead that carries the page, so that it is not fetched twice. The version is the hash of the body."""
    hints = {"markers": list(markers), "robots": sorted(robots)}
    return Lead(
        identity=canonical_url(response.url),
        url=response.url,
        version=sha256(response.body).hexdigest()[:16],
        # The body is UTF-8 whatever the page declares; the byte order mark overrides its declaration.
        body=BYTE_ORDER_MARK + page.html.lstrip(BYTE_ORDER_MARK).replace("\x00", ""),
        body_type="text/html",
        hints={name: value for name, value in hints.items() if value},
    )


def lead_to_file(url: str, version: str = "") -> Lead:
    """A lead to a file that is not a page: the fetch job gets it."""
    return Lead(identity=canonical_url(url), url=url, version=version)
