"""Articles from JSON lines, for the commands that compare or classify them."""

from collections.abc import Container
from contextlib import ExitStack
from dataclasses import dataclass

import msgspec

from headwater.cli.standalone.json_lines import (
    InvalidLine,
    decode_line,
    numbered_lines,
    open_lines,
    parse_published_at,
    refuse_or_skip,
)
from headwater.stories.clustering.similarity import StoryItem


class StoryItemLine(msgspec.Struct):
    id: int | str
    title: str | None = None
    text: str | None = None
    published_at: str | None = None
    group: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class ArticleInput:
    """An article with its id as the line has it."""

    name: int | str
    item: StoryItem


def read_articles(source: str, *, skip: bool) -> list[ArticleInput]:
    entries: dict[str, ArticleInput] = {}
    with ExitStack() as stack:
        for number, line in numbered_lines(open_lines(source, stack), source):
            try:
                entry = _parse_line(line, entries)
            except InvalidLine as error:
                refuse_or_skip(number, error, "article", skip=skip)
                continue
            entries[entry.item.id] = entry
    return list(entries.values())


def _parse_line(line: bytes, entries: Container[str]) -> ArticleInput:
    fields = decode_line(line, StoryItemLine)
    if str(fields.id) in entries:
        raise InvalidLine(f"the id {str(fields.id)!r} occurs in an earlier line")
    item = StoryItem(
        id=str(fields.id),
        title=fields.title or "",
        text=fields.text or "",
        published_at=parse_published_at(fields.published_at),
        group=fields.group or "",
        language=fields.language or "",
    )
    return ArticleInput(fields.id, item)
