"""What can be wrong with a feed; each defect turns a sound response into a broken one."""

import gzip
import re
from collections.abc import Callable
from dataclasses import replace

from headwater_demo.feeds.catalogue import DemoFeed
from headwater_demo.site import HTML, TEXT, SiteResponse, page, redirect

Defect = Callable[[DemoFeed, SiteResponse], SiteResponse]

_BOMB = """<?xml version="1.0"?>
<!DOCTYPE rss [
<!ENTITY a0 "news news news news news news news news news news ">
{levels}
]>
<rss version="2.0"><channel><title>&a9;</title><link>http://stakesignal.example/</link><description>&a9;</description>
<item><title>&a9;</title><link>http://stakesignal.example/bomb</link><description>&a9;</description></item></channel></rss>
"""


def _edit_text(change: Callable[[str], str]) -> Defect:
    return lambda _feed, answer: replace(answer, body=change(answer.body.decode()).encode())


def _undeclared_entities(text: str) -> str:
    head, opening, items = text.partition("<item>")
    return (
        head
        + opening
        + re.sub(
            r"<description>([^<]+?)\.?</description>",
            r"<description>\1&nbsp;&mdash; read&nbsp;on&hellip;</description>",
            items,
        )
    )


def _control_characters(text: str) -> str:
    return re.sub(r"(<item>\n<title>\w+)", "\\1\x08\x0b", text)


def _truncated(feed: DemoFeed, answer: SiteResponse) -> SiteResponse:
    del feed
    starts = [match.start() for match in re.finditer(rb"<item>", answer.body)]
    middle = starts[len(starts) // 2] if starts else len(answer.body) // 2
    return replace(answer, body=answer.body[: middle + 160])


def _latin1(feed: DemoFeed, answer: SiteResponse) -> SiteResponse:
    """Still declared as UTF-8, in the document and in the header."""
    del feed
    text = answer.body.decode().replace("<item>\n<title>", "<item>\n<title>Café résumé: ")
    return replace(answer, body=text.encode("latin-1", "replace"))


def _double_encoded(text: str) -> str:
    return re.sub(r"(<item>\n<title>)([^<]+)", r"\1Profits &amp;amp; losses: \2", text)


def _byte_order_marks(text: str) -> str:
    head, opening, items = text.partition("<channel>")
    return "\ufeff\ufeff" + head + opening + items.replace("<item>", "\ufeff<item>", 1)


def _odd_dates(text: str) -> str:
    odd_dates = iter(
        [
            "13/11/2026 08:41",
            "Fri, 13 Nov 26 08:41 EST",
            "2026-11-13 08:41:00",
            "November 13th, 2026",
            "Freitag, 13. November 2026",
            "1794559260",
        ]
    )
    return re.sub(
        r"<pubDate>([^<]+)</pubDate>", lambda match: f"<pubDate>{next(odd_dates, match[1])}</pubDate>", text
    )


def _relative_links(text: str) -> str:
    head, opening, items = text.partition("<item>")
    return head + opening + re.sub(r"<link>http://[^/]+(/[^<]*)</link>", r"<link>\1</link>", items)


def _bomb(feed: DemoFeed, answer: SiteResponse) -> SiteResponse:
    del feed
    levels = "\n".join(f'<!ENTITY a{level} "{f"&a{level - 1};" * 10}">' for level in range(1, 10))
    return replace(answer, body=_BOMB.format(levels=levels).encode())


def _html_page(feed: DemoFeed, answer: SiteResponse) -> SiteResponse:
    del answer
    return page(
        f"<!doctype html><html><head><title>{feed.name}</title></head><body><h1>Our feeds have a new home</h1><p>Please see the front page.</p></body></html>"
    )


def _packed(feed: DemoFeed, answer: SiteResponse) -> SiteResponse:
    del feed
    return replace(answer, body=gzip.compress(answer.body, mtime=0), as_is=True)


def _moved(status: int) -> Defect:
    target = {"blockharbour.example": "/atom.xml"}
    return lambda feed, _answer: redirect(
        f"http://{feed.host}{target.get(feed.host, '/sound.xml')}", status=status
    )


DEFECTS: dict[str, Defect] = {
    "unescaped-ampersand": _edit_text(lambda text: text.replace("&amp;", "&")),
    "html-entities": _edit_text(_undeclared_entities),
    "control-characters": _edit_text(_control_characters),
    "truncated": _truncated,
    "wrong-media-type": lambda _feed, answer: replace(answer, media_type=HTML),
    "latin1-as-utf8": _latin1,
    "double-encoded": _edit_text(_double_encoded),
    "bom-inside": _edit_text(_byte_order_marks),
    "leading-space": _edit_text(lambda text: "\n\n  " + text),
    "html-page": _html_page,
    "empty": lambda _feed, answer: replace(answer, body=b"", media_type=TEXT),
    "gzip-without-header": _packed,
    "entity-bomb": _bomb,
    "odd-dates": _edit_text(_odd_dates),
    "no-dates": _edit_text(lambda text: re.sub(r"<pubDate>[^<]*</pubDate>\n", "", text)),
    "relative-links": _edit_text(_relative_links),
    "gone": lambda _feed, _answer: page("<h1>This feed is gone for good</h1>", status=410),
    "moved-301": _moved(301),
    "moved-308": _moved(308),
}
