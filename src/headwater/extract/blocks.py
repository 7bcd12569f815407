"""The blocks of a document, rendered as Markdown and as plain text, and the Reading made of them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from headwater.model.outcomes import Reading, Unreadable
from headwater.text.letters import normalise_text, to_one_line

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
class ListItem:
    """A list item; `number` as it is printed, empty for a bullet."""

    text: str
    level: int = 0
    number: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells; the first row is the header."""

    rows: tuple[tuple[str, ...], ...]


Block = Heading | Paragraph | ListItem | Table


def blocks_to_markdown(blocks: Iterable[Block]) -> str:
    """Blocks separated by a blank line; items of one list stay together."""
    parts: list[str] = []
    previous: Block | None = None
    for block in blocks:
        text = _to_markdown(block)
        if not text:
            continue
        if parts:
            parts.append("\n" if isinstance(block, ListItem) and isinstance(previous, ListItem) else "\n\n")
        parts.append(text)
        previous = block
    return normalise_text("".join(parts))


def blocks_to_plain_text(blocks: Iterable[Block]) -> str:
    """The same words without markup: one line per block, item or row."""
    return normalise_text("\n".join(text for block in blocks if (text := _to_plain(block))))


def _to_markdown(block: Block) -> str:
    match block:
        case Heading(text, level):
            line = to_one_line(text)
            return f"{'#' * min(max(level, 1), 6)} {line}" if line else ""
        case Paragraph(text):
            return _MARKER.sub(r"\\", _lines(text))
        case ListItem(text, level, number):
            line = to_one_line(text)
            indent = "  " * min(max(level, 0), _DEEPEST_LIST)
            return f"{indent}{number or '-'} {line}" if line else ""
        case Table(rows):
            return markdown_table(rows)


def _to_plain(block: Block) -> str:
    match block:
        case Heading(text):
            return to_one_line(text)
        case Paragraph(text):
            return _lines(text)
        case ListItem(text, _, number):
            line = to_one_line(text)
            return f"{number} {line}" if number and line else line
        case Table(rows):
            return "\n".join(" | ".join(cells) for cells in _cells(rows))


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; empty when no cell has text."""
    cells = _cells(rows)
    if not cells:
        return ""
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in cells]
    lines.insert(1, "|" + " --- |" * len(cells[0]))
    return "\n".join(lines)


def _cells(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """All rows of one width, without the empty ones."""
    width = max((len(row) for row in rows), default=0)
    cleaned = [[to_one_line(cell) for cell in row] + [""] * (width - len(row)) for row in rows]
    return [row for row in cleaned if any(row)]


def _lines(text: str) -> str:
    """The lines of a paragraph without margins and without blank lines, which would end it."""
    trimmed = "\n".join(line.strip() for line in normalise_text(text).split("\n"))
    return _BLANK_LINES.sub("\n", trimmed).strip()


TITLE_LENGTH = 300


def reading_from_blocks(
    blocks: Sequence[Block],
    *,
    media_type: str,
    method: str,
    about: Mapping[str, Any] | None = None,
    attributes: Mapping[str, Any] | None = None,
) -> Reading | Unreadable:
    """The Reading, or "no_text". `about` holds fields of the Reading, with `method` as their origin. A missing title is
    taken from the first heading."""
    text = blocks_to_markdown(blocks)
    if not text:
        return Unreadable("no_text")
    fields = {name: value for name, value in (about or {}).items() if value}
    origins = dict.fromkeys(fields, f"{method} metadata")
    if "title" not in fields and (title := first_heading(blocks)):
        fields["title"] = title
        origins["title"] = "first heading"
    return Reading(
        text=text,
        plain=blocks_to_plain_text(blocks),
        media_type=media_type,
        method=method,
        confidence=1.0,
        attributes={**outline(blocks), **(attributes or {})},
        origins={**origins, "text": method},
        **fields,
    )


def first_heading(blocks: Sequence[Block]) -> str:
    for block in blocks:
        if isinstance(block, Heading) and (text := to_one_line(block.text)):
            return text[:TITLE_LENGTH]
    return ""


def outline(blocks: Sequence[Block]) -> dict[str, Any]:
    """For the extraction record: the headings, and how many tables there are."""
    headings = [
        {"level": block.level, "text": text}
        for block in blocks
        if isinstance(block, Heading) and (text := to_one_line(block.text))
    ]
    tables = sum(isinstance(block, Table) for block in blocks)
    facts: dict[str, Any] = {"headings": headings} if headings else {}
    return {**facts, "tables": tables} if tables else facts
