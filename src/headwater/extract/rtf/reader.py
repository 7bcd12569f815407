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
        return Unreadable("malformed", "it does not begin as RTF does")
    if len(data) > LARGEST:
        return Unreadable("too_large", f"{len(data)} bytes; at most {LARGEST} are read")
    scribe = RtfParser()
    for token in rtf_tokens(data):
        scribe.take(token)
        if len(scribe.outer) >= DEEPEST:
            break
    scribe.finish()
    partial = {"partial": True} if len(scribe.outer) >= DEEPEST else {}
    return reading_from_blocks(
        scribe.blocks, media_type=RTF, method="rtf", about=_about(scribe), attributes=partial
    )


def _about(scribe: RtfParser) -> dict[str, Any]:
    def said(name: str) -> str:
        return to_one_line("".join(scribe.kept.get(name, [])))

    words = re.split(r"[,;]", said("keywords"))
    return {
        "title": said("title"),
        "authors": (said("author"),) if said("author") else (),
        "description": said("subject") or said("doccomm"),
        "keywords": tuple(word for part in words if (word := part.strip())),
        "published": _moment(scribe.kept.get("creatim", [])),
        "modified": _moment(scribe.kept.get("revtim", [])),
    }


def _moment(parts: list[str]) -> datetime | None:
    """Year, month, day, hour, minute; RTF knows no zone."""
    numbers = [int(part) for part in parts[:5] if part.strip().isdecimal()]
    return build_date(numbers) if len(numbers) >= 3 and all(numbers[1:3]) else None
