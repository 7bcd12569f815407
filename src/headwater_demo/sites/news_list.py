"""Sources of several kinds for a recipe that has none of its own."""

from typing import Any


def news_sources() -> list[dict[str, Any]]:
    """A feed, a sitemap, and a JSON feed that is read as an API."""
    return [
        {"name": "Hashfield Notes", "kind": "feed", "url": "http://hashfield.example/rss.xml"},
        {"name": "Kettenkurier", "kind": "sitemap", "url": "http://kettenkurier.example/sitemap.xml"},
        {
            "name": "Token Tribune",
            "kind": "json",
            "url": "http://tokentribune.example/feed.json",
            "options": {
                "items": "items",
                "fields": {"id": "id", "url": "url", "title": "title", "published": "date_published"},
            },
        },
    ]
