"""The links and images of a page as absolute URLs."""

import re
from collections.abc import Iterable, Sequence
from urllib.parse import urljoin, urlsplit

from headwater.extract.html.flatten import FlatPage, unescape
from headwater.text.letters import replace_surrogates

_WEB = ("http://", "https://")
_COMPLETE_URL = re.compile(r"https?://[^/?#\s\\@:]+\.[^/?#\s\\@:]+(?:[/?#]\S*)?$")
_ROOTED_PATH = re.compile(r"/(?!/)[^\s\\]*$")


def parseable_url(url: str | None) -> str:
    """The URL; empty when it cannot be parsed."""
    try:
        urlsplit(url or "")
    except ValueError:
        return ""
    return url or ""


class BaseUrl:
    """The URL of a page, to resolve those in it. Common forms are resolved without parsing."""

    def __init__(self, url: str) -> None:
        self.url = parseable_url(url)
        parts = urlsplit(self.url)
        self.root = (
            f"{parts.scheme}://{parts.netloc}" if parts.scheme in ("http", "https") and parts.netloc else ""
        )

    def absolute(self, href: str) -> str | None:
        """The absolute URL; None when it is not a web URL."""
        if "/." not in href:
            if _COMPLETE_URL.match(href):
                return href
            if self.root and _ROOTED_PATH.match(href):
                return self.root + href
        try:
            joined = urljoin(self.url, replace_surrogates(href.strip()))
            return joined if joined.startswith(_WEB) and urlsplit(joined).hostname else None
        except ValueError:
            return None


_HREF = re.compile(r' href="([^"]*)"')
_SOURCE = re.compile(r' (?:data-src|data-lazy-src|data-original|src)="([^"]*)"')
_MOST_URLS = 1_000


def links_of(page: FlatPage, blocks: Sequence[int], url: str) -> tuple[str, ...]:
    """Absolute URLs of the links in the chosen blocks, in order, once each."""
    inside = set(blocks)
    return _absolute_urls((attributes for block, attributes in page.anchors if block in inside), _HREF, url)


def images_of(page: FlatPage, blocks: Sequence[int], url: str) -> tuple[str, ...]:
    """Absolute URLs of the images between the first and the last chosen block."""
    if not blocks:
        return ()
    first, last = blocks[0], blocks[-1] + 1
    nearby = (attributes for block, attributes in page.pictures if first <= block <= last)
    return _absolute_urls(nearby, _SOURCE, url)


def _absolute_urls(strings: Iterable[str], pattern: re.Pattern[str], url: str) -> tuple[str, ...]:
    base = BaseUrl(url)
    urls: dict[str, None] = {}
    for attributes in dict.fromkeys(strings):
        for value in pattern.findall(attributes):
            if value.startswith(("#", "data:", "javascript:", "mailto:", "tel:")):
                continue
            if (absolute_url := base.absolute(unescape(value))) is not None:
                urls[absolute_url] = None
                break
        if len(urls) >= _MOST_URLS:
            break
    return tuple(urls)
