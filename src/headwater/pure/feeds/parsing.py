"""From UTF-8 bytes to a tree: strictly, then repaired, then loosely."""

from xml.etree.ElementTree import Element, ParseError, XMLParser

from headwater.pure.feeds.adopting import with_known_addresses
from headwater.pure.feeds.doctype import without_doctype
from headwater.pure.feeds.fields import entry_count
from headwater.pure.feeds.loose import loose_tree
from headwater.pure.feeds.notes import Note
from headwater.pure.feeds.repairing import repaired


def parse_tree(data: bytes, note: Note) -> tuple[Element | None, bytes]:
    """The root and the document type declaration; no root when there is nothing like a feed in it.

    The parser is expat behind a tree builder in C: it reads nothing but these bytes, and the
    declaration that could define entities is gone before it starts.
    """
    document, declaration = without_doctype(data)
    document = with_known_addresses(document, note)
    try:
        return _whole(strict_tree(document), document, note), declaration
    except ParseError as error:
        note("malformed", str(error))
    document = repaired(document, note)
    # Junk in front can have hidden a declaration.
    document, late = without_doctype(document)
    try:
        return strict_tree(document), declaration or late
    except ParseError:
        return loose_tree(document, note), declaration or late


def _whole(root: Element, document: bytes, note: Note) -> Element:
    """The tree, unless a section of unparsed text that was never closed has swallowed entries."""
    opened = document.count(b"<![CDATA[")
    if not opened or opened <= document.count(b"]]>"):
        return root
    loose = loose_tree(document, _silent)
    if loose is None or entry_count(loose) <= entry_count(root):
        return root
    note("unclosed_section", "")
    return loose


def _silent(_code: str, _detail: str) -> None:
    return


def strict_tree(document: bytes) -> Element:
    # Every document type declaration was taken out above, and expat fetches nothing by itself.
    parser = XMLParser(encoding="utf-8")  # noqa: S314
    parser.feed(document)
    root: Element = parser.close()
    return root
