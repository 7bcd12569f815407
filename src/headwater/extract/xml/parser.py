"""XML to a tree, safely: no entities expanded, nothing loaded, no endless depth."""

import re
from collections.abc import Iterator

from lxml import etree

LARGEST = 24_000_000
_ENTITY = re.compile(rb"<!ENTITY", re.IGNORECASE)
_ENTITY_WINDOW = 65_536
DEEPEST = 1_000
_CHARACTER = re.compile(rb"&#(?:[xX]([0-9a-fA-F]{1,12})|([0-9]{1,12}));")
_MARK = re.compile(rb"</|/>|<[A-Za-z_]")

Element = etree._Element  # noqa: SLF001 - lxml gives the type no public name


class NotXml(ValueError):
    """The bytes cannot be read as XML; `reason` is malformed or too_large."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


def parse_xml(data: bytes) -> Element:
    """The root element. Damage is skipped where the parser can."""
    if len(data) > LARGEST:
        raise NotXml("too_large", f"{len(data)} bytes of XML; at most {LARGEST} are read")
    if _ENTITY.search(data, 0, _ENTITY_WINDOW):
        raise NotXml("malformed", "it defines entities of its own")
    try:
        root = etree.fromstring(data, _parser(recover=False))
    except (etree.XMLSyntaxError, ValueError) as error:
        root = _recover(_CHARACTER.sub(_valid_character, data), error)
    if root is None or not isinstance(root.tag, str):
        raise NotXml("malformed", "it has no element")
    return root


def _parser(*, recover: bool) -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        recover=recover,
        remove_comments=True,
        remove_pis=True,
    )


def _recover(data: bytes, problem: Exception) -> Element:
    """The tree of damaged XML. A recovering parser does not limit the depth, so that is checked first."""
    if _deepest(data) > DEEPEST:
        raise NotXml("malformed", f"elements within one another more than {DEEPEST} deep")
    try:
        return etree.fromstring(data, _parser(recover=True))
    except (etree.XMLSyntaxError, ValueError) as error:
        raise NotXml("malformed", str(problem).partition("\n")[0][:200]) from error


def _valid_character(match: re.Match[bytes]) -> bytes:
    """A character that XML forbids, such as half of a surrogate pair, costs that character and not the document."""
    code = int(match[1], 16) if match[1] else int(match[2])
    forbidden = (
        code > 0x10FFFF
        or 0xD800 <= code <= 0xDFFF
        or code in (0xFFFE, 0xFFFF)
        or (code < 0x20 and code not in (9, 10, 13))
    )
    return b"&#xFFFD;" if forbidden else match[0]


def _deepest(data: bytes) -> int:
    depth = deepest = 0
    for mark in _MARK.finditer(data):
        depth += -1 if mark[0] in {b"</", b"/>"} else 1
        deepest = max(deepest, depth)
    return deepest


def name_of(element: Element) -> str:
    """The local name; empty for an unresolved entity."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def children(element: Element) -> Iterator[tuple[str, Element]]:
    for child in element:
        if name := name_of(child):
            yield name, child


def find(element: Element, *path: str) -> Element | None:
    """The first descendant by local names, step by step."""
    current: Element | None = element
    for step in path:
        if current is None:
            return None
        current = next((child for name, child in children(current) if name == step), None)
    return current


def text_of(element: Element | None) -> str:
    """All text in it, without markup."""
    return "" if element is None else "".join(str(part) for part in element.itertext())


def attribute(element: Element, name: str) -> str:
    """By local name: office files put their attributes into namespaces."""
    for key, value in element.attrib.items():
        if str(key).rpartition("}")[2] == name:
            return str(value)
    return ""
