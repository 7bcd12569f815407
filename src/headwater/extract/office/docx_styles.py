"""Which styles of a DOCX are headings, and how its lists are numbered."""

import re
from dataclasses import dataclass, field

from headwater.extract.xml.parser import Element, attribute, children, find

_HEADING = re.compile(
    r"(?:heading|título|titulo|überschrift|titre|titolo|kop|rubrik)\s*(\d)\Z", re.IGNORECASE
)
_DEEPEST = 10


def heading_levels(styles: Element | None) -> dict[str, int]:
    """Style id to heading level: by the style's outline level, its name, or the style that it is based on."""
    levels: dict[str, int] = {f"Heading{level}": level for level in range(1, 7)}
    parents: dict[str, str] = {}
    for name, style in children(styles) if styles is not None else ():
        if name != "style" or not (key := attribute(style, "styleId")):
            continue
        if level := _level(style):
            levels[key] = level
        elif (parent := find(style, "basedOn")) is not None:
            parents[key] = attribute(parent, "val")
    for key in parents:
        if (inherited := _inherited(key, levels, parents)) is not None:
            levels[key] = inherited
    return levels


def _level(style: Element) -> int:
    outline = find(style, "pPr", "outlineLvl")
    if outline is not None and attribute(outline, "val") in set("012345"):
        return int(attribute(outline, "val")) + 1
    name = find(style, "name")
    style_name = attribute(name, "val") if name is not None else ""
    if style_name.lower() in {"title", "título", "titulo"}:
        return 1
    heading = _HEADING.match(style_name)
    return int(heading[1]) if heading and heading[1] in "123456" else 0


def _inherited(key: str, levels: dict[str, int], parents: dict[str, str]) -> int | None:
    """Follows the chain of styles up to a limit: in a hostile file it has no end."""
    for _ in range(_DEEPEST):
        if key in levels:
            return levels[key]
        if key not in parents:
            return None
        key = parents[key]
    return None


@dataclass(slots=True)
class Numbering:
    """The formats of lists by (list, level), and how far each has counted."""

    formats: dict[tuple[str, int], str] = field(default_factory=dict)
    styles: dict[str, tuple[str, int]] = field(default_factory=dict)
    counts: dict[tuple[str, int], int] = field(default_factory=dict)

    def next(self, key: str, level: int) -> str:
        """The printed number of the next item; empty for bullets."""
        for deeper in [place for place in self.counts if place[0] == key and place[1] > level]:
            del self.counts[deeper]
        kind = self.formats.get((key, level), "bullet")
        if kind in {"bullet", "none", ""}:
            return ""
        count = self.counts[key, level] = self.counts.get((key, level), 0) + 1
        if kind in {"lowerLetter", "upperLetter"} and count <= 26:
            return f"{chr((97 if kind == 'lowerLetter' else 65) + count - 1)}."
        return f"{count}."


def read_numbering(root: Element | None) -> Numbering:
    numbering = Numbering()
    abstract: dict[str, list[tuple[int, str, str]]] = {}
    for name, element in children(root) if root is not None else ():
        if name == "abstractNum":
            abstract[attribute(element, "abstractNumId")] = _levels(element)
        elif name == "num" and (model := find(element, "abstractNumId")) is not None:
            key = attribute(element, "numId")
            for level, kind, style in abstract.get(attribute(model, "val"), []):
                numbering.formats[key, level] = kind
                if style:
                    numbering.styles[style] = (key, level)
    return numbering


def _levels(element: Element) -> list[tuple[int, str, str]]:
    levels = []
    for name, level in children(element):
        depth = attribute(level, "ilvl")
        if name == "lvl" and depth.isdecimal() and len(depth) < 3:
            kind, style = find(level, "numFmt"), find(level, "pStyle")
            levels.append(
                (
                    int(depth),
                    attribute(kind, "val") if kind is not None else "",
                    attribute(style, "val") if style is not None else "",
                )
            )
    return levels
