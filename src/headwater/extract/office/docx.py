"""DOCX to a Reading: headings, lists, tables, notes and the document properties."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from headwater.extract.blocks import Block, Heading, ListItem, Paragraph, Table, reading_from_blocks
from headwater.extract.office.container import BadContainer, Container, open_container
from headwater.extract.office.docx_styles import Numbering, heading_levels, read_numbering
from headwater.extract.xml.parser import Element, attribute, children, find, name_of, text_of
from headwater.model.outcomes import ExtractHints, Reading, Unreadable
from headwater.text.dates import parse_iso_date
from headwater.text.letters import table_cell_text, to_one_line
from headwater.text.sniffing import DOCX

_BREAKS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
# Deleted text, the copy of a drawing for old programs, field codes and properties are not text of the document.
_SKIPPED = frozenset({"del", "moveFrom", "Fallback", "instrText", "pPr", "rPr", "delText", "delInstrText"})
_BOXES = frozenset({"txbxContent"})
_WRAPPERS = frozenset({"sdt", "sdtContent", "customXml", "smartTag", "ins", "moveTo", "body"})
_DEEPEST = 200


def read_docx(data: bytes, hints: ExtractHints) -> Reading | Unreadable:
    del hints
    try:
        container = open_container(data)
        body = container.tree(_main_part(container))
    except BadContainer as error:
        return Unreadable(error.reason, str(error))
    walker = DocxWalker(
        heading_levels(container.tree_if_any("word/styles.xml")),
        read_numbering(container.tree_if_any("word/numbering.xml")),
    )
    content = find(body, "body")
    blocks = [*walker.blocks(content)] if content is not None else []
    blocks += _notes(container, walker)
    return reading_from_blocks(
        blocks,
        media_type=DOCX,
        method="docx",
        about={**_about(container), "links": _links(container)},
    )


def _main_part(container: Container) -> str:
    """Where the package keeps its document; some programs move it."""
    relations = container.tree_if_any("_rels/.rels")
    for _, relation in children(relations) if relations is not None else ():
        if attribute(relation, "Type").endswith("/officeDocument"):
            target = attribute(relation, "Target").lstrip("/")
            if container.has(target):
                return target
    return "word/document.xml"


@dataclass(slots=True)
class DocxWalker:
    """Walks paragraphs and tables and counts the numbers of lists."""

    levels: dict[str, int]
    numbering: Numbering
    boxes: list[Element] = field(default_factory=list)

    def blocks(self, parent: Element, depth: int = 0) -> Iterator[Block]:
        if depth > _DEEPEST:
            return
        for name, child in children(parent):
            if name == "p":
                yield self._paragraph(child)
                yield from self._boxed(depth)
            elif name == "tbl":
                yield Table(tuple(self._rows(child)))
            elif name in _WRAPPERS:
                yield from self.blocks(child, depth + 1)

    def _boxed(self, depth: int) -> Iterator[Block]:
        """Text boxes follow the paragraph that contains them."""
        boxes, self.boxes = self.boxes, []
        for box in boxes:
            yield from self.blocks(box, depth + 1)

    def _paragraph(self, element: Element) -> Block:
        text = self._text(element)
        style = find(element, "pPr", "pStyle")
        name = attribute(style, "val") if style is not None else ""
        outline = find(element, "pPr", "outlineLvl")
        level = _number(attribute(outline, "val")) + 1 if outline is not None else self.levels.get(name, 0)
        if 1 <= level <= 6 and text.strip():
            return Heading(text, level)
        listed = find(element, "pPr", "numPr")
        if (listed is not None or name in self.numbering.styles) and text.strip():
            return self._item(listed, name, text)
        return Paragraph(text)

    def _item(self, list_properties: Element | None, style: str, text: str) -> Block:
        key, level = self.numbering.styles.get(style, ("", 0))
        if list_properties is not None:
            number, depth = find(list_properties, "numId"), find(list_properties, "ilvl")
            key = attribute(number, "val") if number is not None else key
            level = _number(attribute(depth, "val")) if depth is not None else level
        if key in {"", "0"}:
            return Paragraph(text)
        return ListItem(text, level, self.numbering.next(key, level))

    def _text(self, element: Element) -> str:
        parts: list[str] = []
        pending = [iter(element)]
        while pending:
            child = next(pending[-1], None)
            if child is None:
                pending.pop()
                continue
            name = name_of(child)
            if name == "t":
                parts.append(child.text or "")
            elif name in _BREAKS:
                parts.append(_BREAKS[name])
            elif name in _BOXES:
                self.boxes.append(child)
            elif name and name not in _SKIPPED:
                pending.append(iter(child))
        return "".join(parts)

    def _rows(self, table: Element, depth: int = 0) -> Iterator[tuple[str, ...]]:
        for name, row in children(table):
            if name == "tr":
                yield tuple(cell for wrapped in _cells(row) for cell in self._cell(wrapped, depth))
            elif name in _WRAPPERS and depth < _DEEPEST:
                yield from self._rows(row, depth + 1)

    def _cell(self, cell: Element, depth: int) -> Iterator[str]:
        """The text of the cell; a table within it becomes words in a row. Empty cells fill what it spans."""
        lines = [self._text(child) for name, child in children(cell) if name == "p"]
        if depth < 8:
            for name, child in children(cell):
                if name == "tbl":
                    lines += [" ".join(row) for row in self._rows(child, depth + 1)]
        yield table_cell_text(lines)
        span = find(cell, "tcPr", "gridSpan")
        for _ in range(min(_number(attribute(span, "val")), 64) - 1 if span is not None else 0):
            yield ""


def _cells(row: Element) -> Iterator[Element]:
    for name, cell in children(row):
        if name == "tc":
            yield cell
        elif name in _WRAPPERS:
            yield from _cells(cell)


def _notes(container: Container, walker: DocxWalker) -> Iterator[Block]:
    for part in ("word/footnotes.xml", "word/endnotes.xml"):
        notes = container.tree_if_any(part)
        for _, note in children(notes) if notes is not None else ():
            if not attribute(note, "type"):  # separators have one
                yield from walker.blocks(note)


def _about(container: Container) -> dict[str, Any]:
    core = container.tree_if_any("docProps/core.xml")
    properties = (
        {name: to_one_line(text_of(child)) for name, child in children(core)} if core is not None else {}
    )
    author = properties.get("creator", "")
    words = properties.get("keywords", "").replace(";", ",").split(",")
    return {
        "title": properties.get("title", ""),
        "authors": (author,) if author else (),
        "description": properties.get("description", ""),
        "keywords": tuple(word for part in words if (word := part.strip())),
        "language": properties.get("language", ""),
        "published": parse_iso_date(properties.get("created", "")),
        "modified": parse_iso_date(properties.get("modified", "")),
    }


def _links(container: Container) -> tuple[str, ...]:
    relations = container.tree_if_any("word/_rels/document.xml.rels")
    targets = [
        attribute(relation, "Target")
        for _, relation in (children(relations) if relations is not None else ())
        if attribute(relation, "Type").endswith("/hyperlink")
    ]
    return tuple(dict.fromkeys(to_one_line(link) for link in targets if link.startswith(("http:", "https:"))))


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else 0
