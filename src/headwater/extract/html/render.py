"""Chosen blocks to text: once Markdown-like, once plain."""

import re
from collections.abc import Sequence

from headwater.extract.html.flatten import BLOCK_TAGS, TAG_NUMBER, Page

_HEADINGS = {TAG_NUMBER[f"h{level}"]: "#" * level + " " for level in range(1, 7)}
_LISTS = {TAG_NUMBER[name] for name in ("ul", "ol", "menu", "dir")}
_ITEM = TAG_NUMBER["li"]
_QUOTE = TAG_NUMBER["blockquote"]
_VERBATIM = TAG_NUMBER["pre"]
_ROW = TAG_NUMBER["tr"]
_CELLS = {TAG_NUMBER["td"], TAG_NUMBER["th"]}
_TABLE = TAG_NUMBER["table"]
_BODY = TAG_NUMBER["body"]
_DEEPEST_CHAIN = 60
_MAY_BE_A_MARKER = re.compile(r"^(#{1,6} |[-*+] |> |\d+[.)] |```|\|)")


def plain(page: Page, chosen: Sequence[int]) -> str:
    """One block a line."""
    return "\n".join([page.texts[block] for block in chosen])


def markdown(page: Page, chosen: Sequence[int]) -> str:
    """Headings, lists, tables, quotes and code keep their marks; everything else is a paragraph."""
    lines: list[str] = []
    previous_kind = ""
    rows = _rows(page, chosen)
    for block in chosen:
        kind, line = _line(page, block, rows)
        if line is None:
            continue
        if lines and not (kind and kind == previous_kind):
            lines.append("")
        lines.append(line)
        if kind == "row" and previous_kind != "row":
            lines.append(_table_rule(line))
        previous_kind = kind
    return "\n".join(lines)


def _chain(page: Page, block: int) -> list[int]:
    """Tags from the block outwards."""
    chain = []
    element = page.homes[block]
    for _ in range(_DEEPEST_CHAIN):
        tag = page.tags[element]
        if tag == _BODY:
            break
        chain.append(element)
        element = page.parents[element]
    return chain


def _rows(page: Page, chosen: Sequence[int]) -> dict[int, list[int]]:
    """Data-table rows by element: rows of which more than one cell was chosen, none holding blocks of blocks."""
    rows: dict[int, list[int]] = {}
    for block in chosen:
        home = page.homes[block]
        if page.tags[home] in _CELLS and page.tags[page.parents[home]] == _ROW:
            rows.setdefault(page.parents[home], []).append(block)
    return {row: blocks for row, blocks in rows.items() if len(blocks) > 1}


def _line(page: Page, block: int, rows: dict[int, list[int]]) -> tuple[str, str | None]:
    home = page.homes[block]
    text = page.texts[block]
    row = page.parents[home]
    if page.tags[home] in _CELLS and row in rows:
        if rows[row][0] != block:
            return "row", None
        return "row", "| " + " | ".join(page.texts[cell].replace("|", "\\|") for cell in rows[row]) + " |"
    chain = _chain(page, block)
    tags = [page.tags[element] for element in chain]
    kind, line = _marked(page, block, text, chain, tags)
    quotes = tags.count(_QUOTE)
    if quotes:
        line = "\n".join("> " * quotes + part for part in line.split("\n"))
        kind = kind and "quoted " + kind
    return kind, line


def _marked(page: Page, block: int, text: str, chain: list[int], tags: list[int]) -> tuple[str, str]:
    for tag in tags[:3]:
        if tag in _HEADINGS:
            return "", _HEADINGS[tag] + text
    if _VERBATIM in tags:
        return "", f"```\n{text}\n```"
    if _ITEM in tags:
        item = chain[tags.index(_ITEM)]
        level = max(0, sum(tag in _LISTS for tag in tags) - 1)
        first = page.first[item] == block
        return "item", "  " * level + ("- " if first else "  ") + text
    return "", "\\" + text if _MAY_BE_A_MARKER.match(text) else text


def _table_rule(line: str) -> str:
    cells = len(re.findall(r"(?<!\\)\|", line)) - 1
    return "|" + " --- |" * cells


def tag_name(page: Page, element: int) -> str:
    return BLOCK_TAGS[page.tags[element]]
