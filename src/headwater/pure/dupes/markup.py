"""Leftovers of HTML in a text that should have none: tags and entities say nothing about the story."""

import html
import re

from headwater.pure.dupes.tokens import CHARACTER_LIMIT

_READ = 4 * CHARACTER_LIMIT
"""So much of a text is looked at; of what remains only the first `CHARACTER_LIMIT` characters count anyway."""

_BLOCKS = r"p|br|div|li|ul|ol|h[1-6]|tr|table|section|article|blockquote|figure|figcaption|hr|header|footer"
_INLINE = r"a|b|i|u|em|strong|span|small|sup|sub|img|td|th|font|cite|time"
# By name, because a wire writes its tickers between the same brackets.
_BREAK = re.compile(rf"</?(?:{_BLOCKS})(?:\s[^<>]{{0,500}})?/?>", re.IGNORECASE)
_TAG = re.compile(rf"</?(?:{_INLINE})(?:\s[^<>]{{0,500}})?/?>", re.IGNORECASE)


def unmarked(text: str) -> str:
    text = text[:_READ]
    if "<" in text:
        text = _TAG.sub("", _BREAK.sub("\n", text))
    return html.unescape(text) if "&" in text else text
