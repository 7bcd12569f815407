"""Pictures and attachments of an entry."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from headwater.pure.feeds.addresses import Link
from headwater.pure.feeds.fields import Fields, fields_of, first_text
from headwater.pure.feeds.links import absolute
from headwater.pure.feeds.names import attribute
from headwater.pure.feeds.notes import Note
from headwater.pure.feeds.values import Enclosure

CARRIERS = ("enclosure", "media:content")
PICTURES = ("media:thumbnail", "itunes:image")
PICTURE_ENDINGS = (".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif", ".svg")


def read_enclosures(fields: Fields, links: list[Link], base: str | None, note: Note) -> tuple[Enclosure, ...]:
    found: dict[str, Enclosure] = {}
    for enclosure in _enclosures(fields, links, base, note):
        found.setdefault(enclosure.url, enclosure)
    return tuple(found.values())


def _enclosures(fields: Fields, links: list[Link], base: str | None, note: Note) -> Iterator[Enclosure]:
    for name in CARRIERS:
        for element in fields.get(name, ()):
            url = absolute(attribute(element, "url") or attribute(element, "href"), base, note)
            if url:
                size = attribute(element, "length") or attribute(element, "filesize")
                yield Enclosure(url=url, media_type=_media_type(element), length=whole_number(size))
    for link in links:
        if link.relation == "enclosure":
            yield Enclosure(
                url=link.address, media_type=link.media_type or None, length=whole_number(link.length)
            )


def _media_type(element: Element) -> str | None:
    stated = attribute(element, "type")
    if stated:
        return stated.lower()
    medium = (attribute(element, "medium") or "").lower()
    return f"{medium}/*" if medium in {"image", "audio", "video"} else None


def whole_number(text: str | None) -> int | None:
    digits = (text or "").strip().replace(",", "")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 16 else None


def read_image(fields: Fields, enclosures: tuple[Enclosure, ...], base: str | None, note: Note) -> str | None:
    """A named picture, else the first attachment that is one."""
    for name in PICTURES:
        for element in fields.get(name, ()):
            url = attribute(element, "url") or attribute(element, "href") or (element.text or "").strip()
            if url:
                return absolute(url, base, note)
    for element in fields.get("image", ()):
        inner = first_text(fields_of(element), "url") if len(element) else None
        url = inner or attribute(element, "href") or (element.text or "").strip()
        if url:
            return absolute(url, base, note)
    return next((enclosure.url for enclosure in enclosures if _is_picture(enclosure)), None)


def _is_picture(enclosure: Enclosure) -> bool:
    if enclosure.media_type:
        return enclosure.media_type.startswith("image/")
    return enclosure.url.partition("?")[0].lower().endswith(PICTURE_ENDINGS)
