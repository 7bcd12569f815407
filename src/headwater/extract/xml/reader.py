"""XML to a Reading: by field map, or as the text of its elements."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lxml import etree

from headwater.extract.blocks import Block, Paragraph, reading_from_blocks
from headwater.extract.field_maps import map_fields
from headwater.extract.xml.parser import Element, NotXml, name_of, parse_xml, text_of
from headwater.model.errors import Refused
from headwater.model.outcomes import ExtractHints, Reading, Unreadable
from headwater.text.letters import to_one_line

_NOT_FOR_READING = frozenset({"script", "style"})
_TITLES = ("title", "titulo", "headline", "name")


@dataclass(frozen=True, slots=True)
class XmlFields:
    """An extractor by a map from field name to XPath 1.0, such as `.//body/p` or `string(//meta/@date)`. `namespaces`
    maps the prefixes that the paths use; each element that a path selects is one paragraph."""

    paths: Mapping[str, str]
    namespaces: Mapping[str, str] | None = None

    def __call__(self, data: bytes, hints: ExtractHints) -> Reading | Unreadable:
        try:
            root = parse_xml(data)
        except NotXml as error:
            return Unreadable(error.reason, str(error))
        return map_fields(
            self.paths,
            lambda path: self._values_at(root, path),
            hints,
            media_type="application/xml",
            method="xml",
        )

    def _values_at(self, root: Element, path: str) -> list[str]:
        try:
            result = root.xpath(path, namespaces=dict(self.namespaces or {}) or None)
        except etree.XPathError as error:
            raise Refused("bad_field_map", f"the path '{path}' is not XPath: {error}") from error
        values = result if isinstance(result, list) else [result]
        return [text for value in values if (text := _string(value)).strip()]


def _string(value: object) -> str:
    return text_of(value) if isinstance(value, Element) else str(value)


def read_xml(data: bytes, hints: ExtractHints) -> Reading | Unreadable:
    """The text of its elements, one paragraph each."""
    del hints
    try:
        root = parse_xml(data)
    except NotXml as error:
        return Unreadable(error.reason, str(error))
    title = next(
        (to_one_line(text_of(child)) for child in root.iter() if name_of(child).lower() in _TITLES), ""
    )
    return reading_from_blocks(
        list(_paragraphs(root)), media_type="application/xml", method="xml", about={"title": title[:300]}
    )


def _paragraphs(root: Element) -> Iterator[Block]:
    """Elements with text of their own are paragraphs, together with everything inside them."""
    inside: Element | None = None
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if inside is not None:
            if event == "end" and element is inside:
                inside = None
        elif event == "start" and _has_own_text(element):
            inside = element
            yield Paragraph(to_one_line(text_of(element)))


def _has_own_text(element: Element) -> bool:
    if not name_of(element) or name_of(element).lower() in _NOT_FOR_READING:
        return False
    texts = [element.text, *(child.tail for child in element)]
    return any(part and part.strip() for part in texts)
