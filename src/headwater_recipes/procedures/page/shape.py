"""The purpose of elements: text, a label, a section, or a trigger that opens one."""

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from headwater.text.letters import to_one_line
from headwater_recipes.procedures.fields.addresses import streets_in
from headwater_recipes.procedures.fields.organism import name_in
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
SLANTED = frozenset({"i", "em", "font", "big"})
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
_NOTED = re.compile(r"^\s*(?:[\[(]?\d{1,2}[\]).]|\*|[¹²³]|\d(?=\s+[A-ZÁÉÍÓÚÀÈ]))\s")
_NOTE = re.compile(r"^\s*[\[(]?\d{1,2}[\])]?\s*$")
NOTE_TAGS = frozenset({"p", "div", "li", "small"})
NOTE_NAMES = frozenset({"nota", "notas", "note", "notes", "small", "aclaracion", "aclaraciones", "llamada"})
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
"""Attributes with the titles of custom elements."""
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

FEWEST_KNOWN, MOST_OF_TEXT = 2, 0.5
TOP = re.compile(r"(?:^|;)top:(\d{1,6}(?:\.\d{1,4})?)(?:px|pt)")


def main_part(tree: LexborHTMLParser) -> LexborNode | None:
    """The main element of the page, if it contains most of the known headings; where next to none is known, if it has headings and most
    of the text."""
    everywhere = _known_headings(tree.body)
    if everywhere < FEWEST_KNOWN and (main := tree.css_first("main,[role=main]")) is not None:
        return main if _is_most_of(main, tree.body) else None
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


def _is_most_of(main: LexborNode, body: LexborNode | None) -> bool:
    words = len(main.text(deep=True).split())
    everywhere = len(body.text(deep=True).split()) if body is not None else 0
    return bool(main.css_first("h1,h2,h3")) and words >= MOST_OF_TEXT * everywhere


def _known_headings(node: LexborNode | None) -> int:
    if node is None:
        return 0
    headings = node.css(
        "h1,h2,h3,h4,h5,h6,dt,th,summary,button,strong,b,legend,label,[class*=title],[class*=titulo],[class*=label]"
    )
    return len(
        {
            text
            for heading in headings[:2000]
            if (text := to_one_line(heading.text(deep=True))) and len(text) < 120 and recognise(text)
        }
    )


def site_colophon(tree: LexborHTMLParser) -> LexborNode | None:
    """The last block of the page, if it only names the owner of the site."""
    node = tree.body
    for _ in range(DEEPEST_COLOPHON):
        children = (
            [child for child in node.iter() if child.text(deep=True).strip()] if node is not None else []
        )
        children = [
            child for child in children if child.tag not in {"script", "style", "noscript", "template"}
        ]
        node = children[-1] if children else None
        if node is None or not (node.tag in AROUND or _is_below_rule(node)):
            return None
        before = children[-2] if len(children) > 1 else None
        if before is not None and _only_names_owner(node) and not _is_labelled_by(before):
            return node
    return None


def _is_below_rule(node: LexborNode) -> bool:
    """Whether it is a paragraph below a horizontal rule."""
    before = node.prev
    while before is not None and before.tag == "-text" and not before.text(deep=False).strip():
        before = before.prev
    return node.tag in {"p", "address", "small", "font"} and before is not None and before.tag == "hr"


def _is_labelled_by(node: LexborNode) -> bool:
    text = to_one_line(node.text(deep=True))
    return node.tag in LEVELS or (len(text) <= SHORT and recognise_plain(text) is not None)


def _only_names_owner(node: LexborNode) -> bool:
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
    """Whether the heading is only the title of a panel, which the panel repeats."""
    if node.mem_id in panels.triggers:
        return True
    inner = node.css("a,button,span")
    text = to_one_line(node.text(deep=True))
    return any(
        trigger.mem_id in panels.triggers and to_one_line(trigger.text(deep=True)) == text
        for trigger in inner
    )


def hidden_label(node: LexborNode) -> str:
    """The label that only screen readers or style sheets use, if the element shows none."""
    tag = node.tag or ""
    if "-" in tag and not begins_with_heading(node) and to_one_line(node.text(deep=True)):
        header = next(
            (text for name in HEADERS if (text := to_one_line(node.attributes.get(name) or ""))), ""
        )
        if header and len(header.split()) <= LONGEST_NAME:
            return header
    if tag not in {"section", "div", "article"} and "-" not in tag:
        return ""
    hidden = next((text for name in UNSEEN if (text := to_one_line(node.attributes.get(name) or ""))), "")
    if not hidden or recognise(hidden) is None or begins_with_heading(node):
        return ""
    return hidden


def opens_panel(node: LexborNode) -> bool:
    """Whether it shows and hides the following element."""
    attributes = node.attributes
    if {"aria-expanded", "aria-controls", "data-toggle", "data-bs-toggle", "data-target"} & set(attributes):
        return True
    return attributes.get("role") in {"button", "tab"} or bool(LABEL_WORDS & element_names(node))


def is_section(node: LexborNode) -> bool:
    """Whether a list item is a label with paragraphs below it, as in accordions made of lists."""
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
    """Whether it is one of several values for the same term."""
    following = node.next
    while following is not None and following.tag == "-text":
        following = following.next
    return following is not None and following.tag == "dd"


def title_of(node: LexborNode) -> tuple[str, str]:
    """The text of a heading, and its small print, which is not part of the title."""
    text = to_one_line(node.text(deep=True))
    small = node.css_first("small") if node.tag == "h1" else None
    small_text = to_one_line(small.text(deep=True)) if small is not None else ""
    if small_text and text.endswith(small_text) and len(text) > len(small_text):
        return text.removesuffix(small_text).rstrip(" -–—·|:"), small_text
    return text, ""


def _is_unit_exponent(node: LexborNode) -> bool:
    """Whether it is the exponent of a unit, as in square metres."""
    before = node.prev.text(deep=True) if node.prev is not None else ""
    return bool(re.search(r"(?:^|[\s\d])(?:[ckd]?m|hm)$", before))


def line_top(node: LexborNode) -> float | None:
    """How far from the top of the page a line stands that is placed on its own, as programs that print to HTML place all lines. None
    for other elements."""
    style = (node.attributes.get("style") or "").replace(" ", "").lower()
    if node.tag not in {"p", "div"} or "position:absolute" not in style or "nowrap" not in style:
        return None
    match = TOP.search(style)
    return float(match[1]) if match is not None and node.css_first("p,div,table,ul") in (None, node) else None


def is_note(node: LexborNode) -> bool:
    """Whether it is the sign of a footnote, or the footnote."""
    if node.tag == "sup":
        return bool(_NOTE.match(node.text(deep=True))) and not _is_unit_exponent(node)
    if node.tag in NOTE_TAGS and _begins_with_note_sign(node):
        return True
    return bool(NOTE_NAMES & element_names(node)) and bool(_NOTED.match(node.text(deep=True)))


def _begins_with_note_sign(node: LexborNode) -> bool:
    """Whether the first text of the element is a raised number."""
    for child in node.iter(include_text=True):
        if child.tag == "-text" and not (child.text(deep=False) or "").strip():
            continue
        return child.tag == "sup" and bool(_NOTE.match(child.text(deep=True)))
    return False
