"""Which pages of a crawl are what it looks for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headwater.pure.crawling.filters import Test, read_tests
from headwater.pure.crawling.markers import folded, found_markers
from headwater.pure.crawling.options import bad_option, texts, whole_number


@dataclass(frozen=True, slots=True)
class Recogniser:
    """A page is recognised by its address and by its words: one of the patterns fits, and at least so many markers
    stand in it. What is not asked for is not looked at; without any rule every page below the start is recognised."""

    patterns: tuple[Test, ...] = ()
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
        found = found_markers(words, self.markers) if self.markers else ()
        return found if not self.markers or len(found) >= self.least else None


def read_recogniser(options: Mapping[str, Any]) -> Recogniser:
    markers = texts(options, "markers")
    if not all(map(folded, markers)):
        raise bad_option("markers", "a marker needs at least one word")
    least = whole_number(options, "least_markers", default=1, most=max(len(markers), 1))
    return Recogniser(read_tests(options, "page_patterns"), markers, least)
