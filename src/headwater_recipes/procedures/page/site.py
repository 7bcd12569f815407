"""What the frame of a page says about who runs the site: its header, path of links and footer."""

from typing import Any

from selectolax.lexbor import LexborHTMLParser

from headwater.extract.letters import one_line

LONGEST, MOST, AT_AN_END = 400, 12, 240
CRUMBS = "[class*=breadcrumb] li,[class*=breadcrumb] a,[class*=migas] li,[class*=migas] a,nav[aria-label*=ruta] a,#breadcrumbs a,[class*=molles] a"


def site_of(tree: LexborHTMLParser) -> dict[str, Any]:
    """Only what is there; texts are cut."""
    found = {
        "name": _meta(tree, "og:site_name") or _meta(tree, "application-name"),
        "author": _meta(tree, "author") or _meta(tree, "DC.creator") or _meta(tree, "dcterms.publisher"),
        "logo": _logo(tree),
        "header": _text(
            tree,
            "header,[role=banner],#header,#cabecera,.cabecera,.header,[class*=header-],[class*=brand],[id*=cabecera],[id*=capcalera],[class*=capcalera]",
        ),
        "opening": _opening(tree),
        "closing": _closing(tree),
        "footer": _text(tree, "footer,[role=contentinfo],#footer,#pie,.pie"),
        "path": list(dict.fromkeys(one_line(node.text(deep=True)) for node in tree.css(CRUMBS)[:MOST])),
        "languages": _languages(tree),
    }
    return {name: value for name, value in found.items() if value}


def _opening(tree: LexborHTMLParser) -> str:
    """The first words and pictures of the page, whatever elements they stand in."""
    if tree.body is None:
        return ""
    named = [node.attributes.get("alt") or "" for node in tree.body.css("img[alt]")[:3]]
    words = one_line(tree.body.text(deep=True, separator=" · "))[:AT_AN_END]
    return one_line(" · ".join([*named, words]))[:LONGEST]


def _closing(tree: LexborHTMLParser) -> str:
    return one_line(tree.body.text(deep=True, separator=" · "))[-AT_AN_END:] if tree.body is not None else ""


def _meta(tree: LexborHTMLParser, name: str) -> str:
    for attribute in ("property", "name"):
        node = tree.css_first(f'meta[{attribute}="{name}"]')
        if node is not None and (said := one_line(node.attributes.get("content") or "")):
            return said[:LONGEST]
    return ""


def _logo(tree: LexborHTMLParser) -> str:
    for node in tree.css(
        "header img[alt],#cabecera img[alt],.cabecera img[alt],[id*=header] img[alt],[class*=header] img[alt],[class*=logo] img[alt],img[class*=logo][alt],#header img[alt],a[class*=logo],[class*=logo]"
    ):
        said = one_line(node.attributes.get("alt") or node.attributes.get("title") or node.text(deep=True))
        if said:
            return said[:LONGEST]
    return ""


def _text(tree: LexborHTMLParser, selector: str) -> str:
    parts = [one_line(node.text(deep=True, separator=" · ")) for node in tree.css(selector)[:3]]
    return " · ".join(part for part in parts if part)[:LONGEST]


def _languages(tree: LexborHTMLParser) -> list[str]:
    """Of the other versions of this page."""
    said = [(node.attributes.get("hreflang") or "")[:2].lower() for node in tree.css("link[hreflang]")]
    return sorted({language for language in said if language in {"es", "ca", "eu", "gl", "en"}})
