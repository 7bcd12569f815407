"""One host with one feed per defect."""

from datetime import timedelta
from functools import partial

from headwater_demo.article import TOPICS, DemoArticle
from headwater_demo.article_templates import TEMPLATES
from headwater_demo.article_templates.page import TemplatePage
from headwater_demo.composer import compose
from headwater_demo.faults import Fault
from headwater_demo.feeds.catalogue import ODD_FEEDS_HOST, odd_catalogue
from headwater_demo.feeds.render import render_feed
from headwater_demo.publishers import Publisher
from headwater_demo.schedule import Assignment
from headwater_demo.site import Site, SiteRequest, SiteResponse, not_found, page
from headwater_demo.sites.robots import robots
from headwater_demo.world import World

_ARTICLES = 8
_FIRST_NUMBER = 800_001
_PUBLISHER = Publisher(
    host=ODD_FEEDS_HOST,
    name="Odd Feeds",
    tagline="A museum of malformed syndication",
    template="semantic",
    urls="news",
)


def sites(world: World) -> list[Site]:
    for feed in odd_catalogue():
        if feed.expect == "flaky":
            world.faults.push(feed.host, feed.path, Fault(status=500), times=2)
    return [Site(ODD_FEEDS_HOST, partial(_answer, _articles(world)))]


def _articles(world: World) -> list[DemoArticle]:
    numbers = range(_ARTICLES)
    return [compose(_assignment(world, number), seed=world.seed) for number in numbers]


def _assignment(world: World, number: int) -> Assignment:
    return Assignment(
        number=_FIRST_NUMBER + number,
        kind="original",
        publisher=_PUBLISHER,
        published=world.born - timedelta(hours=1 + 3 * number),
        topic=TOPICS[number % len(TOPICS)],
        serial=_FIRST_NUMBER,
    )


def _answer(articles: list[DemoArticle], request: SiteRequest) -> SiteResponse:
    if request.path == "/robots.txt":
        return robots(_PUBLISHER)
    feed = next((item for item in odd_catalogue() if item.path == request.path), None)
    if feed is not None:
        return render_feed(feed, _PUBLISHER, articles)
    article = next((item for item in articles if item.path == request.path), None)
    if article is None:
        return not_found(request)
    return page(
        TEMPLATES[_PUBLISHER.template](TemplatePage(article, _PUBLISHER, ())), last_modified=article.modified
    )
