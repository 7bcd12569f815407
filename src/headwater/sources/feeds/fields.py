"""The child elements of an item or channel by name, and their text cleaned: titles, authors, broken encodings."""

import html
import re
from xml.etree.ElementTree import Element

from headwater.model.warning_log import Warn, ignore_warning
from headwater.sources.feeds.namespaces import canonical_name
from headwater.text.markup import INLINE_TAG, REFERENCE, has_html_tag, strip_tags
from headwater.text.mojibake import fix_mojibake, fix_windows_characters

# Tags that nobody leaves open by mistake: alone they are what a title is about.
LONE_TAG = re.compile(
    r"<(blockquote|div|figure|figcaption|h[1-6]|ol|pre|section|table|tbody|td|th|tr|ul)>", re.IGNORECASE
)
SCRIPT_TAG = re.compile(r"<(?:script|style)\b", re.IGNORECASE)
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
        if not len(part) and not part.text and not has_html_tag(f"<{name}>"):
            pieces.append(f"<{name}>")
            continue
        pieces.append(part.text or "")
        waiting += [piece for child in reversed(part) for piece in (child.tail or "", child)]
    return "".join(pieces)


def clean_title(raw: str, warn: Warn, *, literal: bool = False) -> str | None:
    """The text on one line, without tags; None if empty. `literal` text (Atom's type="text") keeps what looks like markup."""
    if raw.isascii() and "&" not in raw and "<" not in raw:
        return " ".join(raw.split()) or None
    text = repair_encoding(raw, warn)
    if not literal:
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
        if not literal and (INLINE_TAG.search(text) or SCRIPT_TAG.search(text)):
            warn("double_encoded", text)
            text = strip_title_tags(text)
    return text


def strip_title_tags(title: str) -> str:
    """The title without tags, except for one that it is about: that in `how to centre a <div>` stays."""
    if "<" not in title:
        return title
    lowered = title.lower()
    lone_tags = [tag for tag in LONE_TAG.finditer(title) if f"</{tag[1].lower()}" not in lowered]
    pieces, position = [], 0
    for tag in lone_tags:
        pieces += [strip_tags(title[position : tag.start()]), tag[0]]
        position = tag.end()
    return "".join([*pieces, strip_tags(title[position:])])


def excerpt(text: str, longest: int) -> str | None:
    """The beginning of a text that may be markup, cut after a whole word at `longest` characters."""
    # A tag whose end was cut off is not what the text is about.
    text_line = clean_title(strip_tags(text[: longest * 8]), ignore_warning)
    if text_line is None or len(text_line) <= longest:
        return text_line
    return text_line[:longest].rpartition(" ")[0].rstrip(" ,;:-") + "…"


def repair_encoding(text: str, warn: Warn) -> str:
    """Repair text that was decoded with the wrong encoding, and Windows characters in the C1 range."""
    repaired, changed_lines = fix_mojibake(text)
    if changed_lines:
        warn("mojibake", text)
    printable = fix_windows_characters(repaired)
    if printable != repaired:
        warn("windows_characters", "")
    return printable


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
