"""One short lower-case name for every element, whatever namespace or prefix it was written with.

The RSS and Atom namespaces share the empty prefix, so one parser understands mixtures of them.
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
NAMESPACE_BY_PREFIX = {prefix: namespace for namespace, prefix in NAMESPACES.items() if prefix}
CORE_PREFIXES = {"atom", "atom10", "atom03", "a10", "a", "rss", "rss10", "rss1"}
USERLAND = "backend.userland.com/rss"
ROOT_TAG = re.compile(rb"<[A-Za-z][^<>]*")
BINDING = re.compile(rb"""xmlns:([A-Za-z]+)\s*=\s*["']([^"'<>]*)["']""")
NAMESPACE_HINTS = (
    ("rdf-syntax", RDF),
    ("purl.org/dc", "dc:"),
    ("modules/content", "content:"),
    ("mrss", "media:"),
    ("itunes", "itunes:"),
)


@lru_cache(maxsize=4096)
def canonical_name(tag: str) -> str:
    """`{http://purl.org/dc/elements/1.1/}Creator` and an undeclared `DC:creator` are both `dc:creator`."""
    if tag.startswith("{"):
        namespace, _, local = tag[1:].partition("}")
        prefix = prefix_of(namespace)
    else:
        prefix, colon, local = tag.rpartition(":")
        prefix = prefix.lower() if colon else ""
        prefix = "" if prefix in CORE_PREFIXES else prefix
    return f"{prefix}:{local.lower()}" if prefix else local.lower()


def prefix_of(namespace: str) -> str:
    """The prefix this module uses for a namespace; `other` when the namespace is unknown."""
    key = namespace.strip().lower().rstrip("/#")
    if USERLAND in key:
        return ""
    prefix = NAMESPACES.get(key)
    if prefix is None:
        prefix = NAMESPACES.get(key.replace("https://", "http://", 1), "other")
    return prefix


def attribute_of(element: Element, name: str) -> str | None:
    """An attribute by its lower-case local name; empty counts as absent."""
    value = element.get(name)
    if value is None and element.attrib:
        value = next((text for key, text in element.attrib.items() if _local_name(key) == name), None)
    return value.strip() or None if value else None


def _local_name(key: str) -> str:
    return key.rpartition("}")[2].rpartition(":")[2].lower()


def map_unknown_namespaces(root: Element) -> bool:
    """Rename, in place, every element of an unknown namespace; returns whether there was any."""
    unknown = [element for element in root.iter() if canonical_name(element.tag).startswith("other:")]
    for element in unknown:
        namespace, _, local_name = element.tag[1:].partition("}")
        prefix = next(
            (known_prefix for hint, known_prefix in NAMESPACE_HINTS if hint in namespace.lower()), ""
        )
        element.tag = RDF + "RDF" if local_name.lower() == "rdf" else prefix + local_name
    return bool(unknown)


def with_known_namespaces(document: bytes, warn: Warn) -> bytes:
    """Bind each well-known prefix to its own namespace where the document binds it to another."""
    root = ROOT_TAG.search(document)
    if root is None or b"xmlns:" not in root[0]:
        return document
    for prefix, namespace in BINDING.findall(root[0]):
        known_namespace = NAMESPACE_BY_PREFIX.get(prefix.decode("ascii").lower())
        if known_namespace and prefix_of(namespace.decode("utf-8", "replace")) == "other":
            warn("unknown_namespace", namespace.decode("utf-8", "replace"))
            new_root = re.sub(
                rb"""(["'])%s\1""" % re.escape(namespace), b'"%s"' % known_namespace.encode(), root[0]
            )
            document = document[: root.start()] + new_root + document[root.end() :]
            root = ROOT_TAG.search(document) or root
    return document
