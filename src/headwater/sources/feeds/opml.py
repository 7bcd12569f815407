"""Lists of feeds as other programs keep them: OPML, read from untrusted bytes and written."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from xml.etree.ElementTree import Element, ParseError

from headwater.model.warning_log import WarningLog
from headwater.sources.feeds.feed import NotAFeed
from headwater.sources.feeds.fields import clean_title
from headwater.sources.feeds.links import is_web_url
from headwater.sources.feeds.namespaces import attribute_of, canonical_name
from headwater.sources.feeds.parser import decompress_feed, parse_strictly
from headwater.sources.feeds.xml_repair import repair_xml, without_doctype
from headwater.text.charset import to_utf8

LARGEST_OPML = 16 * 1024 * 1024
DEEPEST = 32
MOST_OUTLINES = 100_000
BLANK = b" \t\r\n\x0b\x0c\x00"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpmlOutline:
    """A feed in a list, with the categories it stands in: a nested one as `Outer/Inner`."""

    name: str
    url: str
    site: str | None = None
    categories: tuple[str, ...] = ()


def parse_opml(data: bytes) -> tuple[tuple[OpmlOutline, ...], tuple[str, ...]]:
    """The feeds of a list, each address once, and warnings. Raises NotAFeed for what is no list."""
    notes = WarningLog()
    data = to_utf8(decompress_feed(data, limit=LARGEST_OPML, warn=notes), media_type=None, warn=notes).strip(
        BLANK
    )
    root = _tree(data, notes)
    if root is None or canonical_name(root.tag) not in {"opml", "outlinedocument"}:
        raise NotAFeed("unknown", "no OPML")
    found: dict[str, OpmlOutline] = {}
    for element, path in _outlines(root, notes):
        one = _outline(element, path, notes)
        if one is not None:
            known = found.get(one.url)
            found[one.url] = one if known is None else _joined(known, one)
    return tuple(found.values()), notes.as_warnings()


def _tree(data: bytes, notes: WarningLog) -> Element | None:
    document, _ = without_doctype(data)
    try:
        return parse_strictly(document)
    except ParseError as error:
        notes("malformed", str(error))
    document, _ = without_doctype(repair_xml(document, notes))
    try:
        return parse_strictly(document)
    except ParseError:
        return None


def _outlines(root: Element, notes: WarningLog) -> Iterator[tuple[Element, tuple[str, ...]]]:
    """Every outline with the names of those around it; deeper ones than anybody sorts by hand are left out."""
    stack: list[tuple[Element, tuple[str, ...]]] = [(root, ())]
    seen = 0
    while stack:
        element, path = stack.pop()
        seen += 1
        if seen > MOST_OUTLINES or len(path) > DEEPEST:
            notes("outlines_left_out", "")
            continue
        inside = path
        if canonical_name(element.tag) == "outline":
            yield element, path
            name = _name(element, notes)
            inside = (*path, name) if name and not attribute_of(element, "xmlurl") else path
        stack.extend((child, inside) for child in reversed(element))


def _name(element: Element, notes: WarningLog) -> str | None:
    return clean_title(attribute_of(element, "title") or attribute_of(element, "text") or "", notes)


def _outline(element: Element, path: tuple[str, ...], notes: WarningLog) -> OpmlOutline | None:
    address = attribute_of(element, "xmlurl") or (
        attribute_of(element, "url")
        if (attribute_of(element, "type") or "").lower() in {"rss", "atom"}
        else None
    )
    if address is None:
        return None
    address = "http" + address[4:] if address.lower().startswith("feed://") else address
    address = address.removeprefix("feed:")
    if not is_web_url(address):
        notes("unusable_address", address)
        return None
    said = [word.strip(" /") for word in (attribute_of(element, "category") or "").split(",")]
    above = ["/".join(path)] if path else []
    return OpmlOutline(
        name=_name(element, notes) or address,
        url=address,
        site=attribute_of(element, "htmlurl"),
        categories=tuple(dict.fromkeys([*above, *(word for word in said if word)])),
    )


def _joined(known: OpmlOutline, again: OpmlOutline) -> OpmlOutline:
    both = tuple(dict.fromkeys((*known.categories, *again.categories)))
    return OpmlOutline(name=known.name, url=known.url, site=known.site or again.site, categories=both)


def write_opml(title: str, outlines: Sequence[OpmlOutline]) -> str:
    """A list that every reader takes: each feed under its first category, with any further ones in its attribute."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<opml version="2.0">']
    lines += [f"<head><title>{escape(_plain(title))}</title></head>", "<body>"]
    open_path: tuple[str, ...] = ()
    for one in sorted(outlines, key=lambda one: (_path(one), one.name.lower(), one.url)):
        path = _path(one)
        shared = _shared(open_path, path)
        lines += ["</outline>"] * (len(open_path) - shared)
        lines += [f'<outline text="{escape(_plain(name))}">' for name in path[shared:]]
        lines.append(_written(one))
        open_path = path
    lines += ["</outline>"] * len(open_path)
    return "\n".join([*lines, "</body>", "</opml>"]) + "\n"


def _path(one: OpmlOutline) -> tuple[str, ...]:
    return tuple(part for part in one.categories[0].split("/") if part) if one.categories else ()


def _shared(first: tuple[str, ...], second: tuple[str, ...]) -> int:
    for depth, (one, other) in enumerate(zip(first, second, strict=False)):
        if one != other:
            return depth
    return min(len(first), len(second))


def _written(one: OpmlOutline) -> str:
    named = {"text": one.name, "title": one.name, "xmlUrl": one.url}
    if one.site:
        named["htmlUrl"] = one.site
    # The first is told by where it stands; a comma would tear a name apart.
    further = [name.replace(",", " ") for name in one.categories[1:]]
    if further:
        named["category"] = ",".join(further)
    attributes = " ".join(f'{key}="{escape(_plain(value))}"' for key, value in named.items())
    return f'<outline type="rss" {attributes}/>'


def _plain(text: str) -> str:
    """Without the characters that XML does not allow."""
    return "".join(letter for letter in text if letter >= " " and letter not in "\ufffe\uffff")
