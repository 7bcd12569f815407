"""Sitemaps of every form, read from bytes: indexes, lists of addresses, plain text, feeds; packed or not."""

from headwater.pure.sitemaps.reading import MOST_LISTED, read_sitemap
from headwater.pure.sitemaps.values import Listed, NotASitemap, Sitemap

__all__ = ["MOST_LISTED", "Listed", "NotASitemap", "Sitemap", "read_sitemap"]
