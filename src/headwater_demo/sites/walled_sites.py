"""Publishers whose feeds are open and whose pages are not: a paywall, a bot wall, a script shell and their like."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import format_datetime
from functools import partial
from html import escape

from headwater_demo.site import Site, SiteRequest, SiteResponse, not_found, page, plain
from headwater_demo.world import World

FEED = "/feed.xml"


@dataclass(frozen=True, slots=True)
class WalledStory:
    """A story of which the feed has the title, the author and a summary; `teaser` is a longer beginning, if any."""

    path: str
    title: str
    author: str
    summary: str
    teaser: str = ""


@dataclass(frozen=True, slots=True)
class Wall:
    """A publisher; `expected` is the state of its pages, `answer` what they are."""

    host: str
    name: str
    expected: str
    answer: Callable[[], SiteResponse]
    story: WalledStory

    @property
    def url(self) -> str:
        return f"http://www.{self.host}{self.story.path}"


def _document(title: str, body: str, head: str = "") -> SiteResponse:
    return page(
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">{head}<title>{title}</title></head>'
        f"<body>{body}</body></html>"
    )


def _status(status: int, words: str) -> SiteResponse:
    return page(f"<!doctype html><title>{words}</title><h1>{words}</h1>", status=status)


def _paywall() -> SiteResponse:
    head = '<script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":false}</script>'
    wall = "<h2>Subscribe to continue reading</h2><p>Already a subscriber? Log in.</p>"
    return _document(
        "Copper Gate", f"<article><h1>Copper Gate</h1><p>The auction began.</p></article>{wall}", head
    )


def _bot_check() -> SiteResponse:
    words = "Checking your browser before you go on. Verify you are human to continue."
    return _document("Just a moment...", f"<h1>Just a moment...</h1><p>{words}</p>")


def _script_shell() -> SiteResponse:
    shell = '<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div>'
    return _document("App", f'{shell}<script src="/main.js"></script>')


def _consent() -> SiteResponse:
    words = "Before you continue: we use cookies and data to deliver our services. Accept cookies to go on."
    return _document(
        "Before you continue", f"<h1>Before you continue</h1><p>{words}</p><button>Accept all</button>"
    )


def _error_page() -> SiteResponse:
    return _document("Service unavailable", "<h1>503 Service unavailable</h1><p>Something went wrong.</p>")


WALLS: tuple[Wall, ...] = (
    Wall(
        "coppergate.example", "The Copper Gate", "paywall", _paywall,
        WalledStory(
            "/auction", "Northern ledgers sold at auction in Arden", "Ida Marsh",
            "Three hundred ledgers of the northern exchanges went for twice their estimate.",
            "<p>Three hundred ledgers of the northern exchanges went for twice their estimate, the auction house of Arden "
            "said on Thursday.</p><p>The buyer, a museum, will show them from spring. Two volumes were withdrawn because "
            "their origin is disputed. The seller did not want to be named.</p>",
        ),
    ),
    Wall(
        "tollhouse.example", "Tollhouse Tribune", "forbidden", partial(_status, 403, "Forbidden"),
        WalledStory("/ferry", "Ferry tokens lose a third of their value", "Oskar Lind",
                    "The tokens of the Selby ferry fell by a third after the operator stopped accepting them."),
    ),
    Wall(
        "glasspane.example", "Glasspane Daily", "script_only", _script_shell,
        WalledStory("/mint", "Small mint in Dunmore presses its last coin", "Rosa Vey",
                    "After ninety years the mint of Dunmore closes; its presses go to a school."),
    ),
    Wall(
        "sentrybox.example", "Sentry Box", "script_only", _bot_check,
        WalledStory("/vault", "Vault keeper resigns over missing keys", "Leo Hart",
                    "The keeper of the Orrin vault resigned a week after two keys could not be found."),
    ),
    Wall(
        "closedquay.example", "Closed Quay", "disallowed", partial(_status, 200, "Never requested"),
        WalledStory("/barge", "Barge exchange moves to the river bank", "Nina Holt",
                    "The exchange for barge freight moves out of its tower and back to the river."),
    ),
    Wall(
        "oldlamp.example", "The Old Lamp", "missing", partial(_status, 410, "Gone"),
        WalledStory("/oil", "Lamp oil futures are listed again", "Tom Ashby",
                    "For the first time since the fire, futures on lamp oil can be traded in Calder."),
    ),
    Wall(
        "cookiejar.example", "Cookie Jar Courier", "consent_wall", _consent,
        WalledStory("/flour", "Flour cooperative pays out a dividend", "Mara Quill",
                    "Members of the flour cooperative receive four crowns for each share."),
    ),
    Wall(
        "brokenpane.example", "Broken Pane", "error_page", _error_page,
        WalledStory("/salt", "Salt road reopens after two winters", "Jon Brandt",
                    "Lorries may use the salt road again, with one lane in each direction."),
    ),
)  # fmt: skip
NAMES = {wall.host: wall.name for wall in WALLS}


def walled_feeds() -> list[tuple[str, str]]:
    """Name and address of each feed."""
    return [(wall.name, f"http://www.{wall.host}{FEED}") for wall in WALLS]


def sites(world: World) -> list[Site]:
    return [Site(f"www.{wall.host}", partial(_answer, world.born, wall)) for wall in WALLS]


def _answer(born: datetime, wall: Wall, request: SiteRequest) -> SiteResponse:
    if request.path == "/robots.txt":
        rule = "/" if wall.expected == "disallowed" else ""
        return plain(f"User-agent: *\nDisallow: {rule}\nAllow: {FEED}\n")
    if request.path == FEED:
        return _feed(born, wall)
    return not_found(request) if request.path == "/main.js" else wall.answer()


def _feed(born: datetime, wall: Wall) -> SiteResponse:
    story = wall.story
    content = f"<content:encoded>{escape(story.teaser)}</content:encoded>" if story.teaser else ""
    item = (
        f"<item><title>{escape(story.title)}</title><link>{wall.url}</link><guid>{wall.url}</guid>"
        f"<dc:creator>{story.author}</dc:creator><description>{escape(story.summary)}</description>{content}"
        f"<pubDate>{format_datetime(born - timedelta(hours=2), usegmt=True)}</pubDate></item>"
    )
    namespaces = (
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/"'
    )
    return plain(
        f'<?xml version="1.0"?><rss version="2.0" {namespaces}><channel><title>{escape(wall.name)}</title>'
        f"<link>http://www.{wall.host}/</link><description>News</description>{item}</channel></rss>",
        media_type="application/rss+xml",
    )
