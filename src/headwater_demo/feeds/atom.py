"""Atom 1.0 with each kind of content; the XHTML one links relative to xml:base."""

from html import escape
from urllib.parse import urlsplit

from headwater_demo.article import DemoArticle
from headwater_demo.feeds.catalogue import DemoFeed, entry_link
from headwater_demo.feeds.markup import DECLARATION, body_html, tag
from headwater_demo.publishers import Publisher


def atom_html(feed: DemoFeed, publisher: Publisher, articles: list[DemoArticle]) -> str:
    return _atom(
        feed, publisher, [_entry(item, entry_link(item, feed), _html(item)) for item in articles], articles
    )


def atom_text(feed: DemoFeed, publisher: Publisher, articles: list[DemoArticle]) -> str:
    return _atom(
        feed, publisher, [_entry(item, entry_link(item, feed), _text(item)) for item in articles], articles
    )


def atom_xhtml(feed: DemoFeed, publisher: Publisher, articles: list[DemoArticle]) -> str:
    entries = [_entry(item, _relative(entry_link(item, feed)), _xhtml(item)) for item in articles]
    return _atom(feed, publisher, entries, articles, inherited=f' xml:base="http://{publisher.host}/"')


def _atom(
    feed: DemoFeed,
    publisher: Publisher,
    entries: list[str],
    articles: list[DemoArticle],
    *,
    inherited: str = "",
) -> str:
    updated = max((item.modified for item in articles), default=None)
    heading = [
        tag("id", f"tag:{publisher.host},2026:{feed.path}"),
        tag("title", feed.name),
        tag("subtitle", publisher.tagline),
        f'<link rel="self" type="application/atom+xml" href="{feed.url}"/>',
        f'<link rel="alternate" type="text/html" href="http://{publisher.host}/"/>',
        tag("updated", updated.isoformat() if updated else "2026-01-01T00:00:00Z"),
    ]
    opening = f'<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="{publisher.language}"{inherited}>'
    return DECLARATION + opening + "\n" + "\n".join(heading + entries) + "\n</feed>\n"


def _entry(article: DemoArticle, address: str, content: str) -> str:
    parts = [
        tag("id", article.guid),
        tag("title", article.title, type="text"),
        f'<link rel="alternate" type="text/html" href="{escape(address)}"/>',
        tag("published", article.published.isoformat()),
        tag("updated", article.modified.isoformat()),
        f"<author>{tag('name', article.author)}</author>",
        *(f'<category term="{escape(keyword)}"/>' for keyword in article.keywords),
        tag("summary", article.description),
        content,
    ]
    return "<entry>\n" + "\n".join(parts) + "\n</entry>"


def _html(article: DemoArticle) -> str:
    return tag("content", body_html(article), type="html")


def _text(article: DemoArticle) -> str:
    return tag("content", "\n\n".join(article.paragraphs), type="text")


def _xhtml(article: DemoArticle) -> str:
    picture = f'<p><img src="images/{article.id}.png" alt=""/></p>'
    return f'<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">{picture}{body_html(article)}</div></content>'


def _relative(url: str) -> str:
    parts = urlsplit(url)
    return parts.path.lstrip("/") + (f"?{parts.query}" if parts.query else "")
