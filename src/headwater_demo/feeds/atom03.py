"""Atom 0.3, as it was before it was a standard: `issued`, `modified`, `mode="escaped"`."""

from html import escape

from headwater_demo.article import DemoArticle
from headwater_demo.feeds.catalogue import DemoFeed, entry_link
from headwater_demo.feeds.markup import DECLARATION, body_html, tag
from headwater_demo.publishers import Publisher


def atom03(feed: DemoFeed, publisher: Publisher, articles: list[DemoArticle]) -> str:
    heading = [
        tag("title", feed.name),
        tag("tagline", publisher.tagline),
        f'<link rel="alternate" type="text/html" href="http://{publisher.host}/"/>',
    ]
    opening = f'<feed version="0.3" xmlns="http://purl.org/atom/ns#" xml:lang="{publisher.language}">'
    entries = [_entry(item, entry_link(item, feed)) for item in articles]
    return DECLARATION + opening + "\n" + "\n".join(heading + entries) + "\n</feed>\n"


def _entry(article: DemoArticle, address: str) -> str:
    parts = [
        tag("id", article.guid),
        tag("title", article.title),
        f'<link rel="alternate" type="text/html" href="{escape(address)}"/>',
        tag("issued", article.published.isoformat()),
        tag("modified", article.modified.isoformat()),
        f"<author>{tag('name', article.author)}</author>",
        tag("summary", article.description, type="text/plain"),
        tag("content", body_html(article), type="text/html", mode="escaped"),
    ]
    return "<entry>\n" + "\n".join(parts) + "\n</entry>"
