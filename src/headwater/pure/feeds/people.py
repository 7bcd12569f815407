"""Names of people, from the many ways feeds write them."""

import re
from xml.etree.ElementTree import Element

from headwater.pure.feeds.names import canonical
from headwater.pure.feeds.notes import Note
from headwater.pure.feeds.wording import title_text, whole_text

ADDRESS = re.compile(r"(?:mailto:)?[^\s<>()\[\],;:\"]{1,64}@[A-Za-z0-9.-]{1,190}", re.IGNORECASE)
WRAPPING = re.compile(r"<\s*>|\(\s*\)|\[\s*\]|&lt;\s*&gt;")


def person(text: str, note: Note) -> str | None:
    """`jane@x.example (Jane Roe)`, `Jane Roe <jane@x.example>` and `Jane Roe` are all Jane Roe.

    An address stands for the name only when there is no name.
    """
    text = text.strip()
    if "@" not in text:
        return title_text(text, note)
    address = ADDRESS.search(text)
    if address is None:
        return title_text(text, note)
    rest = WRAPPING.sub(" ", text[: address.start()] + text[address.end() :]).strip()
    rest = _unwrapped(rest).strip(" \"'-,;:<>")
    return title_text(rest, note) or address[0].removeprefix("mailto:")


def _unwrapped(text: str) -> str:
    if text.startswith("(") and text.endswith(")") and "(" not in text[1:]:
        return text[1:-1]
    return text


def author_of(element: Element, note: Note) -> str | None:
    """An Atom person (name, else address, else home page) or the plain text of an RSS author."""
    if not len(element):
        return person(element.text, note) if element.text else None
    parts = {canonical(child.tag).rpartition(":")[2]: whole_text(child).strip() for child in element}
    for key in ("name", "title", "email", "uri", "url"):
        if parts.get(key):
            return person(parts[key], note)
    return person(whole_text(element), note)


def unique(names: list[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))
