"""What a paper is made of, and how that is written: once Markdown-like, once plain."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from headwater.extract.letters import one_line, tidy

_MARKER = re.compile(r"(?m)^(?=#{1,6} |[-*+] |> |```|\||\\)")
_BLANK_LINES = re.compile(r"\n\s*\n")
_DEEPEST_LIST = 8


@dataclass(frozen=True, slots=True)
class Heading:
    text: str
    level: int = 1


@dataclass(frozen=True, slots=True)
class Paragraph:
    """May hold line breaks."""

    text: str


@dataclass(frozen=True, slots=True)
class Item:
    """A list item; `number` as it is printed, empty for a bullet."""

    text: str
    level: int = 0
    number: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells; the first row is the header."""

    rows: tuple[tuple[str, ...], ...]


Block = Heading | Paragraph | Item | Table


def markdown(blocks: Iterable[Block]) -> str:
    """Blocks apart by a blank line; items of one list stay together."""
    parts: list[str] = []
    previous: Block | None = None
    for block in blocks:
        text = _marked(block)
        if not text:
            continue
        if parts:
            parts.append("\n" if isinstance(block, Item) and isinstance(previous, Item) else "\n\n")
        parts.append(text)
        previous = block
    return tidy("".join(parts))


def plain(blocks: Iterable[Block]) -> str:
    """The same words without the marks: a block, item or row a line."""
    return tidy("\n".join(text for block in blocks if (text := _unmarked(block))))


def _marked(block: Block) -> str:
    match block:
        case Heading(text, level):
            line = one_line(text)
            return f"{'#' * min(max(level, 1), 6)} {line}" if line else ""
        case Paragraph(text):
            return _MARKER.sub(r"\\", _lines(text))
        case Item(text, level, number):
            line = one_line(text)
            indent = "  " * min(max(level, 0), _DEEPEST_LIST)
            return f"{indent}{number or '-'} {line}" if line else ""
        case Table(rows):
            return table(rows)


def _unmarked(block: Block) -> str:
    match block:
        case Heading(text):
            return one_line(text)
        case Paragraph(text):
            return _lines(text)
        case Item(text, _, number):
            line = one_line(text)
            return f"{number} {line}" if number and line else line
        case Table(rows):
            return "\n".join(" | ".join(cells) for cells in _cells(rows))


def table(rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; empty when there is nothing in it."""
    cells = _cells(rows)
    if not cells:
        return ""
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in cells]
    lines.insert(1, "|" + " --- |" * len(cells[0]))
    return "\n".join(lines)


def _cells(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """All rows of one width, without the empty ones."""
    width = max((len(row) for row in rows), default=0)
    cleaned = [[one_line(cell) for cell in row] + [""] * (width - len(row)) for row in rows]
    return [row for row in cleaned if any(row)]


def _lines(text: str) -> str:
    """A paragraph's lines, each without margin; a blank line would end the paragraph."""
    tidied = "\n".join(line.strip() for line in tidy(text).split("\n"))
    return _BLANK_LINES.sub("\n", tidied).strip()
