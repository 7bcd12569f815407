"""HTML tags in text that may hold some: recognised by name, because news wires write stock symbols in angle brackets."""

import html
import re

VOID_TAGS = frozenset(
    [
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
    ]
)  # elements without content and without an end tag
_INLINE = (
    "a|abbr|acronym|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|ins|kbd|label|mark|nobr|q|s|samp|small|span|strike|strong"
    "|sub|sup|time|tt|u|var|wbr"
)
_BLOCK = (
    "address|article|aside|audio|blockquote|body|br|button|caption|center|col|colgroup|dd|details|div|dl|dt|embed"
    "|fieldset|figcaption|figure|footer|form|h[1-6]|head|header|hr|html|iframe|img|input|li|link|main|meta|nav|noscript"
    "|object|ol|p|param|picture|pre|section|source|summary|svg|table|tbody|td|tfoot|th|thead|tr|track|ul|video"
)
INLINE_TAG = re.compile(rf"</?(?:{_INLINE})(?:\s[^<>]*|/)?>|<!--[^<>]*-->", re.IGNORECASE)
_BLOCK_TAG = re.compile(rf"</?(?:{_BLOCK})(?:\s[^<>]*|/)?>", re.IGNORECASE)
_SCRIPT = re.compile(r"<(script|style)\b[^<>]*>.*?(?:</\1\s*>|$)", re.IGNORECASE | re.DOTALL)
ANY_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9]*(?:\s[^<>]*)?/?>")
REFERENCE = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")


def strip_tags(text: str, *, block: str = " ") -> str:
    """The text without HTML tags, scripts and styles; `a < b > c` stays. `block` replaces tags that end a line or a cell."""
    if "<" not in text:
        return text
    return _BLOCK_TAG.sub(block, INLINE_TAG.sub("", _SCRIPT.sub("", text)))


def text_of_markup(text: str) -> str:
    """On one line, without tags and character references."""
    return " ".join(html.unescape(strip_tags(text)).split())


def has_html_tag(text: str) -> bool:
    return "<" in text and bool(INLINE_TAG.search(text) or _BLOCK_TAG.search(text))


def looks_like_html(text: str) -> bool:
    """Whether there is a tag of any name, or a character reference."""
    return ("<" in text and ANY_TAG.search(text) is not None) or (
        "&" in text and REFERENCE.search(text) is not None
    )
