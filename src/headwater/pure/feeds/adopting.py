"""Namespaces that are misspelt or made up, read as what their elements are called."""

from xml.etree.ElementTree import Element

from headwater.pure.feeds.names import RDF, canonical

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
