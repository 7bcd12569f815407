"""What the elements of a page are for: text, a label, a part, or something that opens one."""

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from headwater.text.letters import to_one_line
from headwater_recipes.procedures.fields.organism import name_in
from headwater_recipes.procedures.fields.places import streets_in
from headwater_recipes.procedures.labels.recognise import recognise, recognise_plain
from headwater_recipes.procedures.page.panels import Panels, begins_with_heading
from headwater_recipes.procedures.page.site_frame import element_names

LEVELS = {f"h{level}": level for level in range(1, 7)}
BLOCKS = frozenset(
    {
        *(
            "div",
            "section",
            "article",
            "main",
            "p",
            "ul",
            "ol",
            "li",
            "dl",
            "dt",
            "dd",
            "table",
            "tbody",
            "thead",
            "tr",
        ),
        *(
            "td",
            "th",
            "blockquote",
            "figure",
            "figcaption",
            "address",
            "details",
            "summary",
            "fieldset",
            "legend",
            "form",
        ),
        *("pre", "hr", "body", "header", "aside", "center", "tfoot", "caption", "menu", *LEVELS),
    }
)
BOLD = frozenset({"strong", "b", "u"})
LABEL_WORDS = frozenset(
    {
        *(
            "label",
            "etiqueta",
            "titulo",
            "title",
            "titol",
            "heading",
            "term",
            "encabezado",
            "cabecera",
            "subtitulo",
        ),
        *(
            "titular",
            "key",
            "clave",
            "epigrafe",
            "header",
            "caption",
            "legend",
            "name",
            "trigger",
            "toggle",
        ),
    }
)
AROUND = frozenset({"div", "section", "table", "tbody", "tr", "td", "center", "form"})
OWNED = re.compile(
    r"©|\b(?:aviso legal|av[ií]s legal|lege oharra|legal notice|copyright|CIF|NIF|todos los derechos)\b",
    re.IGNORECASE,
)
DEEPEST_COLOPHON, MOST_WORDS, SHORT = 6, 60, 120
_NOTED = re.compile(r"^\s*(?:[\[(]?\d{1,2}[\]).]|\*|[¹²³])\s")
_NOTE = re.compile(r"^\s*[\[(]?\d{1,2}[\])]?\s*$")
UNSEEN = (
    "aria-label",
    "data-label",
    "data-title",
    "label",
    "title",
    "data-header",
    "data-th",
    "data-heading",
    "data-caption",
    "data-etiqueta",
    "data-content",
)
HEADERS = ("header", "heading", "headline", "summary", "titulo", "titol", "item-title", "panel-title")
"""Where elements that a site made up carry their titles."""
LONGEST_NAME = 14
VALUE_WORDS = frozenset(
    {
        *(
            "contenido",
            "content",
            "contingut",
            "body",
            "value",
            "valor",
            "texto",
            "text",
            "data",
            "dato",
            "detalle",
        ),
        *("detail", "cuerpo", "panel", "answer", "respuesta", "description", "descripcion"),
    }
)


def main_part(tree: LexborHTMLParser) -> LexborNode | None:
    """What the page itself calls its main part, if most of the headings stand there."""
    everywhere = _known_headings(tree.body)
    for selector in (
        "main",
        "[role=main]",
        "#main-content",
        "#main",
        "#content",
        "#contenido",
        "#contingut",
        "#contido",
        "#edukia",
    ):
        for node in tree.css(selector):
            if _known_headings(node) >= max(2, everywhere - 1):
                return node
    return None


def _known_headings(node: LexborNode | None) -> int:
    if node is None:
        return 0
    found = node.css(
        "h1,h2,h3,h4,h5,h6,dt,th,summary,button,strong,b,legend,label,[class*=title],[class*=titulo],[class*=label]"
    )
    return len(
        {
            text
            for one in found[:2000]
            if (text := to_one_line(one.text(deep=True))) and len(text) < 120 and recognise(text)
        }
    )


def site_colophon(tree: LexborHTMLParser) -> LexborNode | None:
    """The last block of the page where it says no more than whose page it is, whatever it is called."""
    node = tree.body
    for _ in range(DEEPEST_COLOPHON):
        children = (
            [child for child in node.iter() if child.text(deep=True).strip()] if node is not None else []
        )
        children = [
            child for child in children if child.tag not in {"script", "style", "noscript", "template"}
        ]
        node = children[-1] if children else None
        if node is None or not (node.tag in AROUND or _below_a_rule(node)):
            return None
        before = children[-2] if len(children) > 1 else None
        if before is not None and _only_says_whose(node) and not _is_labelled_by(before):
            return node
    return None


