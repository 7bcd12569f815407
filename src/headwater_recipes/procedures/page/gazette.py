"""The official gazette of Spain (BOE): one document, or blocks of a consolidated law."""

import re
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urljoin

from headwater.extract.blocks import Block, Heading, ListItem, Paragraph, Table, reading_from_blocks
from headwater.extract.xml.parser import (
    Element,
    NotXml,
    attribute,
    children,
    find,
    name_of,
    parse_xml,
    text_of,
)
from headwater.model.outcomes import Reading, Unreadable
from headwater.text.dates import parse_digit_date
from headwater.text.letters import to_one_line

HOME = "https://www.boe.es/"
# Classes of headings from the outermost inwards; what a document does not use takes no level.
_RANKS = ("libro", "parte", "titulo", "anexo", "capitulo", "seccion", "subseccion", "articulo")
_HEADING_CLASS = re.compile(rf"({'|'.join(_RANKS)})(?:_|\Z)")
_FACTS = (
    "identificador",
    "origen_legislativo",
    "departamento",
    "rango",
    "fecha_disposicion",
    "numero_oficial",
    "diario",
    "diario_numero",
    "seccion",
    "subseccion",
    "pagina_inicial",
    "pagina_final",
    "fecha_vigencia",
    "estatus_derogacion",
    "url_eli",
)


def read_gazette(data: bytes) -> Reading | Unreadable | None:
    """None for XML of other publishers."""
    try:
        root = parse_xml(data)
    except NotXml:
        return None
    return _read_tree(root) if _is_gazette(root) else None


def _is_gazette(root: Element) -> bool:
    if name_of(root) == "documento":
        return find(root, "metadatos", "identificador") is not None
    return name_of(root) == "response" and find(root, "data", "texto", "bloque") is not None


def _read_tree(root: Element) -> Reading | Unreadable:
    """Articles as headings, tables as tables, references with their identifiers."""
    if name_of(root) == "response":
        return _consolidated(root)
    facts = _facts(root)
    return reading_from_blocks(
        _with_levels(_blocks(find(root, "texto"))),
        media_type="application/xml",
        method="boe",
        about=_about(root),
        attributes={"boe": facts},
    )


def _about(root: Element) -> dict[str, Any]:
    def metadata_text(name: str) -> str:
        return to_one_line(text_of(find(root, "metadatos", name)))

    topics = [to_one_line(text_of(topic)) for topic in _under(root, "analisis", "materias")]
    return {
        "title": metadata_text("titulo"),
        "publisher": metadata_text("departamento"),
        "published": parse_digit_date(metadata_text("fecha_publicacion")),
        "modified": parse_digit_date(attribute(root, "fecha_actualizacion")),
        "canonical_url": metadata_text("url_eli"),
        "keywords": tuple(topic for topic in topics if topic),
        "language": "es",
    }


def _facts(root: Element) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    for name in _FACTS:
        element = find(root, "metadatos", name)
        if value := to_one_line(text_of(element)):
            facts[name] = value
            if element is not None and (code := attribute(element, "codigo")):
                facts[f"{name}_codigo"] = code
    if pdf := to_one_line(text_of(find(root, "metadatos", "url_pdf"))):
        facts["url_pdf"] = urljoin(HOME, pdf)
    for name in ("anteriores", "posteriores"):
        if references := [_reference(element) for element in _under(root, "analisis", "referencias", name)]:
            facts[name] = references
    notes = [to_one_line(text_of(note)) for note in _under(root, "analisis", "notas")]
    return {**facts, "notas": notes} if any(notes) else facts


def _reference(element: Element) -> dict[str, str]:
    return {
        "referencia": attribute(element, "referencia"),
        "palabra": to_one_line(text_of(find(element, "palabra"))),
        "texto": to_one_line(text_of(find(element, "texto"))),
    }


def _under(root: Element, *path: str) -> list[Element]:
    parent = find(root, *path)
    return [] if parent is None else [child for _, child in children(parent)]


def _consolidated(root: Element) -> Reading | Unreadable:
    """Each block in its newest version. The attribute says since when that is in force: it may lie in the future."""
    blocks: list[Block] = []
    in_force: list[str] = []
    text = find(root, "data", "texto")
    for _, block in children(text) if text is not None else ():
        versions = [version for name, version in children(block) if name == "version"]
        if versions:
            blocks += _blocks(versions[-1])
            in_force.append(attribute(versions[-1], "fecha_vigencia"))
    facts = {"in_force_from": max(in_force)} if any(in_force) else {}
    return reading_from_blocks(
        _with_levels(blocks),
        media_type="application/xml",
        method="boe-consolidated",
        about={"language": "es"},
        attributes={"boe": facts},
    )


def _blocks(text: Element | None) -> Iterator[Block]:
    for name, element in children(text) if text is not None else ():
        if name == "table":
            yield Table(tuple(_rows(element)))
        elif name in {"ul", "ol"}:
            yield from (ListItem(text_of(item)) for tag, item in children(element) if tag == "li")
        elif name in {"blockquote", "div", "bloque", "version"}:
            yield from _blocks(element)
        else:
            yield _paragraph(element)


def _paragraph(element: Element) -> Block:
    text = to_one_line(text_of(element))
    rank = _HEADING_CLASS.match(attribute(element, "class"))
    return Heading(text, _RANKS.index(rank[1]) + 1) if rank else Paragraph(text)


def _rows(table: Element) -> Iterator[tuple[str, ...]]:
    for row in table.iter("{*}tr"):
        yield tuple(to_one_line(text_of(cell)) for name, cell in children(row) if name in {"td", "th"})


def _with_levels(blocks: Iterator[Block] | Sequence[Block]) -> list[Block]:
    """Ranks as levels without gaps, from 2 on: level 1 is the title."""
    listed = list(blocks)
    ranks = sorted({block.level for block in listed if isinstance(block, Heading)})
    levels = {rank: place + 2 for place, rank in enumerate(ranks)}
    return [
        Heading(block.text, levels[block.level]) if isinstance(block, Heading) else block for block in listed
    ]
