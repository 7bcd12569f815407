"""The newspapers that report from flashpoints: a feed per flashpoint, a page per report."""

from datetime import datetime, timedelta
from email.utils import format_datetime
from functools import partial
from html import escape

from headwater_demo.flashpoints.reports import REPORTS, Report
from headwater_demo.site import Site, SiteRequest, SiteResponse, not_found, page, plain
from headwater_demo.world import World

NAMES = {
    "meridian-post.example": "Meridian Post",
    "harbour-ledger.example": "Harbour Ledger",
    "oriel-wire.example": "Oriel Wire",
    "nordlicht-kurier.example": "Nordlicht Kurier",
    "la-tribuna-sur.example": "La Tribuna del Sur",
}


def sites(world: World) -> list[Site]:
    return [Site(host, partial(_answer, world.born, host)) for host in NAMES]


def _answer(born: datetime, host: str, request: SiteRequest) -> SiteResponse:
    visible = [
        report
        for report in REPORTS
        if report.host == host and born + timedelta(hours=report.hours) <= request.now
    ]
    if request.path.endswith(".rss"):
        name = request.path.removeprefix("/").removesuffix(".rss")
        return _feed(born, host, [report for report in visible if report.flashpoint == name])
    requested = next((report for report in visible if report.path == request.path), None)
    return not_found(request) if requested is None else _page(born, requested)


def _feed(born: datetime, host: str, reports: list[Report]) -> SiteResponse:
    items = "".join(
        f"<item><title>{escape(report.title)}</title><link>{report.url}</link><guid>{report.url}</guid>"
        f"<category>{escape(report.category)}</category>"
        f"<pubDate>{format_datetime(_when(born, report), usegmt=True)}</pubDate></item>"
        for report in reports
    )
    head = f"<title>{NAMES[host]}</title><link>http://{host}/</link><description>News</description>"
    return plain(
        f'<?xml version="1.0"?><rss version="2.0"><channel>{head}{items}</channel></rss>',
        media_type="application/rss+xml",
    )


def _page(born: datetime, report: Report) -> SiteResponse:
    when = _when(born, report)
    sentences = report.text.split(". ")
    middle = len(sentences) // 2
    parts = (". ".join(sentences[:middle]) + ".", ". ".join(sentences[middle:]))
    language = "es" if report.host.startswith("la-") else "en"
    return page(
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>{escape(report.title)}</title>'
        f'<meta property="og:site_name" content="{NAMES[report.host]}">'
        f'<meta property="article:published_time" content="{when.isoformat()}">'
        f'<meta property="article:section" content="{escape(report.category)}"></head>'
        f"<body><article><h1>{escape(report.title)}</h1>{''.join(f'<p>{escape(part)}</p>' for part in parts)}"
        "</article></body></html>",
        last_modified=when,
    )


def _when(born: datetime, report: Report) -> datetime:
    return born + timedelta(hours=report.hours)
