"""The child elements of an item or channel by name, and their text cleaned: titles, authors, broken encodings."""

import html
import re
from functools import partial
from xml.etree.ElementTree import Element

from headwater.model.warning_log import Warn, ignore_warning
from headwater.sources.feeds.namespaces import canonical_name

INLINE = "a|abbr|acronym|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|time|tt|u|var|wbr"
BLOCK = "blockquote|br|center|div|figure|figcaption|h[1-6]|hr|img|li|nobr|ol|p|pre|section|table|tbody|td|th|tr|ul"
INLINE_TAG = re.compile(rf"</?(?:{INLINE})(?:\s[^<>]*|/)?>|<!--[^<>]*-->", re.IGNORECASE)
BLOCK_TAG = re.compile(rf"</?(?:{BLOCK})(?:\s[^<>]*|/)?>", re.IGNORECASE)
KNOWN_TAG = re.compile(rf"{INLINE}|{BLOCK}", re.IGNORECASE)
# Tags that nobody leaves open by mistake: alone they are what a title is about.
LONE_TAG = re.compile(
    r"<(blockquote|div|figure|figcaption|h[1-6]|ol|pre|section|table|tbody|td|th|tr|ul)>", re.IGNORECASE
)
SCRIPT = re.compile(r"<(script|style)\b[^<>]*>.*?(?:</\1\s*>|$)", re.IGNORECASE | re.DOTALL)
REFERENCE = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
ANY_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9]*(?:\s[^<>]*)?/?>")
C1_CONTROLS = re.compile("[\x80-\x9f]")
TWICE_ENCODED = re.compile("[ÂÃâÐÑðÅÄ][\x80-\xbf\u20ac\u201a-\u203a\u0152-\u017e\u0192\u02c6\u02dc\u2122]")
MOST_DECODE_ROUNDS = 3
Fields = dict[str, list[Element]]
# Media RSS wraps fields in these; the fields inside count as the item's, after its own.
WRAPPERS = ("media:group", "media:content")
ENTRIES = ("item", "entry")
EMAIL_ADDRESS = re.compile(r"(?:mailto:)?[^\s<>()\[\],;:\"]{1,64}@[A-Za-z0-9.-]{1,190}", re.IGNORECASE)
EMPTY_BRACKETS = re.compile(r"<\s*>|\(\s*\)|\[\s*\]|&lt;\s*&gt;")


def fields_of(element: Element) -> Fields:
    """The child elements by canonical name."""
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


def first_text(fields: Fields, *names: str) -> str | None:
    """The first text under any of the names, in the order of the names."""
    for name in names:
        for element in fields.get(name, ()):
            text = (inner_text(element) if len(element) else element.text or "").strip()
            if text:
                return text
    return None


def entry_count(root: Element) -> int:
    return sum(1 for element in root.iter() if canonical_name(element.tag) in ENTRIES)


def inner_text(element: Element) -> str:
    """All text inside the element, without markup."""
    if not len(element):
        return element.text or ""
    return "".join(element.itertext())


def title_text(element: Element) -> str:
    """The text of a title whose markup was not escaped: without code, and with the names of tags that it is about."""
    if not len(element):
        return element.text or ""
    pieces: list[str] = [element.text or ""]
    waiting: list[Element | str] = [part for child in reversed(element) for part in (child.tail or "", child)]
    while waiting:  # not recursive: nesting may be very deep
        part = waiting.pop()
        if isinstance(part, str):
            pieces.append(part)
            continue
        name = canonical_name(part.tag).rpartition(":")[2]
        if name in {"script", "style"}:
            continue
        if not len(part) and not part.text and not KNOWN_TAG.fullmatch(name):
            pieces.append(f"<{name}>")
            continue
        pieces.append(part.text or "")
        waiting += [piece for child in reversed(part) for piece in (child.tail or "", child)]
    return "".join(pieces)


