from headwater.discover.sitemap.look import discover_sitemap

__all__ = ["discover_sitemap"]
