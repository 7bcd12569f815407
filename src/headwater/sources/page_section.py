"""Watching one section of one page: a new revision whenever its text changes."""

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from headwater.fetch.responses import conditional_headers, header_value
from headwater.model.errors import Permanent
from headwater.model.http import Request
from headwater.model.outcomes import ExtractHints
from headwater.model.recipe import Discovery, Parse, PollSession
from headwater.model.source import Lead, Source

MOST_PARTS = 1000


def discover_page_section(source: Source, now: datetime) -> PollSession:
    """The section of the page that the option `selector` names (default: the body) as a document; a new revision
    whenever its text changes. Further options: `document_type`, and `attributes` for the document."""
    del now
    watermark = source.watermark
    headers = conditional_headers(watermark.get("etag"), watermark.get("last_modified"))
    response = yield Request(url=source.url, headers=headers, source_kind=source.kind)
    assert response is not None
    if response.status == 304:
        return Discovery()
    selector = source.options.get("selector", "body")
    section = yield Parse(SectionParser(selector), response.body)
    if not section.text:
        raise Permanent("nothing_selected", f"nothing on the page matches '{selector}'")
    digest = sha256(section.text.encode("utf-8", "replace")).hexdigest()
    new_watermark = {
        "digest": digest,
        "etag": header_value(response.headers, "etag") or None,
        "last_modified": header_value(response.headers, "last-modified") or None,
    }
    if digest == watermark.get("digest"):
        return Discovery(watermark=new_watermark)
    return Discovery(leads=(_lead(source, section, digest),), watermark=new_watermark)


@dataclass(frozen=True, slots=True)
class PageSection:
    """The title of the page, and the markup and the text of the selected section."""

    title: str
    markup: str
    text: str


@dataclass(frozen=True, slots=True)
class SectionParser:
    """For the sandbox: what a selector selects on a page. Raises Permanent when the selector cannot be read."""

    selector: str

    def __call__(self, data: bytes, hints: ExtractHints) -> PageSection:
        del hints
        try:
            tree = LexborHTMLParser(data)
            title = tree.css_first("title")
        except SelectolaxError as error:
            raise Permanent("unreadable_page", "the markup of the page cannot be parsed") from error
        try:
            nodes = tree.css(self.selector)[:MOST_PARTS]
        except (SelectolaxError, ValueError) as error:
            raise Permanent("bad_option", f"selector: '{self.selector}' cannot be read") from error
        text = "\n".join(" ".join(node.text(separator=" ").split()) for node in nodes)
        markup = "\n".join(node.html or "" for node in nodes)
        return PageSection(title.text(strip=True) if title else "", markup, text.strip())


def _lead(source: Source, section: PageSection, digest: str) -> Lead:
    attributes = {
        "document_type": source.options.get("document_type", "web_page"),
        "source_type": source.kind,
        **source.options.get("attributes", {}),
    }
    page = f"<html><head><title></title></head><body><article>{section.markup}</article></body></html>"
    return Lead(
        identity=source.url,
        url=source.url,
        version=digest[:16],
        title=section.title or source.name,
        body=page,
        hints={"attributes": {name: value for name, value in attributes.items() if value}},
        subject=source.subject,
        watched=True,
    )
