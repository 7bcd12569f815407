"""Pieces shared by the feed writers."""

from datetime import datetime
from email.utils import format_datetime
from html import escape

from headwater_demo.article import DemoArticle

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'


def tag(name: str, text: str, **attributes: str) -> str:
    written_attributes = "".join(f' {key}="{escape(value)}"' for key, value in attributes.items())
    return f"<{name}{written_attributes}>{escape(text, quote=False)}</{name}>"


def cdata(name: str, text: str) -> str:
    return f"<{name}><![CDATA[{text.replace(']]>', ']]]]><![CDATA[>')}]]></{name}>"


def body_html(article: DemoArticle) -> str:
    return "\n".join(f"<p>{escape(paragraph, quote=False)}</p>" for paragraph in article.paragraphs)


def rfc822(moment: datetime) -> str:
    return format_datetime(moment.replace(microsecond=0))
