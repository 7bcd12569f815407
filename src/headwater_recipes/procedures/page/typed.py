"""Text that keeps the lines it was typed in: preformatted, or the fields of a form that nobody can change."""

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from headwater_recipes.procedures.labels.recognise import recognise_plain

_UNDERLINE = re.compile(r"\s*(?:-{3,}|={3,}|_{3,}|\*{3,}|~{3,})\s*$")
_WRITTEN_IN = frozenset({"", "text", "tel", "url", "email", "number", "date"})
MOST_LINES = 2000


def value_of(node: LexborNode) -> str | None:
    """What a field says that is there to be read; None for all other elements."""
    if node.tag not in {"input", "textarea"}:
        return None
    attributes = node.attributes
    if not {"readonly", "disabled"} & set(attributes):
        return None
    if node.tag == "textarea":
        return node.text(deep=True)
    return attributes.get("value") or "" if (attributes.get("type") or "") in _WRITTEN_IN else None


def typed_lines(text: str) -> Iterator[tuple[str, bool]]:
    """(line, whether it is a title: underlined, or a label in capitals that stands alone); an empty line ends a
    paragraph."""
    lines = [line.strip() for line in text.splitlines()[:MOST_LINES]]
    for place, line in enumerate(lines):
        if line and _UNDERLINE.match(line):
            continue
        below = lines[place + 1] if place + 1 < len(lines) else ""
        underlined = bool(_UNDERLINE.match(below))
        label, colon, rest = line.partition(": ")
        if colon and label.isupper() and recognise_plain(f"{label}:") is not None:
            yield label, True
            yield rest.strip(), False
            continue
        alone = line.isupper() and recognise_plain(line) is not None
        yield line, bool(line) and (underlined or alone)
