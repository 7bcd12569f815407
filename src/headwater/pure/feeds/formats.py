"""Which format a document is in, from its root."""

from xml.etree.ElementTree import Element

from headwater.pure.feeds.names import ATOM_10, RSS_090, RSS_10, attribute, canonical

RSS_VERSIONS = {"0.90": "rss090", "0.91": "rss091u", "0.92": "rss092", "0.93": "rss093", "0.94": "rss094"}
ATOM_VERSIONS = {"0.1": "atom01", "0.2": "atom02", "0.3": "atom03", "1.0": "atom10"}
FEED_ROOTS = frozenset(("rss", "rdf:rdf", "feed", "channel", "item", "entry"))


def is_feed_root(element: Element) -> bool:
    return canonical(element.tag) in FEED_ROOTS


def format_of(root: Element, declaration: bytes) -> str:
    name = canonical(root.tag)
    if name == "rss":
        return _rss(root, declaration)
    if name == "rdf:rdf":
        return _rdf(root)
    if name in {"feed", "entry"}:
        return _atom(root)
    return "cdf" if name == "channel" and attribute(root, "href") else "rss"


def _rss(root: Element, declaration: bytes) -> str:
    version = (attribute(root, "version") or "").strip()
    if b"netscape" in declaration.lower():
        return "rss091n"
    if version.startswith("2"):
        return "rss20"
    return RSS_VERSIONS.get(version, "rss")


def _rdf(root: Element) -> str:
    spaces = {_namespace(child) for child in root} | {_default(root)}
    return "rss090" if RSS_090 in spaces and RSS_10 not in spaces else "rss10"


def _atom(root: Element) -> str:
    space = _namespace(root) or _default(root)
    if space == ATOM_10:
        return "atom10"
    stated = ATOM_VERSIONS.get(attribute(root, "version") or "")
    if stated:
        return stated
    return "atom03" if "purl.org/atom" in space else "atom"


def _namespace(element: Element) -> str:
    address = element.tag[1:].partition("}")[0] if element.tag.startswith("{") else ""
    return address.lower().rstrip("/#")


def _default(element: Element) -> str:
    """Loosely read documents keep the declaration as an attribute."""
    return (element.get("xmlns") or "").lower().rstrip("/#")
