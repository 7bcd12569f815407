"""The wires' own pages, and one company's page of announcements that changes."""

from functools import partial

from headwater_demo.article_templates.page import attribute, text
from headwater_demo.markets.market import DemoMarket
from headwater_demo.markets.wire import NAMES, WIRES, Dispatch
from headwater_demo.site import TEXT, Site, SiteRequest, SiteResponse, not_found, page

INVESTORS = "investors.northgate.example"


def wire_sites(market: DemoMarket) -> list[Site]:
    wires = [Site(f"www.{host}", partial(_wire, market, host)) for host in WIRES]
    return [*wires, Site(INVESTORS, _investors)]


def _wire(market: DemoMarket, host: str, request: SiteRequest) -> SiteResponse:
    if request.path == "/robots.txt":
        return SiteResponse(body=b"User-agent: *\nDisallow: /desk/\n", media_type=TEXT)
    dispatch = market.at(host, request.path, request.now)
    return page(_article(dispatch), last_modified=dispatch.published) if dispatch else not_found(request)


def _article(dispatch: Dispatch) -> str:
    opening, *following = dispatch.paragraphs
    statement = f"https://{INVESTORS}/statements/{dispatch.id[:8]}"
    body = f'<p>{text(opening)} (<a href="{statement}">The statement</a>)</p>'
    body += "".join(f"<p>{text(paragraph)}</p>" for paragraph in following)
    name = text(NAMES[dispatch.host])
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{text(dispatch.title)} | {name}</title>'
        f'<meta property="og:title" content="{attribute(dispatch.title)}"><meta property="og:site_name" content="{name}">'
        f'<meta property="article:published_time" content="{dispatch.published.isoformat()}">'
        f'<meta name="author" content="{attribute(dispatch.author)}"><link rel="canonical" href="{attribute(dispatch.url)}"></head>'
        f'<body><nav><a href="/">Home</a> <a href="/companies">Companies</a></nav><article><h1>{text(dispatch.title)}</h1>'
        f"{body}</article><aside>Subscribe to our newsletter</aside><footer>© 2026 {name}</footer></body></html>"
    )


def _investors(request: SiteRequest) -> SiteResponse:
    """The date at the top changes every day, the announcements every other day."""
    day = request.now.date()
    items = "".join(
        f"<li>Northgate Semiconductors presents its figures at gathering number {number} in Lisbon and answers questions.</li>"
        for number in range(1, 4 + day.toordinal() // 2 % 7)
    )
    return page(
        f"<!doctype html><html lang='en'><head><title>Northgate investors</title></head><body><p class='today'>{day}</p>"
        f"<main><section id='news'><h2>Announcements</h2><p>Northgate Semiconductors tells its shareholders first, here, about "
        f"everything that may matter to them. What is listed below has been filed with the regulator.</p><ul>{items}</ul></section>"
        f"</main><footer>{day:%Y}</footer></body></html>"
    )
