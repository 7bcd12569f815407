"""The input of a template, and the parts that several templates share."""

from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from headwater_demo.article import DemoArticle
from headwater_demo.publishers import Publisher


@dataclass(frozen=True, slots=True)
class TemplatePage:
    article: DemoArticle
    publisher: Publisher
    related: tuple[DemoArticle, ...]
    feed_links: str = ""


Template = Callable[[TemplatePage], str]


def text(value: str) -> str:
    return escape(value, quote=False)


def attribute(value: str) -> str:
    return escape(value, quote=True)


def paragraphs(article: DemoArticle, *, element: str = "p") -> str:
    return "\n".join(f"<{element}>{text(item)}</{element}>" for item in article.paragraphs)


def links(articles: tuple[DemoArticle, ...]) -> str:
    return "".join(f'<li><a href="{attribute(item.path)}">{text(item.title)}</a></li>' for item in articles)