def _below_a_rule(node: LexborNode) -> bool:
    """A paragraph under a line across the page."""
    before = node.prev
    while before is not None and before.tag == "-text" and not before.text(deep=False).strip():
        before = before.prev
    return node.tag in {"p", "address", "small", "font"} and before is not None and before.tag == "hr"


def _is_labelled_by(node: LexborNode) -> bool:
    text = to_one_line(node.text(deep=True))
    return node.tag in LEVELS or (len(text) <= SHORT and recognise_plain(text) is not None)


def _only_says_whose(node: LexborNode) -> bool:
    text = to_one_line(node.text(deep=True, separator=" · "))
    if len(text.split()) > MOST_WORDS or not (
        name_in(text) or OWNED.search(text) or (len(text) <= SHORT and streets_in(text))
    ):
        return False
    pieces = [piece.partition(":")[0] for piece in text.split(" · ")]
    return not any(
        (label := recognise_plain(piece)) is not None and label.field not in {"contacto", "ignored"}
        for piece in pieces
    )


def is_only_trigger(node: LexborNode, panels: Panels) -> bool:
    """A heading whose words are the name of a panel, which comes with the panel."""
    if node.mem_id in panels.triggers:
        return True
    inner = node.css("a,button,span")
    text = to_one_line(node.text(deep=True))
    return any(one.mem_id in panels.triggers and to_one_line(one.text(deep=True)) == text for one in inner)


def named_for_readers(node: LexborNode) -> str:
    """The label that only screen readers and style sheets see, where the element shows none."""
    tag = node.tag or ""
    if "-" in tag and not begins_with_heading(node) and to_one_line(node.text(deep=True)):
        named = next((said for name in HEADERS if (said := to_one_line(node.attributes.get(name) or ""))), "")
        if named and len(named.split()) <= LONGEST_NAME:
            return named
    if tag not in {"section", "div", "article"} and "-" not in tag:
        return ""
    told = next((said for name in UNSEEN if (said := to_one_line(node.attributes.get(name) or ""))), "")
    if not told or recognise(told) is None or begins_with_heading(node):
        return ""
    return told


def opens_panel(node: LexborNode) -> bool:
    """Whether it is there to show and hide what follows."""
    attributes = node.attributes
    if {"aria-expanded", "aria-controls", "data-toggle", "data-bs-toggle", "data-target"} & set(attributes):
        return True
    return attributes.get("role") in {"button", "tab"} or bool(LABEL_WORDS & element_names(node))


def is_section(node: LexborNode) -> bool:
    """A list item that is a label with paragraphs below, as accordions made of lists are."""
    children = [child for child in node.iter() if child.tag in BLOCKS]
    if children and any(
        child.tag in {"a", "button", "span", "label"} and opens_panel(child) for child in node.iter()
    ):
        return True
    if len(children) < 2 or children[0].css_first("a[href]") is not None:
        return False
    first = to_one_line(children[0].text(deep=True))
    return recognise_plain(first) is not None and len(to_one_line(node.text(deep=True))) > len(first)


def continues_line(node: LexborNode) -> bool:
    """One value of several for the same term."""
    following = node.next
    while following is not None and following.tag == "-text":
        following = following.next
    return following is not None and following.tag == "dd"


def title_of(node: LexborNode) -> tuple[str, str]:
    """A heading's words, and those in small letters behind the page's title, which are none of its name."""
    text = to_one_line(node.text(deep=True))
    small = node.css_first("small") if node.tag == "h1" else None
    said = to_one_line(small.text(deep=True)) if small is not None else ""
    if said and text.endswith(said) and len(text) > len(said):
        return text.removesuffix(said).rstrip(" -–—·|:"), said
    return text, ""


def _is_power(node: LexborNode) -> bool:
    """Square and cubic metres."""
    before = node.prev.text(deep=True) if node.prev is not None else ""
    return bool(re.search(r"(?:^|[\s\d])(?:[ckd]?m|hm)$", before))


def is_note(node: LexborNode) -> bool:
    """The sign of a footnote, or the footnote."""
    if node.tag == "sup":
        return bool(_NOTE.match(node.text(deep=True))) and not _is_power(node)
    return bool({"nota", "notas", "note", "notes"} & element_names(node)) and bool(
        _NOTED.match(node.text(deep=True))
    )
