"""The normal form of percent-encoding."""

import re
from urllib.parse import quote

_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})?")
_PATH_SAFE = "!$&'()*+,;=:@/%"
_QUERY_SAFE = _PATH_SAFE + "?"


def normal_path(text: str) -> str:
    return quote(_ESCAPE.sub(_normal_escape, text), safe=_PATH_SAFE, errors="replace")


def normal_query(text: str) -> str:
    return quote(_ESCAPE.sub(_normal_escape, text), safe=_QUERY_SAFE, errors="replace")


def without_dots(path: str) -> str:
    """The path with `.` and `..` resolved; it never climbs above the root."""
    kept: list[str] = []
    segments = path.split("/")
    for segment in segments:
        if segment == "..":
            kept = kept[:-1] if len(kept) > 1 else kept
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/".join(kept) or "/"


def _normal_escape(match: re.Match[str]) -> str:
    """Upper-case hexadecimal digits; letters that need no escape stand for themselves; a bare `%` is escaped."""
    digits = match.group(1)
    if digits is None:
        return "%25"
    character = chr(int(digits, 16))
    return character if character in _UNRESERVED else f"%{digits.upper()}"
