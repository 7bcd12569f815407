"""One short lower-case name for every element, whatever namespace or prefix it came with.

The RSS and Atom namespaces share the empty prefix, so one reader understands mixtures of them.
"""

import re
from functools import lru_cache
from xml.etree.ElementTree import Element

from headwater.model.warning_log import Warn

XML = "{http://www.w3.org/XML/1998/namespace}"
RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
XML_BASE = XML + "base"
XML_LANGUAGE = XML + "lang"
RDF_ABOUT = RDF + "about"
RDF_RESOURCE = RDF + "resource"

ATOM_10 = "http://www.w3.org/2005/atom"
RSS_10 = "http://purl.org/rss/1.0"
RSS_090 = "http://my.netscape.com/rdf/simple/0.9"

# Compared in lower case, without a trailing slash or hash.
NAMESPACES = {
    "": "",
    ATOM_10: "",
    "http://purl.org/atom/ns": "",
    "http://purl.org/pie": "",
    "http://purl.org/echo": "",
    RSS_10: "",
    RSS_090: "",
    "http://channel.netscape.com/rdf/simple/0.9": "",
    "http://purl.org/rss/1.0/modules/rss091": "",
    "http://purl.org/net/rss1.1": "",
    "http://blogs.law.harvard.edu/tech/rss": "",
    "http://cyber.law.harvard.edu/rss/rss.html": "",
    "http://www.rssboard.org/rss-specification": "",
    "http://purl.org/rss/2.0": "",
    "http://purl.org/dc/elements/1.1": "dc",
    "http://purl.org/dc/elements/1.0": "dc",
    "http://purl.org/dc/terms": "dcterms",
    "http://purl.org/rss/1.0/modules/content": "content",
    "http://search.yahoo.com/mrss": "media",
    "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes",
    "http://rssnamespace.org/feedburner/ext/1.0": "feedburner",
    "http://purl.org/rss/1.0/modules/syndication": "sy",
    "http://purl.org/rss/1.0/modules/slash": "slash",
    "http://wellformedweb.org/commentapi": "wfw",
    "http://www.georss.org/georss": "georss",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns": "rdf",
    "http://www.w3.org/1999/xhtml": "xhtml",
    "http://www.w3.org/xml/1998/namespace": "xml",
    "http://purl.org/syndication/history/1.0": "fh",
}
NAMESPACE_BY_PREFIX = {prefix: address for address, prefix in NAMESPACES.items() if prefix}
CORE_PREFIXES = {"atom", "atom10", "atom03", "a10", "a", "rss", "rss10", "rss1"}
USERLAND = "backend.userland.com/rss"


@lru_cache(maxsize=4096)
def canonical_name(tag: str) -> str:
    """`{http://purl.org/dc/elements/1.1/}Creator` and an undeclared `DC:creator` are both `dc:creator`."""
    if tag.startswith("{"):
        address, _, local = tag[1:].partition("}")
        prefix = prefix_of(address)
    else:
        prefix, colon, local = tag.rpartition(":")
        prefix = prefix.lower() if colon else ""
        prefix = "" if prefix in CORE_PREFIXES else prefix
    return f"{prefix}:{local.lower()}" if prefix else local.lower()


def prefix_of(address: str) -> str:
    key = address.strip().lower().rstrip("/#")
    if USERLAND in key:
        return ""
    found = NAMESPACES.get(key)
    if found is None:
        found = NAMESPACES.get(key.replace("https://", "http://", 1), "other")
    return found


def attribute_of(element: Element, name: str) -> str | None:
    """An attribute by its lower-case local name; empty counts as absent."""
    value = element.get(name)
    if value is None and element.attrib:
        value = next((text for key, text in element.attrib.items() if _local(key) == name), None)
    return value.strip() or None if value else None


def _local(key: str) -> str:
    return key.rpartition("}")[2].rpartition(":")[2].lower()


ROOT_TAG = re.compile(rb"<[A-Za-z][^<>]*")
BINDING = re.compile(rb"""xmlns:([A-Za-z]+)\s*=\s*["']([^"'<>]*)["']""")

NAMESPACE_HINTS = (
    ("rdf-syntax", RDF),
    ("purl.org/dc", "dc:"),
    ("modules/content", "content:"),
    ("mrss", "media:"),
    ("itunes", "itunes:"),
)


def map_unknown_namespaces(root: Element) -> bool:
    """Renames, in place, every element of an unknown namespace; says whether there was any."""
    unknown = [element for element in root.iter() if canonical_name(element.tag).startswith("other:")]
    for element in unknown:
        address, _, local = element.tag[1:].partition("}")
        prefix = next((known for hint, known in NAMESPACE_HINTS if hint in address.lower()), "")
        element.tag = RDF + "RDF" if local.lower() == "rdf" else prefix + local
    return bool(unknown)


def with_known_namespaces(document: bytes, warn: Warn) -> bytes:
    """The document with a well-known prefix bound to its own namespace where it was bound to another."""
    root = ROOT_TAG.search(document)
    if root is None or b"xmlns:" not in root[0]:
        return document
    for prefix, address in BINDING.findall(root[0]):
        known = NAMESPACE_BY_PREFIX.get(prefix.decode("ascii").lower())
        if known and prefix_of(address.decode("utf-8", "replace")) == "other":
            warn("unknown_namespace", address.decode("utf-8", "replace"))
            changed = re.sub(rb"""(["'])%s\1""" % re.escape(address), b'"%s"' % known.encode(), root[0])
            document = document[: root.start()] + changed + document[root.end() :]
            root = ROOT_TAG.search(document) or root
    return document
