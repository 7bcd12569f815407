"""Plain text as it is."""

from headwater.model.reading import Hints, Reading, Unreadable


def read_plain(data: bytes, hints: Hints) -> Reading | Unreadable:
    text = data.decode("utf-8", "replace").strip()
    if not text:
        return Unreadable("no_text")
    return Reading(
        text=text, plain=text, media_type=hints.media_type or "text/plain", method="plain", confidence=1.0
    )
