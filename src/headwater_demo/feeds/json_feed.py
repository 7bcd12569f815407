"""JSON Feed 1.1."""

import json
from typing import Any

from headwater_demo.article import DemoArticle
from headwater_demo.feeds.catalogue import DemoFeed, entry_link
from headwater_demo.feeds.markup import body_html
from headwater_demo.publishers import Publisher


def json_feed(feed: DemoFeed, publisher: Publisher, articles: list[DemoArticle]) -> str:
    document = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": feed.name,
        "home_page_url": f"http://{publisher.host}/",
        "feed_url": feed.url,
        "description": publisher.tagline,
        "language": publisher.language,
        "items": [_item(item, feed) for item in articles],
    }
    return json.dumps(document, indent=1, ensure_ascii=False)


def _item(article: DemoArticle, feed: DemoFeed) -> dict[str, Any]:
    return {
        "id": article.guid,
        "url": entry_link(article, feed),
        "title": article.title,
        "content_html": body_html(article),
        "summary": article.description,
        "image": article.image,
        "date_published": article.published.isoformat(),
        "date_modified": article.modified.isoformat(),
        "authors": [{"name": article.author}],
        "tags": list(article.keywords),
        "language": article.language,
    }
