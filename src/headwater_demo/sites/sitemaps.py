"""Sitemaps: an index, a gzip file, a text list and the plain kind."""

import gzip
from dataclasses import replace
from html import escape

from headwater_demo.article import DemoArticle
from headwater_demo.publishers import Publisher
from headwater_demo.site import XML, SiteResponse, plain

_SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def sitemap(path: str, publisher: Publisher, articles: list[DemoArticle]) -> SiteResponse | None:
    """The sitemap at a path, or None."""
    if path == "/sitemap_index.xml":
        return _index(publisher)
    if path in ("/sitemap.xml", "/sitemap-news.xml"):
        return _urls(articles)
    if path == "/sitemap-older.xml":
        return _urls(articles[len(articles) // 2 :])
    if path == "/sitemap.xml.gz":
        sound = _urls(articles)
        return replace(sound, body=gzip.compress(sound.body, mtime=0), media_type="application/gzip")
    if path == "/sitemap.txt":
        return plain("".join(f"{item.url}\n" for item in articles))
    return None


def _index(publisher: Publisher) -> SiteResponse:
    names = ("/sitemap-news.xml", "/sitemap-older.xml", "/sitemap.xml.gz")
    items = "".join(f"<sitemap><loc>http://{publisher.host}{name}</loc></sitemap>\n" for name in names)
    return plain(f"{_HEAD}<sitemapindex {_SPACE}>\n{items}</sitemapindex>\n", media_type=XML)


def _urls(articles: list[DemoArticle]) -> SiteResponse:
    items = "".join(
        f"<url><loc>{escape(item.url)}</loc><lastmod>{item.modified.isoformat()}</lastmod><changefreq>daily</changefreq></url>\n"
        for item in articles
    )
    return plain(f"{_HEAD}<urlset {_SPACE}>\n{items}</urlset>\n", media_type=XML)
