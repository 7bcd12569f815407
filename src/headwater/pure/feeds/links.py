"""Links as written, made absolute and safe to follow."""

import re
from typing import TypeGuard
from urllib.parse import urljoin

from headwater.pure.feeds.notes import Note

BREAKS = re.compile(r"[\x00-\x1f\x7f]+")
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
# A program, a local file or the document itself in place of an address is never a link to follow.
UNSAFE = frozenset(("javascript", "vbscript", "data", "file", "blob", "about", "view-source"))
HOST_FIRST = re.compile(r"www\.[A-Za-z0-9-]+\.[A-Za-z0-9.-]+(?:[/?#:]|$)", re.IGNORECASE)


def absolute(link: str | None, base: str | None, note: Note) -> str | None:
    """The link against its base; None for what is empty or unsafe, as given when no base is known."""
    link = link.strip() if link else ""
    if not link:
        return None
    if BREAKS.search(link):
        link = BREAKS.sub("", link)
        note("link_with_line_breaks", link)
    if "&amp;" in link:
        note("double_encoded_link", link)
        link = link.replace("&amp;", "&")
    if link.startswith(("http://", "https://")):
        return link
    return _joined(link, base, note)


def _joined(link: str, base: str | None, note: Note) -> str | None:
    scheme = SCHEME.match(link)
    if scheme and not link[scheme.end() :].partition("/")[0].isdigit():
        return _schemed(link, scheme[1].lower(), note)
    if HOST_FIRST.match(link):
        note("link_without_scheme", link)
        return f"http://{link}"
    if not base:
        if link.startswith("//"):
            note("link_without_scheme", link)
            return f"https:{link}"
        note("relative_link", link)
        return link
    try:
        return urljoin(base, link)
    except ValueError:
        note("unreadable_link", link)
        return None


def _schemed(link: str, scheme: str, note: Note) -> str | None:
    if scheme in UNSAFE:
        note("unsafe_link", scheme)
        return None
    if scheme == "feed":
        rest = link[5:]
        return rest if rest.startswith("http") else f"http:{rest}" if rest.startswith("//") else link
    if scheme in {"http", "https"}:
        # `http:/host`, `http:///host` and `HTTP://host` all mean one thing.
        return f"{scheme}://{link.partition(':')[2].lstrip('/')}"
    return link


def is_web_address(text: str | None) -> TypeGuard[str]:
    return (
        text is not None and text.lower().startswith(("http://", "https://")) and not re.search(r"\s", text)
    )
