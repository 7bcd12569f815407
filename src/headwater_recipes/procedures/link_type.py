"""The kind of page that a link leads to, by its address."""

import re
from typing import Literal
from urllib.parse import urlsplit

LinkType = Literal["homepage", "section", "informative"]

_IDENTIFIER = re.compile(r"\d{3,}|\.pdf(?:$|\?)|[?&](?:id|codigo|expediente|p)=", re.IGNORECASE)
_LISTING = re.compile(r"(?:index|portada|inicio|home|default)(?:\.\w{2,5})?", re.IGNORECASE)


def link_type(url: str) -> LinkType:
    """Informative: an identifier, a PDF or two path segments. Homepage: at most one segment. Section: a listing below it."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return "section"
    segments = [segment for segment in parts.path.split("/") if segment]
    if _IDENTIFIER.search(f"{parts.path}?{parts.query}" if parts.query else parts.path):
        return "informative"
    if len(segments) <= 1:
        return "homepage"
    return "section" if _LISTING.fullmatch(segments[-1]) else "informative"
