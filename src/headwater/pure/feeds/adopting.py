"""Namespaces that are misspelt or made up, read as what their elements are called."""

import re
from xml.etree.ElementTree import Element

from headwater.pure.feeds.names import ADDRESSES, RDF, canonical, prefix_of
from headwater.pure.feeds.notes import Note

ROOT = re.compile(rb"<[A-Za-z][^<>]*")
BINDING = re.compile(rb"""xmlns:([A-Za-z]+)\s*=\s*["']([^"'<>]*)["']""")

HINTS = (
    ("rdf-syntax", RDF),
    ("purl.org/dc", "dc:"),
    ("modules/content", "content:"),
    ("mrss", "media:"),
    ("itunes", "itunes:"),
)


def adopt_unknown(root: Element) -> bool:
    """Renames, in place, every element of an unknown namespace; says whether there was any."""
    unknown = [element for element in root.iter() if canonical(element.tag).startswith("other:")]
    for element in unknown:
        address, _, local = element.tag[1:].partition("}")
        prefix = next((known for hint, known in HINTS if hint in address.lower()), "")
        element.tag = RDF + "RDF" if local.lower() == "rdf" else prefix + local
    return bool(unknown)


def with_known_addresses(document: bytes, note: Note) -> bytes:
    """The document with a well-known prefix bound to its own namespace where it was bound to another."""
    root = ROOT.search(document)
    if root is None or b"xmlns:" not in root[0]:
        return document
    for prefix, address in BINDING.findall(root[0]):
        known = ADDRESSES.get(prefix.decode("ascii").lower())
        if known and prefix_of(address.decode("utf-8", "replace")) == "other":
            note("unknown_namespace", address.decode("utf-8", "replace"))
            changed = re.sub(rb"""(["'])%s\1""" % re.escape(address), b'"%s"' % known.encode(), root[0])
            document = document[: root.start()] + changed + document[root.end() :]
            root = ROOT.search(document) or root
    return document
