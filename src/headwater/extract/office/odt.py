"""ODT to a Reading: headings, lists, tables, notes and the document properties."""

from collections.abc import Iterator
from typing import Any

from lxml import etree

from headwater.extract.blocks import Block, Heading, ListItem, Paragraph, Table, reading_from_blocks
from headwater.extract.office.container import BadContainer, Container, open_container
from headwater.extract.xml.parser import Element, attribute, children, find, name_of, text_of
from headwater.model.outcomes import ExtractHints, Reading, Unreadable
from headwater.text.dates import parse_iso_date
from headwater.text.letters import table_cell_text, to_one_line
from headwater.text.sniffing import ODT

_IGNORED = frozenset({"tracked-changes", "annotation", "note", "sequence-decls", ""})
_SECTIONS = frozenset(
    {"section", "text-box", "frame", "index-body", "table-of-content", "numbered-paragraph"}
)
_MOST_REPEATS = 64
_DEEPEST = 200


def read_odt(data: bytes, hints: ExtractHints) -> Reading | Unreadable:
    del hints
    try:
        container = open_container(data)
        if _is_encrypted(container):
            return Unreadable("encrypted")
        content = container.tree("content.xml")
    except BadContainer as error:
        return Unreadable(error.reason, str(error))
    text = find(content, "body", "text")
    if text is None:
        return Unreadable("unsupported", "an office document without text")
    links = [attribute(link, "href") for link in content.iter("{*}a")]
    return reading_from_blocks(
        list(_blocks(text)),
        media_type=ODT,
        method="odt",
        about={**_about(container), "links": tuple(dict.fromkeys(x for x in links if x.startswith("http")))},
    )


def _is_encrypted(container: Container) -> bool:
    manifest = container.tree_if_any("META-INF/manifest.xml")
    return manifest is not None and next(manifest.iter("{*}encryption-data"), None) is not None


def _blocks(parent: Element, depth: int = 0) -> Iterator[Block]:
    for name, child in children(parent) if depth < _DEEPEST else ():
        if name == "h":
            level = attribute(child, "outline-level")
            yield Heading(_text(child), int(level) if level in set("123456") else 1)
            yield from _notes(child)
        elif name == "p":
            yield Paragraph(_text(child))
            yield from _notes(child)
        elif name == "list":
            yield from _items(child, 0, depth)
        elif name == "table":
            yield Table(tuple(_rows(child)))
        elif name in _SECTIONS:
            yield from _blocks(child, depth + 1)


def _items(element: Element, level: int, depth: int) -> Iterator[Block]:
    for name, item in children(element) if depth < _DEEPEST else ():
        if name not in {"list-item", "list-header"}:
            continue
        for kind, child in children(item):
            if kind == "list":
                yield from _items(child, level + 1, depth + 1)
            elif kind == "h":
                yield from _blocks(item, depth + 1)
                break
            else:
                yield ListItem(_text(child), level)


def _text(element: Element) -> str:
    """The text of a paragraph without its notes, which follow as paragraphs of their own."""
    parts: list[str] = []
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, node in walk:
        name = name_of(node)
        if event == "end":
            parts.append((node.tail or "") if node is not element else "")
        elif name in _IGNORED and node is not element:
            walk.skip_subtree()
        else:
            parts += (_white_space(name, node) if node is not element else "", node.text or "")
    return "".join(parts)


def _white_space(name: str, element: Element) -> str:
    if name == "s":
        return " " * min(_repeats(element, "c"), _MOST_REPEATS)
    return {"tab": "\t", "line-break": "\n", "p": "\n", "h": "\n"}.get(name, "")


def _notes(element: Element) -> Iterator[Block]:
    for body in element.iter("{*}note-body"):
        yield Paragraph(" ".join(_text(child) for _, child in children(body)))


def _rows(table: Element, depth: int = 0) -> Iterator[tuple[str, ...]]:
    for name, row in children(table) if depth < _DEEPEST else ():
        if name == "table-row":
            yield tuple(_cells(row))
        elif name in {"table-header-rows", "table-rows", "table-row-group"}:
            yield from _rows(row, depth + 1)


def _cells(row: Element) -> Iterator[str]:
    """A repeated cell is written as often, up to a limit: sheets repeat their empty cells a thousandfold."""
    for name, cell in children(row):
        if name in {"table-cell", "covered-table-cell"}:
            text = table_cell_text(_text(child) for _, child in children(cell))
            for _ in range(min(_repeats(cell, "number-columns-repeated"), _MOST_REPEATS if text else 1)):
                yield text


def _repeats(element: Element, name: str) -> int:
    value = attribute(element, name)
    return int(value) if value.isascii() and value.isdecimal() and len(value) < 7 else 1


def _about(container: Container) -> dict[str, Any]:
    meta = container.tree_if_any("meta.xml")
    inner = find(meta, "meta") if meta is not None else None
    pairs = (
        [(name, to_one_line(text_of(child))) for name, child in children(inner)] if inner is not None else []
    )
    properties = dict(pairs)
    author = properties.get("initial-creator") or properties.get("creator", "")
    return {
        "title": properties.get("title", ""),
        "authors": (author,) if author else (),
        "description": properties.get("description", ""),
        "keywords": tuple(value for name, value in pairs if name == "keyword" and value),
        "language": properties.get("language", ""),
        "published": parse_iso_date(properties.get("creation-date", "")),
        "modified": parse_iso_date(properties.get("date", "")),
    }
