"""The newspapers that report from flashpoints: a feed per flashpoint, a page per report."""

from datetime import datetime, timedelta
from email.utils import format_datetime
from functools import partial
from html import escape

from headwater_demo.flashpoints.flashpoint_list import reports_of
from headwater_demo.flashpoints.papers import NAMES
from headwater_demo.flashpoints.reports import Report
from headwater_demo.site import Site, SiteRequest, SiteResponse, not_found, page, plain
from headwater_demo.world import World


def sites(world: World) -> list[Site]:
    by_host: dict[str, list[Report]] = {host: [] for host in NAMES}
    for report in reports_of(world.size):
        by_host[report.host].append(report)
    return [Site(host, partial(_answer, world.born, host, reports)) for host, reports in by_host.items()]


def _answer(born: datetime, host: str, reports: list[Report], request: SiteRequest) -> SiteResponse:
    visible = [report for report in reports if born + timedelta(hours=report.hours) <= request.now]
    if request.path.endswith(".rss"):
        name = request.path.removeprefix("/").removesuffix(".rss")
        return _feed(born, host, [report for report in visible if report.flashpoint == name])
    requested = next((report for report in visible if report.path == request.path), None)
    return not_found(request) if requested is None else _page(born, requested)


def _feed(born: datetime, host: str, reports: list[Report]) -> SiteResponse:
    items = "".join(
        f"<item><title>{escape(report.title)}</title><link>{report.url}</link><guid>{report.url}</guid>"
        f"{_category(report)}<pubDate>{format_datetime(_when(born, report), usegmt=True)}</pubDate></item>"
        for report in reports
    )
    head = f"<title>{NAMES[host]}</title><link>http://{host}/</link><description>News</description>"
    return plain(
        f'<?xml version="1.0"?><rss version="2.0"><channel>{head}{items}</channel></rss>',
        media_type="application/rss+xml",
    )


def _page(born: datetime, report: Report) -> SiteResponse:
    when = _when(born, report)
    return page(
        f'<!doctype html><html lang="{report.language}"><head><meta charset="utf-8"><title>{escape(report.title)}</title>'
        f'<meta property="og:site_name" content="{NAMES[report.host]}">'
        f'<meta property="article:published_time" content="{when.isoformat()}">'
        f"{_section(report)}</head>"
        f"<body><article><h1>{escape(report.title)}</h1>{''.join(f'<p>{escape(part)}</p>' for part in report.paragraphs)}"
        "</article></body></html>",
        last_modified=when,
    )


def _category(report: Report) -> str:
    return f"<category>{escape(report.category)}</category>" if report.category else ""


def _section(report: Report) -> str:
    return f'<meta property="article:section" content="{escape(report.category)}">' if report.category else ""


def _when(born: datetime, report: Report) -> datetime:
    return born + timedelta(hours=report.hours)
