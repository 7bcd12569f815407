"""Sites with sitemaps: one with every variant of a file, and three for where a sitemap can be."""

import gzip
from collections.abc import Callable

from headwater_demo.site import TEXT, XML, Site, SiteRequest, SiteResponse, not_found, page, plain
from headwater_demo.world import World

HOST, BARE, SILENT, ELSEWHERE = (
    "mapped.example",
    "bare.example",
    "unmapped.example",
    "maps.mapped-cdn.example",
)
_SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
_NEWS = 'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_LAUGHS = "".join(f'<!ENTITY l{step} "{f"&l{step - 1};" * 10 if step else "ha"}">' for step in range(8))
URLS_PER_FILE = 12


def sites(_world: World) -> list[Site]:
    return [Site(HOST, _answer), Site(BARE, _bare), Site(SILENT, not_found), Site(ELSEWHERE, _elsewhere)]


def _answer(request: SiteRequest) -> SiteResponse:
    if request.path in _FILES:
        return _FILES[request.path]()
    if request.path.startswith("/page/"):
        return page(_page(request.path))
    return not_found(request)


def _page(path: str) -> str:
    name = path.removeprefix("/page/")
    words = " ".join(
        f"The keeper of {name} counts every page that somebody lists, number {n}." for n in range(6)
    )
    return f'<!doctype html><html lang="en"><head><title>Page {name}</title></head><body><article><h1>Page {name}</h1><p>{words}</p></article></body></html>'


def _bare(request: SiteRequest) -> SiteResponse:
    if request.path == "/sitemap.xml":
        return _urls("bare", host=BARE)
    return page(_page(request.path)) if request.path.startswith("/page/") else not_found(request)


def _elsewhere(request: SiteRequest) -> SiteResponse:
    return _urls("proven") if request.path == "/proven.xml" else not_found(request)


def _urls(name: str, *, host: str = HOST, lastmod: str = "2026-11-13T08:00:00+01:00") -> SiteResponse:
    lines = "".join(
        f"<url><loc>http://{host}/page/{name}-{number}?a=1&amp;b=2</loc><lastmod>{lastmod}</lastmod></url>\n"
        for number in range(URLS_PER_FILE)
    )
    return plain(f"{_HEAD}<urlset {_SPACE}>\n{lines}</urlset>\n", media_type=XML)


def _index(*names: str) -> SiteResponse:
    lines = "".join(
        f"<sitemap><loc>http://{HOST}{name}</loc><lastmod>2026-11-13</lastmod></sitemap>\n" for name in names
    )
    return plain(f"{_HEAD}<sitemapindex {_SPACE}>\n{lines}</sitemapindex>\n", media_type=XML)


def _packed(media_type: str, *, twice: bool = False) -> SiteResponse:
    body = gzip.compress(_urls("twice" if twice else "packed").body, mtime=0)
    if twice:
        return SiteResponse(
            body=gzip.compress(body, mtime=0),
            media_type=media_type,
            headers={"Content-Encoding": "gzip"},
            as_is=True,
        )
    return SiteResponse(body=body, media_type=media_type)


def _unescaped() -> SiteResponse:
    sound = _urls("unescaped")
    return plain(sound.body.decode().replace("&amp;", "&"), media_type=XML)


def _news() -> SiteResponse:
    line = (
        f"<url><loc>http://{HOST}/page/news-1</loc><lastmod>2026-11-13</lastmod>"
        f"<image:image><image:loc>http://{HOST}/page/picture</image:loc><image:title>A picture</image:title></image:image>"
        "<news:news><news:publication><news:name>Mapped</news:name><news:language>en</news:language></news:publication>"
        "<news:publication_date>2026-11-12T18:30:00Z</news:publication_date><news:title>Ledgers &amp; lanes</news:title></news:news></url>"
    )
    return plain(f"{_HEAD}<urlset {_SPACE} {_NEWS}>{line}</urlset>", media_type=XML)


