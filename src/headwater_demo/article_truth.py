"""The expected results: every article, its addresses, its copies and the feeds that list it."""

from typing import Any

from headwater_demo.article import DemoArticle
from headwater_demo.feeds.catalogue import DemoFeed, catalogue, entry_link, listed_articles
from headwater_demo.publishers import publisher_of
from headwater_demo.world import World


def article_truths(world: World) -> list[dict[str, Any]]:
    """One record per article visible now, oldest first.

    `group` is shared by exact copies and `story` also by edited ones; `copy_of` is the id of the original.
    `urls` starts with the canonical address; the others lead to the same article.
    """
    now = world.clock.now()
    articles = sorted(world.newsroom.articles(now), key=lambda item: (item.published, item.id))
    table = catalogue(world.size)
    lists = {feed: {item.id for item in listed_articles(feed, world.newsroom, now)} for feed in table}
    return [_record(article, [feed for feed in table if article.id in lists[feed]]) for article in articles]


def _record(article: DemoArticle, feeds: list[DemoFeed]) -> dict[str, Any]:
    variants = sorted({entry_link(article, feed) for feed in feeds} - {article.url})
    if publisher_of(article.host).template == "modern":
        variants.append(f"http://{article.host}/amp{article.path}")
    return {
        "id": article.id,
        "kind": article.kind,
        "group": article.group,
        "story": article.story,
        "copy_of": article.copy_of,
        "host": article.host,
        "urls": [article.url, *variants],
        "guid": article.guid,
        "title": article.title,
        "author": article.author,
        "published": article.published.isoformat(),
        "modified": article.modified.isoformat(),
        "language": article.language,
        "topic": article.topic,
        "keywords": list(article.keywords),
        "description": article.description,
        "image": article.image,
        "paragraphs": list(article.paragraphs),
        "feeds": [feed.url for feed in feeds],
    }
