"""What stands on every page of a site and belongs to none of its procedures."""

import re

from selectolax.lexbor import LexborNode

SKIPPED = frozenset(
    {
        *(
            "script",
            "style",
            "noscript",
            "template",
            "svg",
            "iframe",
            "object",
            "canvas",
            "video",
            "audio",
            "map",
        ),
        *("nav", "footer", "select", "option", "textarea", "input", "datalist", "progress", "head", "dialog"),
    }
)
ROLES = frozenset(
    {"navigation", "banner", "contentinfo", "search", "complementary", "menu", "menubar", "dialog"}
)
_WORDS = re.compile(r"[a-z]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
CHROME_WORDS = frozenset(
    {
        *(
            "cookie",
            "cookies",
            "consent",
            "breadcrumb",
            "breadcrumbs",
            "migas",
            "molles",
            "share",
            "sharing",
            "social",
        ),
        *(
            "compartir",
            "comparteix",
            "navbar",
            "sidebar",
            "newsletter",
            "comments",
            "comentarios",
            "comentaris",
        ),
        *(
            "valoracion",
            "valoracio",
            "rating",
            "feedback",
            "pagination",
            "paginacion",
            "skip",
            "relacionados",
            "relacionats",
        ),
        *(
            "related",
            "relacionado",
            "footnote",
            "footnotes",
            "pie",
            "footer",
            "toc",
            "satisfaccion",
            "encuesta",
            "chatbot",
        ),
        *(
            "accesibilidad",
            "peu",
            "oina",
            "toc",
            "catlinks",
            "editsection",
            "idiomas",
            "languages",
            "langs",
            "tagcloud",
            "publicidad",
            "noprint",
            "printonly",
        ),
    }
)
MENUS = frozenset({"menu", "nav", "navigation", "submenu", "topbar"})
HEADERS = frozenset({"header", "cabecera", "encabezado", "capcalera", "goiburua", "masthead"})
SITE_WIDE = frozenset({"site", "top", "page", "global", "main", "superior", "portal", "web"})
TAB_LIST = re.compile(r"\btab", re.IGNORECASE)


def is_chrome(node: LexborNode) -> bool:
    """By its element, its role or what its class and id call it. Bars of tabs are no menus."""
    tag = node.tag
    if tag in SKIPPED or (tag or "").endswith("-icon") or (tag == "aside" and not _holds_title(node)):
        return True
    attributes = node.attributes
    if (attributes.get("role") or "").lower() in ROLES:
        return True
    if tag in {"body", "html", "main", "article", "h1", "h2", "h3"}:
        return False
    if tag == "header":
        return not (_holds_title(node) or _within(node, ("main", "article", "section")))
    named = names_of(node)
    if HEADERS & named and (SITE_WIDE & named or (node.attributes.get("id") or "").lower() in HEADERS):
        return not (_holds_title(node) or _within(node, ("main", "article")))
    if CHROME_WORDS & named:
        return not _holds_title(node)
    return bool(MENUS & named) and not _is_tab_list(node) and not _holds_title(node)


def names_of(node: LexborNode) -> set[str]:
    """The words that class and id are made of, and the name of an element that the site made up."""
    attributes = node.attributes
    own = node.tag if "-" in (node.tag or "") else ""
    told = f"{own} {attributes.get('class') or ''} {attributes.get('id') or ''}"
    return set(_WORDS.findall(_CAMEL.sub(" ", told).lower()))


def _is_tab_list(node: LexborNode) -> bool:
    attributes = node.attributes
    return bool(TAB_LIST.search(f"{attributes.get('class') or ''} {attributes.get('role') or ''}"))


def _holds_title(node: LexborNode) -> bool:
    return node.css_first("h1") is not None


def _within(node: LexborNode, tags: tuple[str, ...]) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.tag in tags:
            return True
        parent = parent.parent
    return False
