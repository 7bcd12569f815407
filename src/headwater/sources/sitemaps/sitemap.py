"""A parsed sitemap, and the error for bytes that are not one."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from headwater.model.warning_log import WarningLog

SitemapKind = Literal["index", "urls"]

LONGEST_URL = 2048


class NotASitemap(Exception):
    """`reason` is one of: empty, html, unknown, refused_entities, too_deep, too_large, compressed, malformed."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapEntry:
    """One entry of a sitemap, as written. The fields of news sitemaps are empty elsewhere."""

    url: str
    lastmod: str = ""
    title: str = ""
    published: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class Sitemap:
    """`entries` is parsed while it is consumed, once; it may raise NotASitemap after the first entries."""

    kind: SitemapKind
    entries: Iterator[SitemapEntry]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedSitemap:
    """A sitemap as it comes out of the sandbox. `reason` says why it is none, or why it broke off after these entries;
    `warnings` are codes, each with a detail and a count."""

    kind: SitemapKind = "urls"
    entries: tuple[SitemapEntry, ...] = ()
    reason: str = ""
    detail: str = ""
    warnings: tuple[tuple[str, str, int], ...] = ()

    def unwrap(self, warnings: WarningLog) -> Sitemap:
        """Raises NotASitemap when the bytes are none."""
        for code, detail, count in self.warnings:
            warnings.add(code, detail, count)
        if self.reason and not self.entries:
            raise NotASitemap(self.reason, self.detail)
        return Sitemap(self.kind, self._entries())

    def _entries(self) -> Iterator[SitemapEntry]:
        yield from self.entries
        if self.reason:
            raise NotASitemap(self.reason, self.detail)
