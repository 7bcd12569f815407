"""Addresses in full."""

import re
from collections.abc import Iterable, Sequence
from urllib.parse import urljoin, urlsplit

from headwater.extract.html.flatten import FlatPage, unescape
from headwater.text.charset import replace_surrogates

_WEB = ("http://", "https://")
_WHOLE = re.compile(r"https?://[^/?#\s\\@:]+\.[^/?#\s\\@:]+(?:[/?#]\S*)?$")
_ROOTED = re.compile(r"/(?!/)[^\s\\]*$")


def parseable_url(url: str | None) -> str:
    """The address, or nothing when it is none that can be taken apart."""
    try:
        urlsplit(url or "")
    except ValueError:
        return ""
    return url or ""


class BaseUrl:
    """The address of a page, against which those in it are read. What is plainly written takes the short way."""

    def __init__(self, url: str) -> None:
        self.url = parseable_url(url)
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
            joined = urljoin(self.url, replace_surrogates(href.strip()))
            return joined if joined.startswith(_WEB) and urlsplit(joined).hostname else None
        except ValueError:
            return None


_HREF = re.compile(r' href="([^"]*)"')
_SOURCE = re.compile(r' (?:data-src|data-lazy-src|data-original|src)="([^"]*)"')
_MOST = 1_000


def links_of(page: FlatPage, chosen: Sequence[int], url: str) -> tuple[str, ...]:
    """Absolute addresses of the links in the chosen blocks, in order, once each."""
    inside = set(chosen)
    return _addresses((attributes for block, attributes in page.anchors if block in inside), _HREF, url)


def images_of(page: FlatPage, chosen: Sequence[int], url: str) -> tuple[str, ...]:
    """Pictures between the first and the last chosen block."""
    if not chosen:
        return ()
    first, last = chosen[0], chosen[-1] + 1
    near = (attributes for block, attributes in page.pictures if first <= block <= last)
    return _addresses(near, _SOURCE, url)


def _addresses(strings: Iterable[str], pattern: re.Pattern[str], url: str) -> tuple[str, ...]:
    base = BaseUrl(url)
    found: dict[str, None] = {}
    for attributes in dict.fromkeys(strings):
        for value in pattern.findall(attributes):
            if value.startswith(("#", "data:", "javascript:", "mailto:", "tel:")):
                continue
            if (joined := base.absolute(unescape(value))) is not None:
                found[joined] = None
                break
        if len(found) >= _MOST:
            break
    return tuple(found)
