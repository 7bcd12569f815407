"""URLs as they may be shown: without user names, and without what looks like a key."""

import re
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

_KEY_LIKE = re.compile(r"key|token|secret|passw|pwd|auth|sign|sig$|session|credential|code$", re.IGNORECASE)
_LONGEST = 500


def redact_url(url: str) -> str:
    """The URL for a log or a message."""
    try:
        parts = urlsplit(url)
        query = parse_qsl(parts.query, keep_blank_values=True)
    except ValueError:
        return "(not a URL)"
    visible = urlencode(
        [(name, "***" if _KEY_LIKE.search(name) else value) for name, value in query], safe="*/:,"
    )
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, visible, ""))[:_LONGEST]