def clean_title(raw: str, warn: Warn, *, literal: bool = False) -> str | None:
    """The text on one line, without tags; None if empty. `literal` text (Atom's type="text") keeps what looks like markup."""
    if raw.isascii() and "&" not in raw and "<" not in raw:
        return " ".join(raw.split()) or None
    text = fix_mojibake(raw, warn)
    if not literal and "<" in text:
        text = strip_title_tags(text)
    if "&" in text:
        text = _decode_references(text, warn, literal=literal)
    return " ".join(text.split()) or None


def _decode_references(text: str, warn: Warn, *, literal: bool) -> str:
    for level in range(MOST_DECODE_ROUNDS):
        decoded = html.unescape(text) if REFERENCE.search(text) else text
        if decoded == text:
            break
        if level or literal:
            warn("double_encoded", text)
        text = decoded
        if not literal and (INLINE_TAG.search(text) or SCRIPT.search(text)):
            warn("double_encoded", text)
            text = strip_title_tags(text)
    return text


def strip_tags(text: str) -> str:
    """The text without known HTML tags; `a < b > c` stays."""
    text = SCRIPT.sub("", text)
    return BLOCK_TAG.sub(" ", INLINE_TAG.sub("", text))


def strip_title_tags(title: str) -> str:
    """The same for a title, which may be about a tag: that in `how to centre a <div>` stays."""
    title = SCRIPT.sub("", title)
    return BLOCK_TAG.sub(partial(_blank_unless_alone, title.lower()), INLINE_TAG.sub("", title))


def _blank_unless_alone(text: str, tag: re.Match[str]) -> str:
    lone = LONE_TAG.fullmatch(tag[0])
    return tag[0] if lone and f"</{lone[1].lower()}" not in text else " "


def looks_like_html(text: str) -> bool:
    return ("<" in text and ANY_TAG.search(text) is not None) or (
        "&" in text and REFERENCE.search(text) is not None
    )


def excerpt(text: str, longest: int) -> str | None:
    """The beginning of a text that may be markup, cut after a whole word at `longest` characters."""
    # A tag whose end was cut off is not what the text is about.
    text_line = clean_title(strip_tags(text[: longest * 8]), ignore_warning)
    if text_line is None or len(text_line) <= longest:
        return text_line
    return text_line[:longest].rpartition(" ")[0].rstrip(" ,;:-") + "…"


def fix_mojibake(text: str, warn: Warn) -> str:
    """Repair text that was decoded with the wrong encoding, and Windows characters in the C1 range."""
    if text.isascii():
        return text
    if TWICE_ENCODED.search(text):
        text = _decode_twice(text, warn)
    if C1_CONTROLS.search(text):
        warn("windows_characters", "")
        text = C1_CONTROLS.sub(lambda match: match[0].encode("latin-1").decode("cp1252", "ignore"), text)
    return text


def _decode_twice(text: str, warn: Warn) -> str:
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


def person_name(text: str, warn: Warn) -> str | None:
    """`jane@x.example (Jane Roe)`, `Jane Roe <jane@x.example>` and `Jane Roe` are all Jane Roe.

    The email address serves as the name only when there is no name.
    """
    text = text.strip()
    if "@" not in text:
        return clean_title(text, warn)
    email = EMAIL_ADDRESS.search(text)
    if email is None:
        return clean_title(text, warn)
    name = EMPTY_BRACKETS.sub(" ", text[: email.start()] + text[email.end() :]).strip()
    name = _without_parentheses(name).strip(" \"'-,;:<>")
    return clean_title(name, warn) or email[0].removeprefix("mailto:")


def _without_parentheses(text: str) -> str:
    if text.startswith("(") and text.endswith(")") and "(" not in text[1:]:
        return text[1:-1]
    return text


def author_name(element: Element, warn: Warn) -> str | None:
    """The name of an Atom person (else email, else home page), or the text of an RSS author."""
    if not len(element):
        return person_name(element.text, warn) if element.text else None
    parts = {canonical_name(child.tag).rpartition(":")[2]: inner_text(child).strip() for child in element}
    for part in ("name", "title", "email", "uri", "url"):
        if parts.get(part):
            return person_name(parts[part], warn)
    return person_name(inner_text(element), warn)


def unique_names(names: list[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))
