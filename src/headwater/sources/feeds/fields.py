"""Turning what stands in an element into clean words: titles, names, and text gone wrong twice."""

import html
import re
from xml.etree.ElementTree import Element

from headwater.model.warning_log import Warn
from headwater.sources.feeds.namespaces import canonical_name

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


def inner_text(element: Element) -> str:
    """All text inside, markup left out."""
    if not len(element):
        return element.text or ""
    return "".join(element.itertext())


def fix_mojibake(text: str, warn: Warn) -> str:
    """Characters that went through the wrong encoding once more than they should have, put right."""
    if text.isascii():
        return text
    if TWICE_ENCODED.search(text):
        text = _encoded_once(text, warn)
    if C1.search(text):
        warn("windows_characters", "")
        text = C1.sub(lambda match: match[0].encode("latin-1").decode("cp1252", "ignore"), text)
    return text


def _encoded_once(text: str, warn: Warn) -> str:
    try:
        repaired = text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        repaired = _with_ftfy(text)
    if repaired != text:
        warn("mojibake", text)
    return repaired


def _with_ftfy(text: str) -> str:
    import ftfy  # noqa: PLC0415 - a heavy import that most documents never need

    return ftfy.fix_encoding(text)


def clean_title(raw: str, warn: Warn, *, literal: bool = False) -> str | None:
    """One line of words; `literal` text (Atom's type="text") keeps what only looks like markup."""
    if raw.isascii() and "&" not in raw and "<" not in raw:
        return " ".join(raw.split()) or None
    text = fix_mojibake(raw, warn)
    if not literal and "<" in text:
        text = strip_tags(text)
    if "&" in text:
        text = _references_decoded(text, warn, literal=literal)
    return " ".join(text.split()) or None


def _references_decoded(text: str, warn: Warn, *, literal: bool) -> str:
    for level in range(ROUNDS):
        decoded = html.unescape(text) if REFERENCE.search(text) else text
        if decoded == text:
            break
        if level or literal:
            warn("double_encoded", text)
        text = decoded
        if not literal and INLINE_TAG.search(text):
            warn("double_encoded", text)
            text = strip_tags(text)
    return text


def strip_tags(text: str) -> str:
    """Known HTML tags removed; `a < b > c` stays."""
    text = SCRIPT.sub("", text)
    return BLOCK_TAG.sub(" ", INLINE_TAG.sub("", text))


def looks_like_html(text: str) -> bool:
    return ("<" in text and ANY_TAG.search(text) is not None) or (
        "&" in text and REFERENCE.search(text) is not None
    )


def excerpt(text: str, longest: int) -> str | None:
    """The words of a text that may be markup, cut behind a word when they are many."""
    words = clean_title(text[: longest * 8], _unnoted)
    if words is None or len(words) <= longest:
        return words
    return words[:longest].rpartition(" ")[0].rstrip(" ,;:-") + "…"


def _unnoted(_code: str, _detail: str) -> None:
    return


Fields = dict[str, list[Element]]
# Modules wrap fields in these; what is inside counts as the item's own, after its own.
WRAPPERS = ("media:group", "media:content")
ENTRIES = ("item", "entry")


def fields_of(element: Element) -> Fields:
    fields: Fields = {}
    for child in element:
        name = canonical_name(child.tag)
        if name in fields:
            fields[name].append(child)
        else:
            fields[name] = [child]
    for wrapper in WRAPPERS:
        for holder in fields.get(wrapper, ()):
            for child in holder:
                fields.setdefault(canonical_name(child.tag), []).append(child)
    return fields


def entry_count(root: Element) -> int:
    return sum(1 for element in root.iter() if canonical_name(element.tag) in ENTRIES)


def first_text(fields: Fields, *names: str) -> str | None:
    """The first words found under the names, in their order."""
    for name in names:
        for element in fields.get(name, ()):
            text = (inner_text(element) if len(element) else element.text or "").strip()
            if text:
                return text
    return None


ADDRESS = re.compile(r"(?:mailto:)?[^\s<>()\[\],;:\"]{1,64}@[A-Za-z0-9.-]{1,190}", re.IGNORECASE)
WRAPPING = re.compile(r"<\s*>|\(\s*\)|\[\s*\]|&lt;\s*&gt;")


def person_name(text: str, warn: Warn) -> str | None:
    """`jane@x.example (Jane Roe)`, `Jane Roe <jane@x.example>` and `Jane Roe` are all Jane Roe.

    An address stands for the name only when there is no name.
    """
    text = text.strip()
    if "@" not in text:
        return clean_title(text, warn)
    address = ADDRESS.search(text)
    if address is None:
        return clean_title(text, warn)
    rest = WRAPPING.sub(" ", text[: address.start()] + text[address.end() :]).strip()
    rest = _unwrapped(rest).strip(" \"'-,;:<>")
    return clean_title(rest, warn) or address[0].removeprefix("mailto:")


def _unwrapped(text: str) -> str:
    if text.startswith("(") and text.endswith(")") and "(" not in text[1:]:
        return text[1:-1]
    return text


def author_name(element: Element, warn: Warn) -> str | None:
    """An Atom person (name, else address, else home page) or the plain text of an RSS author."""
    if not len(element):
        return person_name(element.text, warn) if element.text else None
    parts = {canonical_name(child.tag).rpartition(":")[2]: inner_text(child).strip() for child in element}
    for key in ("name", "title", "email", "uri", "url"):
        if parts.get(key):
            return person_name(parts[key], warn)
    return person_name(inner_text(element), warn)


def unique_names(names: list[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))
