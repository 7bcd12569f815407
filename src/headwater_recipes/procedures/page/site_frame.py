"""The frame of a page: navigation, header and footer, which belong to the site, and what they say about its owner."""

import re
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from headwater.text.letters import to_one_line
from headwater_recipes.procedures.labels.recognise import recognise

SKIPPED_TAGS = frozenset(
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
FRAME_ROLES = frozenset(
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
LONGEST, MOST, AT_AN_END = 400, 12, 240
LABELS = "h2,h3,h4,h5,h6,dt,th,b,strong,summary,legend,[class*=title],[class*=titulo],[class*=titol],[class*=label],.card-header,.panel-heading"
MOST_LABELS, LONGEST_LABEL, FEWEST_FACTS = 40, 80, 3
FACTS = frozenset(
    {"organismo", "plazos", "tasas", "cuantias", "requisitos", "documentos_necesarios", "base_legal", "como_solicitar", "donde_solicitar"}
)  # fmt: skip
CONTACT = frozenset({"contacto"})
"""Fields that a box beside or below the text may state."""
CRUMBS = "[class*=breadcrumb] li,[class*=breadcrumb] a,[class*=migas] li,[class*=migas] a,nav[aria-label*=ruta] a,#breadcrumbs a,[class*=molles] a"


def is_chrome(node: LexborNode) -> bool:
    """Whether the element belongs to the frame, by its tag, role, class or id. Tab bars are not menus."""
    tag = node.tag
    if tag in SKIPPED_TAGS or (tag or "").endswith("-icon"):
        return True
    role = (node.attributes.get("role") or "").lower()
    if tag == "aside" or role == "complementary":
        return not (_holds_title(node) or _states_facts(node, FACTS | CONTACT) or _lists_facts(node))
    if role in FRAME_ROLES:
        return True
    if tag in {"body", "html", "main", "article", "h1", "h2", "h3"}:
        return False
    if tag == "header":
        return not (_holds_title(node) or _within(node, ("main", "article", "section")))
    names = element_names(node)
    if HEADERS & names and (SITE_WIDE & names or (node.attributes.get("id") or "").lower() in HEADERS):
        return not (_holds_title(node) or _within(node, ("main", "article")))
    if CHROME_WORDS & names:
        return not (_holds_title(node) or _states_facts(node, FACTS))
    return bool(MENUS & names) and not (_is_tab_list(node) or _holds_title(node) or _is_content(node))


def element_names(node: LexborNode) -> set[str]:
    """The words of class and id, and the name of a custom element."""
    attributes = node.attributes
    custom_tag = node.tag if "-" in (node.tag or "") else ""
    text = f"{custom_tag} {attributes.get('class') or ''} {attributes.get('id') or ''}"
    return set(_WORDS.findall(_CAMEL.sub(" ", text).lower()))


def _is_tab_list(node: LexborNode) -> bool:
    attributes = node.attributes
    return bool(TAB_LIST.search(f"{attributes.get('class') or ''} {attributes.get('role') or ''}"))


def _holds_title(node: LexborNode) -> bool:
    return node.css_first("h1") is not None


def _is_content(node: LexborNode) -> bool:
    """Whether the element is a part of the text in spite of its name: it is within the main part and has few links. A menu has
    links."""
    return _within(node, ("main", "article")) and _has_few_links(node)


def _has_few_links(node: LexborNode) -> bool:
    linked = sum(len(to_one_line(link.text(deep=True))) for link in node.css("a"))
    return 2 * linked < len(to_one_line(node.text(deep=True)))


def _states_facts(node: LexborNode, fields: frozenset[str]) -> bool:
    """Whether a box beside or below the text has labels of these fields, and not only links: who is responsible, until when."""
    if not _has_few_links(node):
        return False
    texts = (to_one_line(label.text(deep=True)) for label in node.css(LABELS)[:MOST_LABELS])
    labels = (recognise(text) for text in texts if 0 < len(text) <= LONGEST_LABEL)
    return any(label is not None and label.field in fields for label in labels)


def _lists_facts(node: LexborNode) -> bool:
    """Whether a box beside the text has labels with values, whatever the labels are."""
    return len(node.css("dl > dt")) >= FEWEST_FACTS and _has_few_links(node)


def _within(node: LexborNode, tags: tuple[str, ...]) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.tag in tags:
            return True
        parent = parent.parent
    return False


def site_frame(tree: LexborHTMLParser) -> dict[str, Any]:
    """What the frame says about the owner of the site: name, logo, header, breadcrumb, footer. Long texts are cut."""
    frame = {
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
        "path": list(dict.fromkeys(to_one_line(node.text(deep=True)) for node in tree.css(CRUMBS)[:MOST])),
        "languages": _languages(tree),
    }
    return {name: value for name, value in frame.items() if value}


def _opening(tree: LexborHTMLParser) -> str:
    """The first words and images of the page."""
    if tree.body is None:
        return ""
    alts = [node.attributes.get("alt") or "" for node in tree.body.css("img[alt]")[:3]]
    words = to_one_line(tree.body.text(deep=True, separator=" · "))[:AT_AN_END]
    return to_one_line(" · ".join([*alts, words]))[:LONGEST]


def _closing(tree: LexborHTMLParser) -> str:
    return (
        to_one_line(tree.body.text(deep=True, separator=" · "))[-AT_AN_END:] if tree.body is not None else ""
    )


def _meta(tree: LexborHTMLParser, name: str) -> str:
    for attribute in ("property", "name"):
        node = tree.css_first(f'meta[{attribute}="{name}"]')
        if node is not None and (content := to_one_line(node.attributes.get("content") or "")):
            return content[:LONGEST]
    return ""


def _logo(tree: LexborHTMLParser) -> str:
    for node in tree.css(
        "header img[alt],#cabecera img[alt],.cabecera img[alt],[id*=header] img[alt],[class*=header] img[alt],[class*=logo] img[alt],img[class*=logo][alt],#header img[alt],a[class*=logo],[class*=logo]"
    ):
        text = to_one_line(node.attributes.get("alt") or node.attributes.get("title") or node.text(deep=True))
        if text:
            return text[:LONGEST]
    return ""


def _text(tree: LexborHTMLParser, selector: str) -> str:
    parts = [to_one_line(node.text(deep=True, separator=" · ")) for node in tree.css(selector)[:3]]
    return " · ".join(part for part in parts if part)[:LONGEST]


def _languages(tree: LexborHTMLParser) -> list[str]:
    """The languages of the other versions of this page."""
    codes = [(node.attributes.get("hreflang") or "")[:2].lower() for node in tree.css("link[hreflang]")]
    return sorted({language for language in codes if language in {"es", "ca", "eu", "gl", "en"}})