def _odd() -> SiteResponse:
    """Addresses of other hosts, impossible dates, and a line that is too long."""
    lines = "".join(
        f"<url><loc>{loc}</loc><lastmod>{lastmod}</lastmod></url>"
        for loc, lastmod in (
            (f"http://{HOST}/page/future", "2061-01-01"),
            (f"http://{HOST}/page/undated", "yesterday"),
            ("http://stranger.example/page/1", "2026-11-13"),
            (f"http://below.{HOST}/page/1", "2026"),
            (f"http://{HOST}/page/{'long' * 600}", "2026-11-13"),
            ("ftp://mapped.example/page/1", "2026-11-13"),
            (f"http://{HOST}/private/1", "2026-11"),
        )
    )
    return plain(f"{_HEAD}<urlset {_SPACE}>{lines}</urlset>", media_type=XML)


def _feed() -> SiteResponse:
    return plain(
        f'{_HEAD}<rss version="2.0"><channel><title>Mapped</title><link>http://{HOST}/</link><description>All</description>'
        f"<item><title>Listed in a feed</title><link>http://{HOST}/page/feed-1</link><pubDate>Fri, 13 Nov 2026 08:00:00 GMT</pubDate></item></channel></rss>",
        media_type=XML,
    )


_FILES: dict[str, Callable[[], SiteResponse]] = {
    "/robots.txt": lambda: plain(
        f"User-agent: *\nDisallow: /private/\n\nSitemap: http://{HOST}/maps/index.xml\nsitemap: http://{ELSEWHERE}/proven.xml\n"
    ),
    "/maps/index.xml": lambda: _index(
        "/maps/plain.xml",
        "/maps/packed.xml.gz",
        "/maps/list.txt",
        "/maps/feed.xml",
        "/maps/second.xml",
        "/maps/missing.xml",
    ),
    "/maps/second.xml": lambda: _index("/maps/third.xml", "/maps/index.xml"),
    "/maps/third.xml": lambda: _index("/maps/too-deep.xml"),
    "/maps/too-deep.xml": lambda: _urls("too-deep"),
    "/maps/plain.xml": lambda: _urls("plain"),
    "/maps/packed.xml.gz": lambda: _packed("application/x-gzip"),
    "/maps/as-xml.xml.gz": lambda: _packed("text/xml"),
    "/maps/twice.xml.gz": lambda: _packed("application/gzip", twice=True),
    "/maps/list.txt": lambda: plain(
        "\ufeff" + "".join(f"http://{HOST}/page/list-{number}\r\n" for number in range(URLS_PER_FILE)),
        media_type=TEXT,
    ),
    "/maps/feed.xml": _feed,
    "/maps/news.xml": _news,
    "/maps/odd.xml": _odd,
    "/maps/unescaped.xml": _unescaped,
    "/maps/cut.xml": lambda: plain(_urls("cut").body.decode()[:-200], media_type=XML),
    "/maps/laughs.xml": lambda: plain(
        f"<?xml version='1.0'?><!DOCTYPE urlset [{_LAUGHS}]><urlset {_SPACE}><url><loc>http://{HOST}/&l7;</loc></url></urlset>",
        media_type=XML,
    ),
    "/maps/external.xml": lambda: plain(
        f"<?xml version='1.0'?><!DOCTYPE urlset [<!ENTITY x SYSTEM 'file:///etc/hostname'>]><urlset {_SPACE}><url><loc>http://{HOST}/&x;</loc></url></urlset>",
        media_type=XML,
    ),
    "/maps/deep.xml": lambda: plain(f"{_HEAD}<urlset {_SPACE}>{'<url>' * 5000}", media_type=XML),
    "/maps/bomb.xml.gz": lambda: SiteResponse(
        body=gzip.compress(b"<urlset>" + b" " * (60 * 1024 * 1024), 6, mtime=0), media_type="application/gzip"
    ),
    "/maps/page.xml": lambda: page(_page("/page/not-a-map")),
}
