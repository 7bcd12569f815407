"""Every site of the demo internet. A new part is one file here and one line in `SITES`."""

from collections.abc import Callable, Sequence

from headwater_demo.site import Site
from headwater_demo.sites import (
    flashpoint_sites,
    market_sites,
    news_sites,
    odd_feeds,
    odd_pages,
    portal_sites,
    redirects,
    sitemap_variants,
    townhall,
    walled_sites,
)
from headwater_demo.world import World

SITES: tuple[Callable[[World], Sequence[Site]], ...] = (
    news_sites.sites,
    odd_feeds.sites,
    odd_pages.sites,
    redirects.sites,
    sitemap_variants.sites,
    townhall.sites,
    portal_sites.sites,
    market_sites.sites,
    flashpoint_sites.sites,
    walled_sites.sites,
)
