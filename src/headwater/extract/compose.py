"""Blocks and what is known about them, as a Reading."""

from collections.abc import Mapping, Sequence
from typing import Any

from headwater.extract.blocks import Block, Heading, Table, markdown, plain
from headwater.extract.letters import one_line
from headwater.model.reading import Reading, Unreadable

TITLE_LENGTH = 300


def reading(
    blocks: Sequence[Block],
    *,
    media_type: str,
    method: str,
    about: Mapping[str, Any] | None = None,
    attributes: Mapping[str, Any] | None = None,
) -> Reading | Unreadable:
    """The Reading, or "no_text". `about` are fields of the Reading; each says `method` as its origin, or
    "heading" for a title that nothing but the first heading gives."""
    text = markdown(blocks)
    if not text:
        return Unreadable("no_text")
    known = {name: value for name, value in (about or {}).items() if value}
    origins = dict.fromkeys(known, f"{method} metadata")
    if "title" not in known and (title := first_heading(blocks)):
        known["title"] = title
        origins["title"] = "first heading"
    return Reading(
        text=text,
        plain=plain(blocks),
        media_type=media_type,
        method=method,
        confidence=1.0,
        attributes={**outline(blocks), **(attributes or {})},
        origins={**origins, "text": method},
        **known,
    )


def first_heading(blocks: Sequence[Block]) -> str:
    for block in blocks:
        if isinstance(block, Heading) and (text := one_line(block.text)):
            return text[:TITLE_LENGTH]
    return ""


def outline(blocks: Sequence[Block]) -> dict[str, Any]:
    """What stands in every extraction record of a paper: its headings, and how many tables it has."""
    headings = [
        {"level": block.level, "text": text}
        for block in blocks
        if isinstance(block, Heading) and (text := one_line(block.text))
    ]
    tables = sum(isinstance(block, Table) for block in blocks)
    found: dict[str, Any] = {"headings": headings} if headings else {}
    return {**found, "tables": tables} if tables else found
