from headwater.discover.crawl.look import discover_crawl

__all__ = ["discover_crawl"]
