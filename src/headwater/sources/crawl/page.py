"""What a page offers a crawler: its links, its words, and whether they may be followed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser

from headwater.model.http import Response
from headwater.model.source import Lead
from headwater.text.charset import declared_charset, meta_charset, to_utf8
from headwater.text.urls import canonical_url

MOST_LINKS = 2_000
LARGEST = 8 * 1024 * 1024
# Only these matter here. Everything else is taken out before parsing: it costs time, and nesting without end costs
# the square of it.
UNNEEDED = re.compile(
    r"<(?!/?(?:a|area|base|meta|script|style|template|title|textarea)[\s/>]|!--)[^<>]*>", re.IGNORECASE
)
SILENT = ["script", "style", "template", "title", "textarea"]
BREAKS = re.compile(r"[\x00-\x1f\x7f]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawledPage:
    """`links` are absolute http(s) addresses in their order, each once, without fragment and without those marked
    `nofollow`. `robots` are the directives of its meta elements. `charset` is what it was read as."""

    text: str
    title: str
    words: str
    links: tuple[str, ...]
    robots: frozenset[str] = frozenset()


def parse_page(body: bytes, *, url: str, content_type: str = "") -> CrawledPage:
    """Never fails: what is no page has no links and few words."""
    text = decode_page(body[:LARGEST], content_type)
    tree = LexborHTMLParser(UNNEEDED.sub(" ", text))
    title = tree.css_first("title")
    robots = _robots(tree)
    links = () if robots & {"nofollow", "none"} else tuple(_links(tree, url))
    name = " ".join(title.text().split()) if title is not None else ""
    tree.strip_tags(SILENT)
    words = tree.body.text(separator=" ") if tree.body is not None else ""
    return CrawledPage(text=text, title=name, words=words, links=links, robots=robots)


def decode_page(body: bytes, content_type: str) -> str:
    """The characters of a page: by header, byte order mark, its own declaration, else by what the bytes look like."""
    charset = None if declared_charset(content_type) else meta_charset(body)
    label = f"text/html; charset={charset}" if charset else content_type
    return to_utf8(body, media_type=label, warn=_ignore).decode("utf-8", "replace")


def robots_directives(text: str) -> frozenset[str]:
    """Robots directives, as a header or a meta element lists them; those for another agent are left out."""
    words = (word.strip().lower() for word in text.split(","))
    return frozenset(word for word in words if word and ":" not in word)


def _robots(tree: LexborHTMLParser) -> frozenset[str]:
    found: frozenset[str] = frozenset()
    for node in tree.css("meta[name][content]"):
        if (node.attributes.get("name") or "").strip().lower() in ("robots", "headwater"):
            found |= robots_directives(node.attributes.get("content") or "")
    return found


def _links(tree: LexborHTMLParser, url: str) -> Iterator[str]:
    base = tree.css_first("base[href]")
    start = _joined(url, (base.attributes.get("href") or "") if base is not None else "") or url
    seen: set[str] = set()
    for node in tree.css("a[href], area[href]"):
        if "nofollow" in (node.attributes.get("rel") or "").lower().split():
            continue
        found = _joined(start, node.attributes.get("href") or "")
        if found and found not in seen:
            seen.add(found)
            yield found
            if len(seen) >= MOST_LINKS:
                return


def _joined(start: str, reference: str) -> str:
    """The address that a reference names; empty for whatever is no http(s) address."""
    try:
        found = urljoin(start, BREAKS.sub("", reference).strip()).partition("#")[0]
    except ValueError:
        return ""
    found = found.replace(" ", "%20")
    return found if found.lower().startswith(("http://", "https://")) else ""


def _ignore(_code: str, _detail: str) -> None:
    return


BYTE_ORDER_MARK = "\ufeff"


def lead_with_page(
    response: Response, page: CrawledPage, markers: tuple[str, ...], robots: frozenset[str]
) -> Lead:
    """The version is the body's hash: an unchanged page changes nothing."""
    hints = {"markers": list(markers), "robots": sorted(robots)}
    return Lead(
        identity=canonical_url(response.url),
        url=response.url,
        version=sha256(response.body).hexdigest()[:16],
        # The text is handed on as UTF-8 whatever the page says of itself; the mark outweighs its declaration.
        body=BYTE_ORDER_MARK + page.text.lstrip(BYTE_ORDER_MARK).replace("\x00", ""),
        body_type="text/html",
        hints={name: value for name, value in hints.items() if value},
    )


def lead_to_file(url: str, version: str = "") -> Lead:
    """Something that is no page: the fetch task gets it."""
    return Lead(identity=canonical_url(url), url=url, version=version)
