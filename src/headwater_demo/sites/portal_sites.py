"""The sites of the portals: pages, files, sitemaps and feeds; and the API of the gazette."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from html import escape
from typing import Any

from headwater_demo.procedures.content import PORTALS, DemoPortal
from headwater_demo.procedures.gazette import HOST as GAZETTE
from headwater_demo.procedures.gazette import document, summary
from headwater_demo.procedures.other_pages import other_pages
from headwater_demo.procedures.portal_pages import PortalPage, procedure_pages
from headwater_demo.site import XML, Site, SiteRequest, SiteResponse, not_found, page, plain
from headwater_demo.world import World

CHANGED = datetime(2026, 11, 2, 8, 0, tzinfo=UTC)
RAISED, RAISED_AFTER = "/services/boat-mooring", timedelta(days=17, hours=23)
_SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
# How each portal can be discovered; the others have sitemaps.
_CRAWLED, _FED, _SEEDED = "seu.vallmar.demo.gob.es", "sede.marusia.demo.gob.es", "www.puertoclaro.demo.gob.es"


def sites(world: World) -> list[Site]:
    raised_from = world.born + RAISED_AFTER
    return [
        *(Site(portal.host, _answering(portal, raised_from)) for portal in PORTALS),
        Site(GAZETTE, _gazette),
    ]


def _answering(portal: DemoPortal, raised_from: datetime) -> Callable[[SiteRequest], SiteResponse]:
    procedures = {
        portal_page.path: portal_page for portal_page in procedure_pages() if portal_page.portal is portal
    }
    other_markup = {path: markup for (host, path), markup in other_pages().items() if host == portal.host}

    def answer(request: SiteRequest) -> SiteResponse:
        path = request.path
        if path in procedures:
            return _present(procedures[path], request.now, raised_from)
        if path in other_markup:
            return page(other_markup[path], last_modified=CHANGED)
        if path == "/robots.txt":
            return plain(f"User-agent: *\nDisallow: /intranet/\nSitemap: http://{portal.host}/sitemap.xml\n")
        if path == "/sitemap.xml" and portal.host not in {_CRAWLED, _FED, _SEEDED}:
            return _sitemap(portal, [*procedures, *other_markup, "/sobre-la-sede", "/agenda/hoy"])
        if path == "/rss.xml" and portal.host == _FED:
            return _feed(portal, list(procedures.values()))
        if path == "/":
            return page(_home(portal, [*procedures, *other_markup]), last_modified=CHANGED)
        return not_found(request)

    return answer


def _present(portal_page: PortalPage, now: datetime, raised_from: datetime) -> SiteResponse:
    """The page as it is now: after two weeks and a half the fee for moorings goes up."""
    if portal_page.path == RAISED and now >= raised_from:
        body = portal_page.body.replace(b"240 euros a year.", b"260 euros a year.")
        return SiteResponse(body=body, media_type=portal_page.media_type, last_modified=raised_from)
    return SiteResponse(body=portal_page.body, media_type=portal_page.media_type, last_modified=CHANGED)


def _sitemap(portal: DemoPortal, paths: list[str]) -> SiteResponse:
    lines = "".join(
        f"<url><loc>http://{portal.host}{escape(path)}</loc><lastmod>{CHANGED:%Y-%m-%d}</lastmod></url>"
        for path in paths
    )
    return plain(f'<?xml version="1.0" encoding="UTF-8"?><urlset {_SPACE}>{lines}</urlset>', media_type=XML)


def _feed(portal: DemoPortal, pages: list[PortalPage]) -> SiteResponse:
    lines = "".join(
        f"<item><title>{escape(portal_page.truth['nombre'])}</title><link>{portal_page.url}</link><guid>{portal_page.url}</guid><pubDate>Mon, 02 Nov 2026 08:00:00 GMT</pubDate></item>"
        for portal_page in pages
    )
    head = f"<title>{escape(portal.organism)}</title><link>http://{portal.host}/</link><description>Procedementos</description>"
    return plain(
        f'<?xml version="1.0"?><rss version="2.0"><channel>{head}{lines}</channel></rss>',
        media_type="application/rss+xml",
    )


def _home(portal: DemoPortal, paths: list[str]) -> str:
    links = "".join(f'<li><a href="{path}">{path.rsplit("/", 1)[-1]}</a></li>' for path in paths)
    return f'<!doctype html><html lang="{portal.language}"><head><title>{escape(portal.organism)}</title></head><body><h1>{escape(portal.organism)}</h1><ul>{links}</ul></body></html>'


def _gazette(request: SiteRequest) -> SiteResponse:
    if request.path.startswith("/api/boe/sumario/"):
        return _summary(request)
    is_document = request.path == "/diario_boe/xml.php"
    body = document(request.query.get("id", "")) if is_document else None
    if body is None:
        return not_found(request)
    return SiteResponse(body=body, media_type=XML, last_modified=CHANGED)


def _summary(request: SiteRequest) -> SiteResponse:
    if "json" not in request.headers.get("accept", ""):
        return plain("no MIME type of Accept is supported", status=400)
    try:
        day = datetime.strptime(request.path.rsplit("/", 1)[-1], "%Y%m%d").replace(tzinfo=UTC).date()
    except ValueError:
        return not_found(request)
    day_summary = summary(day)
    if day_summary is None:
        return plain(
            '{"status":{"code":"404","text":"-"},"data":""}', status=404, media_type="application/json"
        )
    return SiteResponse(body=day_summary, media_type="application/json")


def procedure_sources() -> list[dict[str, Any]]:
    """Entries for a source list: every way to discover procedures, each on a different portal."""
    lines: list[dict[str, Any]] = []
    for portal in PORTALS:
        name, site_url = portal.host, f"http://{portal.host}/"
        if portal.host == _CRAWLED:
            markers = ["Requisits", "Documentació", "Termini", "Qui ho pot demanar", "Com"]
            lines.append(
                {
                    "name": name,
                    "kind": "crawl",
                    "url": site_url,
                    "options": {"markers": markers, "page_patterns": [portal.folder], "depth": 2},
                }
            )
        elif portal.host == _FED:
            lines.append(
                {"name": name, "kind": "feed", "url": f"{site_url}rss.xml", "options": {"full_text": False}}
            )
        elif portal.host == _SEEDED:
            urls = [portal_page.url for portal_page in procedure_pages() if portal_page.portal is portal]
            lines.append({"name": name, "kind": "seeds", "options": {"urls": urls, "recheck_every": "7d"}})
        else:
            lines.append(
                {"name": name, "kind": "sitemap", "url": site_url, "options": {"include": [portal.folder]}}
            )
    words = ["ayuda", "ayudas", "beca", "subsidio", "subvención"]
    lines.append(
        {
            "name": GAZETTE,
            "kind": "boe",
            "url": f"http://{GAZETTE}/api/boe/sumario/",
            "options": {"words": words, "days": 7},
        }
    )
    return lines
