"""The kind of page that a link leads to, by its address."""

import re
from typing import Literal
from urllib.parse import urlsplit

LinkType = Literal["homepage", "section", "informative"]

_IDENTIFIER = re.compile(r"\d{3,}|\.pdf(?:$|\?)|[?&](?:id|codigo|expediente|p)=", re.IGNORECASE)
_LISTING = re.compile(r"(?:index|portada|inicio|home|default)(?:\.\w{2,5})?", re.IGNORECASE)
_LANGUAGE = re.compile(r"(?:es|ca|eu|gl|en|va|fr)(?:[-_][a-z]{2})?", re.IGNORECASE)


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


def is_home_page(url: str) -> bool:
    """Whether the address is that of a whole site, not of one page: it has no path, or only a language or an index. Small
    portals have their procedures directly below the root."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return False
    segments = [segment for segment in parts.path.split("/") if segment]
    if parts.fragment.startswith(("/", "!")):
        return False  # the route of a page that a script draws
    return not parts.query and all(
        _LANGUAGE.fullmatch(segment) or _LISTING.fullmatch(segment) for segment in segments
    )
