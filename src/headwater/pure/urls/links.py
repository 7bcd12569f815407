"""What kind of page a link leads to, as far as its address tells."""

import re
from typing import Literal
from urllib.parse import urlsplit

LinkType = Literal["homepage", "section", "informative"]

_IDENTIFIER = re.compile(r"\d{3,}|\.pdf$|[?&](?:id|codigo|expediente|p)=", re.IGNORECASE)


def link_type(url: str) -> LinkType:
    """Home page: no path or one segment. Informative: two segments and an identifier or a PDF, or three segments."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return "section"
    segments = [segment for segment in parts.path.split("/") if segment]
    if _IDENTIFIER.search(f"{parts.path}?{parts.query}"):
        return "informative"
    if len(segments) <= 1:
        return "homepage"
    return "informative"
