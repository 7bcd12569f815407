"""OPML, the format in which feed readers exchange their lists: parsed from untrusted bytes, and written."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from xml.etree.ElementTree import Element, ParseError

from headwater.model.outcomes import ExtractHints
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
    """A feed in a list with its categories, a nested one as `Outer/Inner`."""

    name: str
    url: str
    site: str | None = None
    categories: tuple[str, ...] = ()


def parse_opml(data: bytes) -> tuple[tuple[OpmlOutline, ...], tuple[str, ...]]:
    """The feeds of a list, each URL once, and warnings. Raises NotAFeed if the bytes are not OPML."""
    warnings = WarningLog()
    data = to_utf8(
        decompress_feed(data, limit=LARGEST_OPML, warn=warnings), media_type=None, warn=warnings
    ).strip(BLANK)
    root = _tree(data, warnings)
    if root is None or canonical_name(root.tag) not in {"opml", "outlinedocument"}:
        raise NotAFeed("unknown", "no OPML")
    by_url: dict[str, OpmlOutline] = {}
    for element, path in _outlines(root, warnings):
        outline = _outline(element, path, warnings)
        if outline is not None:
            earlier = by_url.get(outline.url)
            by_url[outline.url] = outline if earlier is None else _merge(earlier, outline)
    return tuple(by_url.values()), warnings.lines()


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedOpml:
    """A list as it comes out of the sandbox, or why the bytes are none."""

    outlines: tuple[OpmlOutline, ...] = ()
    reason: str = ""
    detail: str = ""


def parse_untrusted_opml(data: bytes, hints: ExtractHints) -> ParsedOpml:
    """For the sandbox: `parse_opml` as data."""
    del hints
    try:
        return ParsedOpml(outlines=parse_opml(data)[0])
    except NotAFeed as error:
        return ParsedOpml(reason=error.reason, detail=error.detail)


def _tree(data: bytes, warnings: WarningLog) -> Element | None:
    document, _ = without_doctype(data)
    try:
        return parse_strictly(document)
    except ParseError as error:
        warnings("malformed", str(error))
    document, _ = without_doctype(repair_xml(document, warnings))
    try:
        return parse_strictly(document)
    except ParseError:
        return None


def _outlines(root: Element, warnings: WarningLog) -> Iterator[tuple[Element, tuple[str, ...]]]:
    """Every outline with the names of its ancestors. Outlines below the deepest level are skipped."""
    stack: list[tuple[Element, tuple[str, ...]]] = [(root, ())]
    count = 0
    while stack:
        element, path = stack.pop()
        count += 1
        if count > MOST_OUTLINES or len(path) > DEEPEST:
            warnings("outlines_left_out", "")
            continue
        inner_path = path
        if canonical_name(element.tag) == "outline":
            yield element, path
            name = _name(element, warnings)
            inner_path = (*path, name) if name and not attribute_of(element, "xmlurl") else path
        stack.extend((child, inner_path) for child in reversed(element))


def _name(element: Element, warnings: WarningLog) -> str | None:
    return clean_title(attribute_of(element, "title") or attribute_of(element, "text") or "", warnings)


def _outline(element: Element, path: tuple[str, ...], warnings: WarningLog) -> OpmlOutline | None:
    url = attribute_of(element, "xmlurl") or (
        attribute_of(element, "url")
        if (attribute_of(element, "type") or "").lower() in {"rss", "atom"}
        else None
    )
    if url is None:
        return None
    url = "http" + url[4:] if url.lower().startswith("feed://") else url
    url = url.removeprefix("feed:")
    if not is_web_url(url):
        warnings("unusable_address", url)
        return None
    categories = [word.strip(" /") for word in (attribute_of(element, "category") or "").split(",")]
    path_category = ["/".join(path)] if path else []
    return OpmlOutline(
        name=_name(element, warnings) or url,
        url=url,
        site=attribute_of(element, "htmlurl"),
        categories=tuple(dict.fromkeys([*path_category, *(word for word in categories if word)])),
    )


def _merge(first: OpmlOutline, second: OpmlOutline) -> OpmlOutline:
    categories = tuple(dict.fromkeys((*first.categories, *second.categories)))
    return OpmlOutline(name=first.name, url=first.url, site=first.site or second.site, categories=categories)


def write_opml(title: str, outlines: Sequence[OpmlOutline]) -> str:
    """OPML that every feed reader accepts: each feed under its first category, further ones in its attribute."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<opml version="2.0">']
    lines += [f"<head><title>{escape(_without_control_characters(title))}</title></head>", "<body>"]
    open_path: tuple[str, ...] = ()
    for outline in sorted(outlines, key=lambda outline: (_path(outline), outline.name.lower(), outline.url)):
        path = _path(outline)
        shared = _common_depth(open_path, path)
        lines += ["</outline>"] * (len(open_path) - shared)
        lines += [f'<outline text="{escape(_without_control_characters(name))}">' for name in path[shared:]]
        lines.append(_outline_tag(outline))
        open_path = path
    lines += ["</outline>"] * len(open_path)
    return "\n".join([*lines, "</body>", "</opml>"]) + "\n"


def _path(outline: OpmlOutline) -> tuple[str, ...]:
    return tuple(part for part in outline.categories[0].split("/") if part) if outline.categories else ()


def _common_depth(first: tuple[str, ...], second: tuple[str, ...]) -> int:
    for depth, (left, right) in enumerate(zip(first, second, strict=False)):
        if left != right:
            return depth
    return min(len(first), len(second))


def _outline_tag(outline: OpmlOutline) -> str:
    fields = {"text": outline.name, "title": outline.name, "xmlUrl": outline.url}
    if outline.site:
        fields["htmlUrl"] = outline.site
    # The position shows the first category. A comma would split a name.
    further = [name.replace(",", " ") for name in outline.categories[1:]]
    if further:
        fields["category"] = ",".join(further)
    attributes = " ".join(
        f'{key}="{escape(_without_control_characters(value))}"' for key, value in fields.items()
    )
    return f'<outline type="rss" {attributes}/>'


def _without_control_characters(text: str) -> str:
    """The text without the characters that XML forbids."""
    return "".join(letter for letter in text if letter >= " " and letter not in "\ufffe\uffff")
