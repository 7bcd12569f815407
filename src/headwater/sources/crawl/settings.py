"""The settings of a crawl, from the options of its source and the limits of every crawl; which pages match."""

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

DEPTH, PAGES, PER_SHAPE = 3, 500, 100
# Only with the option `beyond_limits`.
FURTHEST_DEPTH, FURTHEST_PAGES = 20, 50_000


@dataclass(frozen=True, slots=True)
class PageMatcher:
    """A page matches if one of the patterns matches its URL and its text holds at least `least` of the markers. Missing
    rules are not checked; without any rule every page below the start matches."""

    patterns: tuple[UrlTest, ...] = ()
    markers: tuple[str, ...] = ()
    least: int = 1

    def matches_url(self, url: str) -> bool:
        return not self.patterns or any(test(url) for test in self.patterns)

    def matching_markers(self, url: str, text: str, depth: int) -> tuple[str, ...] | None:
        """The markers in the text of a matching page; None if the page does not match."""
        if not self.patterns and not self.markers:
            return () if depth > 0 else None
        if not self.matches_url(url):
            return None
        markers = find_markers(text, self.markers) if self.markers else ()
        return markers if not self.markers or len(markers) >= self.least else None


def page_matcher_option(options: Mapping[str, Any]) -> PageMatcher:
    markers = list_option(options, "markers")
    if not all(map(fold_text, markers)):
        raise bad_option("markers", "a marker needs at least one word")
    least = int_option(options, "least_markers", default=1, most=max(len(markers), 1))
    return PageMatcher(url_tests_option(options, "page_patterns"), markers, least)


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlSettings:
    starts: tuple[str, ...]
    scope: Scope
    url_filter: UrlFilter
    page_matcher: PageMatcher
    depth: int
    pages: int
    per_shape: int


def read_crawl_settings(source: Source) -> CrawlSettings:
    options = source.options
    starts = tuple(dict.fromkeys(url for url in (source.url, *list_option(options, "starts")) if url))
    scope = scope_of(starts[:1], subdomains=bool_option(options, "subdomains"))
    foreign_starts = [url for url in starts if url not in scope]
    if foreign_starts or not starts:
        raise bad_option(
            "starts", f"outside the site: {foreign_starts[0]}" if starts else "no URL to start from"
        )
    depth, pages = _limits(options)
    return CrawlSettings(
        starts=starts,
        scope=scope,
        url_filter=url_filter_option(options),
        page_matcher=page_matcher_option(options),
        depth=depth,
        pages=pages,
        per_shape=int_option(options, "per_shape", default=PER_SHAPE, most=pages),
    )


def _limits(options: Mapping[str, Any]) -> tuple[int, int]:
    beyond_limits = bool_option(options, "beyond_limits")
    depth = int_option(
        options, "depth", default=DEPTH, most=FURTHEST_DEPTH if beyond_limits else DEPTH, least=0
    )
    pages = int_option(options, "pages", default=PAGES, most=FURTHEST_PAGES if beyond_limits else PAGES)
    return depth, pages
