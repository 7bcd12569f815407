"""Elements written back as HTML, without namespaces and without recursion."""

from html import escape
from xml.etree.ElementTree import Element

VOID = frozenset(
    (
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
    )
)


def inner_markup(element: Element) -> str:
    """Everything between the element's tags. Nesting may be as deep as the document allows."""
    pieces = [escape(element.text or "", quote=False)]
    stack = [(iter(element), "")]
    while stack:
        children, closing = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
            pieces.append(closing)
            continue
        stack.append((iter(child), _opened(child, pieces)))
    return "".join(pieces)


def _opened(element: Element, pieces: list[str]) -> str:
    """Writes the opening tag and gives what closes it, text after it included."""
    name = _local(element.tag)
    attributes = "".join(f' {_local(key)}="{escape(value)}"' for key, value in element.attrib.items())
    pieces.append(f"<{name}{attributes}>")
    tail = escape(element.tail or "", quote=False)
    if name in VOID and not len(element) and not element.text:
        return tail
    pieces.append(escape(element.text or "", quote=False))
    return f"</{name}>{tail}"


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]
