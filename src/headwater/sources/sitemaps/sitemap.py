"""What a sitemap lists, and how it says that it is none."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

SitemapKind = Literal["index", "urls"]

LONGEST_ADDRESS = 2048


class NotASitemap(Exception):
    """`reason` is one of: empty, html, unknown, refused_entities, too_deep, too_large, compressed, malformed."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapEntry:
    """One line of a sitemap, as it is written. The fields of news sitemaps are empty elsewhere."""

    url: str
    lastmod: str = ""
    title: str = ""
    published: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class Sitemap:
    """`listed` is read while it is asked for, once; it may raise NotASitemap after having given some."""

    kind: SitemapKind
    listed: Iterator[SitemapEntry]
