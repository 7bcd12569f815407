"""RTF to a Reading."""

import re
from datetime import datetime
from typing import Any

from headwater.extract.blocks import reading_from_blocks
from headwater.extract.rtf.parser import DEEPEST, RtfParser, rtf_tokens
from headwater.model.outcomes import ExtractHints, Reading, Unreadable
from headwater.text.dates import build_date
from headwater.text.letters import to_one_line
from headwater.text.sniffing import RTF

LARGEST = 64_000_000


def read_rtf(data: bytes, hints: ExtractHints) -> Reading | Unreadable:
    del hints
    if data.lstrip()[:5].lower() != b"{\\rtf":
        return Unreadable("malformed", "it does not start like RTF")
    if len(data) > LARGEST:
        return Unreadable("too_large", f"{len(data)} bytes; at most {LARGEST} are read")
    parser = RtfParser()
    for token in rtf_tokens(data):
        parser.feed(token)
        if len(parser.outer) >= DEEPEST:
            break
    parser.finish()
    partial = {"partial": True} if len(parser.outer) >= DEEPEST else {}
    return reading_from_blocks(
        parser.blocks, media_type=RTF, method="rtf", about=_about(parser), attributes=partial
    )


def _about(parser: RtfParser) -> dict[str, Any]:
    def value(name: str) -> str:
        return to_one_line("".join(parser.collected.get(name, [])))

    words = re.split(r"[,;]", value("keywords"))
    return {
        "title": value("title"),
        "authors": (value("author"),) if value("author") else (),
        "description": value("subject") or value("doccomm"),
        "keywords": tuple(word for part in words if (word := part.strip())),
        "published": _date(parser.collected.get("creatim", [])),
        "modified": _date(parser.collected.get("revtim", [])),
    }


def _date(parts: list[str]) -> datetime | None:
    """From year, month, day, hour and minute, in UTC: RTF states no zone."""
    numbers = [int(part) for part in parts[:5] if part.strip().isdecimal()]
    return build_date(numbers) if len(numbers) >= 3 and all(numbers[1:3]) else None
