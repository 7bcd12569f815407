"""RSS 1.0: items stand beside the channel, which only points at them."""

from html import escape

from headwater_demo.article import DemoArticle
from headwater_demo.feeds.catalogue import DemoFeed, entry_link
from headwater_demo.feeds.markup import DECLARATION, body_html, cdata, tag
from headwater_demo.publishers import Publisher

_SPACES = (
    'xmlns="http://purl.org/rss/1.0/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/"'
)


def rss1(feed: DemoFeed, publisher: Publisher, articles: list[DemoArticle]) -> str:
    pointers = "".join(f'<rdf:li rdf:resource="{escape(item.url)}"/>' for item in articles)
    heading = "".join(
        (
            tag("title", feed.name),
            tag("link", f"http://{publisher.host}/"),
            tag("description", publisher.tagline),
        )
    )
    channel = f'<channel rdf:about="{feed.url}">{heading}{tag("dc:language", publisher.language)}<items><rdf:Seq>{pointers}</rdf:Seq></items></channel>'
    items = "\n".join(_item(item, feed) for item in articles)
    return f"{DECLARATION}<rdf:RDF {_SPACES}>\n{channel}\n{items}\n</rdf:RDF>\n"


def _item(article: DemoArticle, feed: DemoFeed) -> str:
    parts = (
        tag("title", article.title),
        tag("link", entry_link(article, feed)),
        tag("description", article.description),
        tag("dc:date", article.published.isoformat()),
        tag("dc:creator", article.author),
        tag("dc:subject", article.topic),
        cdata("content:encoded", body_html(article)),
    )
    return f'<item rdf:about="{escape(article.url)}">\n' + "\n".join(parts) + "\n</item>"
