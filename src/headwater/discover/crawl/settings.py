"""What a crawl may do: its options, within the limits that hold for every crawl."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headwater.model.source import Source
from headwater.pure.crawling import (
    Filter,
    Recogniser,
    Territory,
    bad_option,
    read_filter,
    read_recogniser,
    switch,
    territory,
    texts,
    whole_number,
)

DEPTH, PAGES, PER_SHAPE = 3, 500, 100
# Only where the options say `beyond_limits`.
FURTHEST_DEPTH, FURTHEST_PAGES = 20, 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlSettings:
    starts: tuple[str, ...]
    territory: Territory
    wanted: Filter
    recognise: Recogniser
    depth: int
    pages: int
    per_shape: int


def read_settings(source: Source) -> CrawlSettings:
    options = source.options
    starts = tuple(dict.fromkeys(url for url in (source.url, *texts(options, "starts")) if url))
    site = territory(starts[:1], below=switch(options, "subdomains"))
    strangers = [url for url in starts if url not in site]
    if strangers or not starts:
        raise bad_option(
            "starts", f"not of the site: {strangers[0]}" if starts else "no address to start from"
        )
    depth, pages = _limits(options)
    return CrawlSettings(
        starts=starts,
        territory=site,
        wanted=read_filter(options),
        recognise=read_recogniser(options),
        depth=depth,
        pages=pages,
        per_shape=whole_number(options, "per_shape", default=PER_SHAPE, most=pages),
    )


def _limits(options: Mapping[str, Any]) -> tuple[int, int]:
    far = switch(options, "beyond_limits")
    depth = whole_number(options, "depth", default=DEPTH, most=FURTHEST_DEPTH if far else DEPTH, least=0)
    pages = whole_number(options, "pages", default=PAGES, most=FURTHEST_PAGES if far else PAGES)
    return depth, pages
