"""What a template is given, and the pieces several of them share."""

from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from headwater_demo.article import Article
from headwater_demo.publishers import Publisher


@dataclass(frozen=True, slots=True)
class Page:
    article: Article
    publisher: Publisher
    related: tuple[Article, ...]
    feed_links: str = ""


Template = Callable[[Page], str]


def text(value: str) -> str:
    return escape(value, quote=False)


def attribute(value: str) -> str:
    return escape(value, quote=True)


def paragraphs(article: Article, *, mark: str = "p") -> str:
    return "\n".join(f"<{mark}>{text(item)}</{mark}>" for item in article.paragraphs)


def links(articles: tuple[Article, ...]) -> str:
    return "".join(f'<li><a href="{attribute(item.path)}">{text(item.title)}</a></li>' for item in articles)
