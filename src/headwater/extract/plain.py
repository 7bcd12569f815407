"""Plain text as it is."""

from headwater.extract.charset import LARGEST, letters_of
from headwater.model.reading import Hints, Reading, Unreadable


def read_plain(data: bytes, hints: Hints) -> Reading | Unreadable:
    if len(data) > LARGEST:
        return Unreadable("too_large", f"{len(data)} bytes of text; at most {LARGEST} are read")
    text = letters_of(data, hints.media_type).strip()
    if not text:
        return Unreadable("no_text")
    return Reading(
        text=text,
        plain=text,
        media_type=_stated(hints),
        method="plain",
        confidence=1.0,
        origins={"text": "plain"},
    )


def _stated(hints: Hints) -> str:
    stated = (hints.media_type or "").partition(";")[0].strip().lower()
    return stated if stated.startswith("text/") else "text/plain"
