"""Finds a text in the bytes of a page, although tags, entities and spaces may stand between its words."""

import re
from bisect import bisect_right
from html import escape

# Enough to be the only place, and short enough that a tag inside does not matter much.
FIRST_WORDS = 12
GAP = re.compile(rb"(?:<[^<>]*>|&nbsp;|&#160;|\xc2\xa0|\s)+")


def find_passage(body: bytes, text: str) -> tuple[int, int] | None:
    """The start and end of the text in the bytes: the whole text where it stands as it is, else its first words."""
    for data in _written_forms(text):
        if (start := body.find(data)) >= 0:
            return start, start + len(data)
    plain, starts, origins = _without_gaps(body)
    for data in _written_forms(" ".join(text.split()[:FIRST_WORDS])):
        if (place := plain.find(data)) >= 0:
            first, last = place, place + len(data) - 1
            return _origin(first, starts, origins), _origin(last, starts, origins) + 1
    return None


def _written_forms(text: str) -> list[bytes]:
    """As it is, and with special characters as entities."""
    forms = dict.fromkeys((text, escape(text), escape(text, quote=False)))
    return [form.encode("utf-8", "surrogatepass") for form in forms if form.strip()]


def _without_gaps(body: bytes) -> tuple[bytes, list[int], list[int]]:
    """The bytes with every gap as one space; `starts` are the positions where a part begins, `origins` those in the body."""
    parts: list[bytes] = []
    starts: list[int] = []
    origins: list[int] = []
    position = length = 0
    for gap in GAP.finditer(body):
        for part, origin in ((body[position : gap.start()], position), (b" ", gap.start())):
            parts.append(part)
            starts.append(length)
            origins.append(origin)
            length += len(part)
        position = gap.end()
    parts.append(body[position:])
    starts.append(length)
    origins.append(position)
    return b"".join(parts), starts, origins


def _origin(place: int, starts: list[int], origins: list[int]) -> int:
    number = bisect_right(starts, place) - 1
    return origins[number] + place - starts[number]
