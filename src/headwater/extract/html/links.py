"""Where the chosen text points to, and the pictures that stand in it."""

import re
from collections.abc import Iterable, Sequence

from headwater.extract.html.addresses import Base
from headwater.extract.html.flatten import Page, unescape

_HREF = re.compile(r' href="([^"]*)"')
_SOURCE = re.compile(r' (?:data-src|data-lazy-src|data-original|src)="([^"]*)"')
_MOST = 1_000


def links_of(page: Page, chosen: Sequence[int], url: str) -> tuple[str, ...]:
    """Absolute addresses of the links in the chosen blocks, in order, once each."""
    inside = set(chosen)
    return _addresses((attributes for block, attributes in page.anchors if block in inside), _HREF, url)


def images_of(page: Page, chosen: Sequence[int], url: str) -> tuple[str, ...]:
    """Pictures between the first and the last chosen block."""
    if not chosen:
        return ()
    first, last = chosen[0], chosen[-1] + 1
    near = (attributes for block, attributes in page.pictures if first <= block <= last)
    return _addresses(near, _SOURCE, url)


def _addresses(strings: Iterable[str], pattern: re.Pattern[str], url: str) -> tuple[str, ...]:
    base = Base(url)
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
