"""Hosts in one form."""

from urllib.parse import SplitResult, urlsplit

_SECOND_LEVELS = frozenset(
    {
        "ac",
        "co",
        "com",
        "edu",
        "gob",
        "gov",
        "govt",
        "ltd",
        "mil",
        "ne",
        "net",
        "nom",
        "or",
        "org",
        "plc",
        "sch",
    }
)


def host_of(url: str) -> str:
    """The host in lower case and ASCII, without port; empty where there is none."""
    try:
        return normal_host(urlsplit(url.strip()).hostname or "")
    except ValueError:
        return ""


def registered_domain(host: str) -> str:
    """The part that somebody registered, guessed without a suffix list: `news.example.co.uk` gives `example.co.uk`."""
    labels = host.lower().strip(".").split(".")
    if host.startswith("[") or all(label.isdigit() for label in labels):
        return host
    country = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVELS
    return ".".join(labels[-3:] if country else labels[-2:])


def normal_host(host: str) -> str:
    host = host.lower().rstrip(".")
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode("ascii").lower().rstrip(".")
    except UnicodeError:
        return host


def normal_netloc(parts: SplitResult, host: str) -> str:
    """Host and port without user information; the scheme's own port is left out. Raises ValueError for a bad port."""
    shown = f"[{host}]" if ":" in host else host
    default = {"http": 80, "https": 443}.get(parts.scheme)
    return shown if parts.port in (None, default) else f"{shown}:{parts.port}"
