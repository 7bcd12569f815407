"""RSS 0.91, 0.92 and 2.0."""

from headwater_demo.article import DemoArticle
from headwater_demo.feeds.catalogue import DemoFeed, entry_link
from headwater_demo.feeds.markup import DECLARATION, body_html, cdata, rfc822, tag
from headwater_demo.publishers import Publisher

_SPACES = (
    'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/" '
    'xmlns:media="http://search.yahoo.com/mrss/" xmlns:atom="http://www.w3.org/2005/Atom"'
)


def rss091(feed: DemoFeed, publisher: Publisher, articles: list[DemoArticle]) -> str:
    items = "".join(f"<item>\n{_heading(item, feed)}\n</item>\n" for item in articles)
    return f'{DECLARATION}<rss version="0.91">\n<channel>\n{_channel(feed, publisher, articles)}\n{items}</channel>\n</rss>\n'


def rss092(feed: DemoFeed, publisher: Publisher, articles: list[DemoArticle]) -> str:
    items = "".join(f"<item>\n{_heading(item, feed)}\n{_extras092(item)}\n</item>\n" for item in articles)
    return f'{DECLARATION}<rss version="0.92">\n<channel>\n{_channel(feed, publisher, articles)}\n{items}</channel>\n</rss>\n'


def rss2(feed: DemoFeed, publisher: Publisher, articles: list[DemoArticle]) -> str:
    return _rss2(feed, publisher, articles, full=True)


def rss2_teaser(feed: DemoFeed, publisher: Publisher, articles: list[DemoArticle]) -> str:
    return _rss2(feed, publisher, articles, full=False)


def _rss2(feed: DemoFeed, publisher: Publisher, articles: list[DemoArticle], *, full: bool) -> str:
    self_link = f'<atom:link href="{feed.url}" rel="self" type="application/rss+xml"/>'
    items = "".join(_item2(item, feed, full=full) for item in articles)
    channel = f"{_channel(feed, publisher, articles)}\n<ttl>60</ttl>\n{self_link}"
    return f'{DECLARATION}<rss version="2.0" {_SPACES}>\n<channel>\n{channel}\n{items}</channel>\n</rss>\n'


def _channel(feed: DemoFeed, publisher: Publisher, articles: list[DemoArticle]) -> str:
    parts = [
        tag("title", feed.name),
        tag("link", f"http://{publisher.host}/"),
        tag("description", publisher.tagline),
        tag("language", publisher.language),
    ]
    parts += [tag("lastBuildDate", rfc822(max(item.modified for item in articles)))] if articles else []
    return "\n".join(parts)


def _heading(article: DemoArticle, feed: DemoFeed) -> str:
    return "\n".join(
        (
            tag("title", article.title),
            tag("link", entry_link(article, feed)),
            tag("description", article.description),
        )
    )


def _extras092(article: DemoArticle) -> str:
    enclosure = f'<enclosure url="{article.image}" length="2048" type="image/png"/>'
    return "\n".join((tag("category", article.topic), enclosure))


def _item2(article: DemoArticle, feed: DemoFeed, *, full: bool) -> str:
    parts = [
        _heading(article, feed),
        tag("guid", article.guid, isPermaLink="false"),
        tag("pubDate", rfc822(article.published)),
        tag("dc:creator", article.author),
        *(tag("category", keyword) for keyword in article.keywords),
        f'<media:thumbnail url="{article.image}" width="640" height="360"/>',
    ]
    parts += [cdata("content:encoded", body_html(article))] if full else []
    return "<item>\n" + "\n".join(parts) + "\n</item>\n"
