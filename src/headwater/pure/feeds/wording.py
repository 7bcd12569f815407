"""Turning what stands in an element into clean words: titles, names, and text gone wrong twice."""

import html
import re
from xml.etree.ElementTree import Element

from headwater.pure.feeds.notes import Note

INLINE = "a|abbr|acronym|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|time|tt|u|var|wbr"
BLOCK = "blockquote|br|center|div|figure|figcaption|h[1-6]|hr|img|li|nobr|ol|p|pre|section|table|tbody|td|th|tr|ul"
INLINE_TAG = re.compile(rf"</?(?:{INLINE})(?:\s[^<>]*|/)?>|<!--[^<>]*-->", re.IGNORECASE)
BLOCK_TAG = re.compile(rf"</?(?:{BLOCK})(?:\s[^<>]*|/)?>", re.IGNORECASE)
SCRIPT = re.compile(r"<(script|style)\b[^<>]*>.*?(?:</\1\s*>|$)", re.IGNORECASE | re.DOTALL)
REFERENCE = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
ANY_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9]*(?:\s[^<>]*)?/?>")
C1 = re.compile("[\x80-\x9f]")
TWICE_ENCODED = re.compile("[ÂÃâÐÑðÅÄ][\x80-\xbf\u20ac\u201a-\u203a\u0152-\u017e\u0192\u02c6\u02dc\u2122]")
ROUNDS = 3


def whole_text(element: Element) -> str:
    """All text inside, markup left out."""
    if not len(element):
        return element.text or ""
    return "".join(element.itertext())


def mended(text: str, note: Note) -> str:
    """Characters that went through the wrong encoding once more than they should have, put right."""
    if text.isascii():
        return text
    if TWICE_ENCODED.search(text):
        text = _encoded_once(text, note)
    if C1.search(text):
        note("windows_characters", "")
        text = C1.sub(lambda match: match[0].encode("latin-1").decode("cp1252", "ignore"), text)
    return text


def _encoded_once(text: str, note: Note) -> str:
    try:
        repaired = text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        repaired = _with_ftfy(text)
    if repaired != text:
        note("mojibake", text)
    return repaired


def _with_ftfy(text: str) -> str:
    import ftfy  # noqa: PLC0415 - a heavy import that most documents never need

    return ftfy.fix_encoding(text)


def title_text(raw: str, note: Note, *, literal: bool = False) -> str | None:
    """One line of words; `literal` text (Atom's type="text") keeps what only looks like markup."""
    if raw.isascii() and "&" not in raw and "<" not in raw:
        return " ".join(raw.split()) or None
    text = mended(raw, note)
    if not literal and "<" in text:
        text = without_tags(text)
    if "&" in text:
        text = _references_decoded(text, note, literal=literal)
    return " ".join(text.split()) or None


def _references_decoded(text: str, note: Note, *, literal: bool) -> str:
    for level in range(ROUNDS):
        decoded = html.unescape(text) if REFERENCE.search(text) else text
        if decoded == text:
            break
        if level or literal:
            note("double_encoded", text)
        text = decoded
        if not literal and INLINE_TAG.search(text):
            note("double_encoded", text)
            text = without_tags(text)
    return text


def without_tags(text: str) -> str:
    """Known HTML tags removed; `a < b > c` stays."""
    text = SCRIPT.sub("", text)
    return BLOCK_TAG.sub(" ", INLINE_TAG.sub("", text))


def looks_like_html(text: str) -> bool:
    return ("<" in text and ANY_TAG.search(text) is not None) or (
        "&" in text and REFERENCE.search(text) is not None
    )


def excerpt(text: str, longest: int) -> str | None:
    """The words of a text that may be markup, cut behind a word when they are many."""
    words = title_text(text[: longest * 8], _unnoted)
    if words is None or len(words) <= longest:
        return words
    return words[:longest].rpartition(" ")[0].rstrip(" ,;:-") + "…"


def _unnoted(_code: str, _detail: str) -> None:
    return
