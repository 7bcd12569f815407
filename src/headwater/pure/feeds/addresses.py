"""Which of an element's many links is the one that matters, and what the others are for."""

from typing import NamedTuple
from xml.etree.ElementTree import Element

from headwater.pure.feeds.fields import Fields
from headwater.pure.feeds.links import absolute, is_web_address
from headwater.pure.feeds.names import RDF_RESOURCE, XML_BASE, attribute
from headwater.pure.feeds.notes import Note

PAGE_TYPES = ("", "text/html", "application/xhtml+xml")
IANA = "http://www.iana.org/assignments/relation/"
# Last resorts for an entry with no page of its own named, best first.
STAND_INS = ("canonical", "related", "via", "self")


class Link(NamedTuple):
    address: str
    relation: str
    media_type: str
    length: str | None


def read_links(elements: list[Element], base: str | None, note: Note) -> list[Link]:
    """Links in document order, each against its own xml:base."""
    return [link for element in elements if (link := _read_link(element, base, note))]


def _read_link(element: Element, base: str | None, note: Note) -> Link | None:
    if not element.attrib:
        text = absolute(element.text, base, note)
        return Link(text, "alternate", "", None) if text else None
    own_base = base_of(element, base)
    given = attribute(element, "href") or element.text or ""
    other = attribute(element, "url") or element.get(RDF_RESOURCE)
    address = absolute(given.strip() or other, own_base, note)
    if not address:
        return None
    relation = (attribute(element, "rel") or "alternate").lower().removeprefix(IANA)
    media_type = (attribute(element, "type") or "").lower()
    return Link(address, relation, media_type, attribute(element, "length"))


def base_of(element: Element, base: str | None) -> str | None:
    """The base for what is inside, xml:base being relative to the base outside."""
    own = element.get(XML_BASE) or element.get("base")
    if not own:
        return base
    return absolute(own, base, lambda _code, _detail: None) or base


def page_link(links: list[Link]) -> str | None:
    """The page: an alternate in HTML or of no stated type, else any alternate."""
    spare = None
    for link in links:
        if link.relation == "alternate":
            if link.media_type in PAGE_TYPES:
                return link.address
            spare = spare or link.address
    return spare


def related(links: list[Link], relation: str) -> str | None:
    return next((link.address for link in links if relation in link.relation.split()), None)


def permalink(fields: Fields, base: str | None, note: Note) -> str | None:
    """The guid, where it serves as link: RSS says it does unless isPermaLink denies it."""
    for element in fields.get("guid", ()):
        stated = (attribute(element, "ispermalink") or "").lower()
        text = (element.text or "").strip()
        if text and stated != "false" and (is_web_address(text) or stated == "true" or text.startswith("/")):
            return absolute(text, base, note)
    return None


def stand_in(
    fields: Fields, identity: str | None, links: list[Link], base: str | None, note: Note
) -> str | None:
    """A link for an entry that names no page: its permalink, its id, or a related address, in that order."""
    found = permalink(fields, base, note)
    if found:
        return found
    if "guid" not in fields and identity and is_web_address(identity):
        note("link_from_id", identity)
        return identity
    sources = [attribute(element, "src") for element in fields.get("content", ())]
    named = [related(links, relation) for relation in STAND_INS]
    found = next((address for address in named if address), None)
    found = found or absolute(next((source for source in sources if source), None), base, note)
    if found:
        note("link_stand_in", found)
    return found
