"""What a crawl may do: its options, within the limits that hold for every crawl."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headwater.model.source import Source
from headwater.sources.options import (
    UrlFilter,
    UrlTest,
    bad_option,
    bool_option,
    int_option,
    list_option,
    url_filter_option,
    url_tests_option,
)
from headwater.sources.scope import Scope, scope_of
from headwater.text.folding import find_markers, fold_text


@dataclass(frozen=True, slots=True)
class PageMatcher:
    """A page is recognised by its address and by its words: one of the patterns fits, and at least so many markers
    stand in it. What is not asked for is not looked at; without any rule every page below the start is recognised."""

    patterns: tuple[UrlTest, ...] = ()
    markers: tuple[str, ...] = ()
    least: int = 1

    def by_address(self, url: str) -> bool:
        return not self.patterns or any(fits(url) for fits in self.patterns)

    def evidence(self, url: str, words: str, depth: int) -> tuple[str, ...] | None:
        """The markers that were found; None for a page that is not what is looked for."""
        if not self.patterns and not self.markers:
            return () if depth > 0 else None
        if not self.by_address(url):
            return None
        found = find_markers(words, self.markers) if self.markers else ()
        return found if not self.markers or len(found) >= self.least else None


def page_matcher_option(options: Mapping[str, Any]) -> PageMatcher:
    markers = list_option(options, "markers")
    if not all(map(fold_text, markers)):
        raise bad_option("markers", "a marker needs at least one word")
    least = int_option(options, "least_markers", default=1, most=max(len(markers), 1))
    return PageMatcher(url_tests_option(options, "page_patterns"), markers, least)


DEPTH, PAGES, PER_SHAPE = 3, 500, 100
# Only where the options say `beyond_limits`.
FURTHEST_DEPTH, FURTHEST_PAGES = 20, 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlSettings:
    starts: tuple[str, ...]
    territory: Scope
    wanted: UrlFilter
    recognise: PageMatcher
    depth: int
    pages: int
    per_shape: int


def read_crawl_settings(source: Source) -> CrawlSettings:
    options = source.options
    starts = tuple(dict.fromkeys(url for url in (source.url, *list_option(options, "starts")) if url))
    site = scope_of(starts[:1], below=bool_option(options, "subdomains"))
    strangers = [url for url in starts if url not in site]
    if strangers or not starts:
        raise bad_option(
            "starts", f"not of the site: {strangers[0]}" if starts else "no address to start from"
        )
    depth, pages = _limits(options)
    return CrawlSettings(
        starts=starts,
        territory=site,
        wanted=url_filter_option(options),
        recognise=page_matcher_option(options),
        depth=depth,
        pages=pages,
        per_shape=int_option(options, "per_shape", default=PER_SHAPE, most=pages),
    )


def _limits(options: Mapping[str, Any]) -> tuple[int, int]:
    far = bool_option(options, "beyond_limits")
    depth = int_option(options, "depth", default=DEPTH, most=FURTHEST_DEPTH if far else DEPTH, least=0)
    pages = int_option(options, "pages", default=PAGES, most=FURTHEST_PAGES if far else PAGES)
    return depth, pages
