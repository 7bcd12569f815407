"""The children of an item or a channel, by canonical name."""

from xml.etree.ElementTree import Element

from headwater.pure.feeds.names import canonical
from headwater.pure.feeds.wording import whole_text

Fields = dict[str, list[Element]]
# Modules wrap fields in these; what is inside counts as the item's own, after its own.
WRAPPERS = ("media:group", "media:content")
ENTRIES = ("item", "entry")


def fields_of(element: Element) -> Fields:
    fields: Fields = {}
    for child in element:
        name = canonical(child.tag)
        if name in fields:
            fields[name].append(child)
        else:
            fields[name] = [child]
    for wrapper in WRAPPERS:
        for holder in fields.get(wrapper, ()):
            for child in holder:
                fields.setdefault(canonical(child.tag), []).append(child)
    return fields


def entry_count(root: Element) -> int:
    return sum(1 for element in root.iter() if canonical(element.tag) in ENTRIES)


def first_text(fields: Fields, *names: str) -> str | None:
    """The first words found under the names, in their order."""
    for name in names:
        for element in fields.get(name, ()):
            text = (whole_text(element) if len(element) else element.text or "").strip()
            if text:
                return text
    return None
