"""The news sites: front page, sections, articles, feeds, robots, sitemaps."""

from datetime import datetime
from functools import partial

from headwater_demo.article import DemoArticle
from headwater_demo.article_templates import TEMPLATES
from headwater_demo.article_templates.amp import amp
from headwater_demo.article_templates.page import Template, TemplatePage, attribute, links, text
from headwater_demo.faults import Fault
from headwater_demo.feeds.catalogue import DemoFeed, catalogue, listed_articles
from headwater_demo.feeds.render import media_type, render_feed
from headwater_demo.publishers import Publisher
from headwater_demo.site import Site, SiteRequest, SiteResponse, not_found, page
from headwater_demo.sites.picture import picture
from headwater_demo.sites.robots import robots
from headwater_demo.sites.sitemaps import sitemap
from headwater_demo.world import World

_RELATED = 5
_ON_FRONT_PAGE = 30


def sites(world: World) -> list[Site]:
    table = catalogue(world.size)
    for feed in table:
        if feed.expect == "flaky":
            world.faults.push(feed.host, feed.path, Fault(status=500), times=2)
    return [
        Site(item.host, partial(_answer, world, item, _feeds_of(item, table)))
        for item in world.newsroom.publishers
    ]


def _feeds_of(publisher: Publisher, table: tuple[DemoFeed, ...]) -> dict[str, DemoFeed]:
    return {feed.path: feed for feed in table if feed.host == publisher.host}


def _answer(
    world: World, publisher: Publisher, feeds: dict[str, DemoFeed], request: SiteRequest
) -> SiteResponse:
    if request.path in feeds:
        feed = feeds[request.path]
        return render_feed(feed, publisher, listed_articles(feed, world.newsroom, request.now))
    if request.path == "/robots.txt":
        return robots(publisher)
    if request.path.startswith("/images/"):
        return picture(request.path)
    articles = world.newsroom.articles(request.now, host=publisher.host)
    return sitemap(request.path, publisher, articles) or _page(publisher, feeds, articles, request)


def _page(
    publisher: Publisher, feeds: dict[str, DemoFeed], articles: list[DemoArticle], request: SiteRequest
) -> SiteResponse:
    shown = _section(request.path, articles)
    if shown is not None:
        return _front(publisher, feeds, shown[:_ON_FRONT_PAGE])
    if request.path == "/about":
        return page(
            f"<!doctype html><title>About {text(publisher.name)}</title><h1>About us</h1><p>{text(publisher.tagline)}. Write to editor@{publisher.host}.</p>"
        )
    return _story(publisher, feeds, articles, request)


def _section(path: str, articles: list[DemoArticle]) -> list[DemoArticle] | None:
    if path == "/":
        return articles
    if path.startswith("/section/"):
        return [item for item in articles if item.topic == path.removeprefix("/section/")]
    return None


def _story(
    publisher: Publisher, feeds: dict[str, DemoFeed], articles: list[DemoArticle], request: SiteRequest
) -> SiteResponse:
    path, template = _path_and_template(publisher, request)
    article = next((item for item in articles if item.path == path), None)
    if article is None:
        return not_found(request)
    older = tuple(item for item in articles if item.published < article.published)[:_RELATED]
    shown = TemplatePage(article, publisher, older, _feed_links(feeds))
    return page(template(shown), last_modified=article.modified)


def _path_and_template(publisher: Publisher, request: SiteRequest) -> tuple[str, Template]:
    """The path of the article and its template; other parameters are ignored, as on real sites."""
    identity = request.query.get("id")
    path = f"{request.path}?id={identity}" if publisher.urls == "query" and identity else request.path
    if publisher.template == "modern" and path.startswith("/amp/"):
        return path.removeprefix("/amp"), amp
    return path, TEMPLATES[publisher.template]


def _feed_links(feeds: dict[str, DemoFeed]) -> str:
    return "\n".join(
        f'<link rel="alternate" type="{media_type(feed).partition(";")[0]}" title="{attribute(feed.name)}" href="{feed.path}">'
        for feed in feeds.values()
        if feed.expect in ("ok", "broken")
    )


def _front(publisher: Publisher, feeds: dict[str, DemoFeed], articles: list[DemoArticle]) -> SiteResponse:
    modified: datetime | None = max((item.published for item in articles), default=None)
    body = (
        f'<!doctype html><html lang="{publisher.language}"><head><meta charset="utf-8"><title>{text(publisher.name)}</title>{_feed_links(feeds)}</head>'
        f"<body><h1>{text(publisher.name)}</h1><p>{text(publisher.tagline)}</p><ul>{links(tuple(articles))}</ul></body></html>"
    )
    return page(body, last_modified=modified)
