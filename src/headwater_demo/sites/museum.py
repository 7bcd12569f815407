"""One host with a feed for everything that can be wrong with feeds."""

from datetime import timedelta
from functools import partial

from headwater_demo.article import TOPICS, Article
from headwater_demo.composer import compose
from headwater_demo.exchange import Answer, Request, Site, not_found, page
from headwater_demo.faults import Fault
from headwater_demo.feeds.catalogue import MUSEUM, odd_catalogue
from headwater_demo.feeds.render import render_feed
from headwater_demo.publishers import Publisher
from headwater_demo.schedule import Assignment
from headwater_demo.sites.robots import robots
from headwater_demo.templates import TEMPLATES
from headwater_demo.templates.page import Page
from headwater_demo.world import World

_ARTICLES = 8
_FIRST_NUMBER = 800_001
_HOUSE = Publisher(
    host=MUSEUM,
    name="Odd Feeds",
    tagline="A museum of malformed syndication",
    template="semantic",
    urls="news",
)


def sites(world: World) -> list[Site]:
    for feed in odd_catalogue():
        if feed.expect == "flaky":
            world.faults.push(feed.host, feed.path, Fault(status=500), times=2)
    return [Site(MUSEUM, partial(_answer, _collection(world)))]


def _collection(world: World) -> list[Article]:
    numbers = range(_ARTICLES)
    return [compose(_assignment(world, number), seed=world.seed) for number in numbers]


def _assignment(world: World, number: int) -> Assignment:
    return Assignment(
        number=_FIRST_NUMBER + number,
        kind="original",
        publisher=_HOUSE,
        published=world.born - timedelta(hours=1 + 3 * number),
        topic=TOPICS[number % len(TOPICS)],
        serial=_FIRST_NUMBER,
    )


def _answer(articles: list[Article], request: Request) -> Answer:
    if request.path == "/robots.txt":
        return robots(_HOUSE)
    feed = next((item for item in odd_catalogue() if item.path == request.path), None)
    if feed is not None:
        return render_feed(feed, _HOUSE, articles)
    found = next((item for item in articles if item.path == request.path), None)
    if found is None:
        return not_found(request)
    return page(TEMPLATES[_HOUSE.template](Page(found, _HOUSE, ())), last_modified=found.modified)
