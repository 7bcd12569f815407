"""Addresses in full."""

import re
from urllib.parse import urljoin, urlsplit

from headwater.extract.html.decode import scrub

_WEB = ("http://", "https://")
_WHOLE = re.compile(r"https?://[^/?#\s\\@:]+\.[^/?#\s\\@:]+(?:[/?#]\S*)?$")
_ROOTED = re.compile(r"/(?!/)[^\s\\]*$")


def usable(url: str | None) -> str:
    """The address, or nothing when it is none that can be taken apart."""
    try:
        urlsplit(url or "")
    except ValueError:
        return ""
    return url or ""


class Base:
    """The address of a page, against which those in it are read. What is plainly written takes the short way."""

    def __init__(self, url: str) -> None:
        self.url = usable(url)
        parts = urlsplit(self.url)
        self.root = (
            f"{parts.scheme}://{parts.netloc}" if parts.scheme in ("http", "https") and parts.netloc else ""
        )

    def absolute(self, href: str) -> str | None:
        """The address in full, when it is one of the web."""
        if "/." not in href:
            if _WHOLE.match(href):
                return href
            if self.root and _ROOTED.match(href):
                return self.root + href
        try:
            joined = urljoin(self.url, scrub(href.strip()))
            return joined if joined.startswith(_WEB) and urlsplit(joined).hostname else None
        except ValueError:
            return None
