"""Addresses without end: calendars, sessions, filters upon filters. They are bounded by their shape."""

import re
from collections import Counter
from urllib.parse import parse_qsl, urlsplit

LONGEST_URL = 2048
MOST_SEGMENTS = 12
MOST_REPEATS = 3
MOST_PARAMETERS = 8
NUMBER = re.compile(r"\d+")
HASH = re.compile(r"[0-9a-f]{12,}")


def shape_of(url: str) -> str:
    """What addresses of one template have in common: numbers and long hashes left out, parameters by name only."""
    parts = urlsplit(url)
    path = NUMBER.sub("#", HASH.sub("#", parts.path))
    names = sorted({NUMBER.sub("#", name) for name, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return f"{parts.netloc}{path}?{'&'.join(names)}"


def trap_of(url: str) -> str:
    """Why an address is not worth asking for; empty when nothing speaks against it."""
    if len(url) > LONGEST_URL:
        return "too_long"
    parts = urlsplit(url)
    segments = [segment for segment in parts.path.split("/") if segment]
    if len(segments) > MOST_SEGMENTS:
        return "too_deep"
    if segments and max(Counter(segments).values()) > MOST_REPEATS:
        return "repeats"
    return "too_many_parameters" if parts.query.count("&") >= MOST_PARAMETERS else ""
