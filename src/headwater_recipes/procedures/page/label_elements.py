"""Elements that are labels: by their class, their position, or as titles in preformatted text and read-only fields."""

import re
from collections import defaultdict
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from headwater.text.letters import to_one_line
from headwater_recipes.procedures.labels.recognise import LONGEST_LABEL, recognise_plain
from headwater_recipes.procedures.page.shape import BLOCKS, LABEL_WORDS, VALUE_WORDS
from headwater_recipes.procedures.page.site_frame import element_names

_UNDERLINE = re.compile(r"\s*(?:-{3,}|={3,}|_{3,}|\*{3,}|~{3,})\s*$")
_TEXT_INPUTS = frozenset({"", "text", "tel", "url", "email", "number", "date"})
MOST_LINES = 2000
FEWEST, LEAST_SHARE, LONGEST = 2, 0.4, 14
FEWEST_REPEATED, FEWEST_PAIRS, MOST_LABEL_WORDS = 4, 3, 10
MOST_ELEMENTS = 4000
MAY_BEGIN = frozenset({"label", "span", "p", "div"})
WORDLESS = frozenset({"input", "svg", "i", "img", "br", "hr"})
HOLDS_MORE = frozenset(
    {"div", "p", "ul", "ol", "table", "dl", "section", "article", "form", "h1", "h2", "h3"}
)
MOST_SLANTED, LONGEST_SLANTED = 200, 10
LINE_BREAKS = frozenset({"br", "hr", "p", "div", "center"})
FEWEST_PICTURES, FEWEST_TITLES, MOST_PICTURES = 3, 3, 200


def value_of(node: LexborNode) -> str | None:
    """The text of a read-only form field. None for all other elements."""
    if node.tag not in {"input", "textarea"}:
        return None
    attributes = node.attributes
    if not {"readonly", "disabled"} & set(attributes):
        return None
    if node.tag == "textarea":
        return node.text(deep=True)
    return attributes.get("value") or "" if (attributes.get("type") or "") in _TEXT_INPUTS else None


def preformatted_lines(text: str) -> Iterator[tuple[str, bool]]:
    """(line, whether it is a title). A title is underlined, or a label in capitals on its own line. An empty line ends a
    paragraph."""
    lines = [line.strip() for line in text.splitlines()[:MOST_LINES]]
    for place, line in enumerate(lines):
        if line and _UNDERLINE.match(line):
            continue
        below = lines[place + 1] if place + 1 < len(lines) else ""
        underlined = bool(_UNDERLINE.match(below))
        label, colon, value = line.partition(": ")
        if colon and label.isupper() and recognise_plain(f"{label}:") is not None:
            yield label, True
            yield value.strip(), False
            continue
        alone = line.isupper() and recognise_plain(line) is not None
        yield line, bool(line) and (underlined or alone)


def class_of(node: LexborNode) -> str:
    """Tag and class of an element. An element without a class at the beginning of one with a class counts by that one."""
    if classes := " ".join((node.attributes.get("class") or "").split()):
        return f"{node.tag}.{classes}"
    parent = node.parent
    around = " ".join((parent.attributes.get("class") or "").split()) if parent is not None else ""
    if not around or node.tag not in MAY_BEGIN:
        return ""
    first = next((child for child in parent.iter() if child.tag not in WORDLESS), None) if parent else None
    return f"{node.tag} in {around}" if first is not None and first.mem_id == node.mem_id else ""


def label_classes(tree: LexborHTMLParser) -> frozenset[str]:
    """The classes whose elements are labels: where enough of them are known labels of different fields, the others are labels
    too."""
    texts: dict[str, list[str]] = defaultdict(list)
    nodes: dict[str, list[LexborNode]] = defaultdict(list)
    larger: set[str] = set()
    for node in tree.css("div,p,span,li,label")[:MOST_ELEMENTS]:
        name = class_of(node)
        if not name:
            continue
        if name in larger or any(child.tag in HOLDS_MORE or value_of(child) for child in node.iter()):
            larger.add(name)  # it may contain the whole page, so it is not a label
        else:
            texts[name].append(to_one_line(node.text(deep=True)))
            nodes[name].append(node)
    by_words = frozenset(
        name
        for name, class_texts in texts.items()
        if name not in larger and (_are_labels(class_texts) or _are_in_pairs(nodes[name], class_texts))
    )
    if by_words or len(tree.css("h2,h3,h4,dt,summary,th,strong,b")) >= FEWEST_REPEATED:
        return by_words
    return frozenset(
        name for name in nodes if name not in larger and _are_above_values(nodes[name], texts[name])
    )


def _are_in_pairs(nodes: list[LexborNode], texts: list[str]) -> bool:
    """Whether each of the elements is the first of two in a box of its own, short, and beside a value of another class: the labels
    of a list of facts, in any words."""
    if len(nodes) < FEWEST_PAIRS or len(set(texts)) < len(texts):
        return False
    if not all(_is_like_label(text) for text in texts) or any(node.css_first("a") for node in nodes):
        return False
    classes: set[str] = set()
    for node in nodes:
        value = _partner(node)
        if value is None:
            return False
        classes.add(class_of(value))
    return len(classes) == 1 and not classes & {"", class_of(nodes[0])}


def _is_like_label(text: str) -> bool:
    return 0 < len(text.split()) <= MOST_LABEL_WORDS and not text.endswith((".", ";", ","))


def begins_pair(node: LexborNode) -> bool:
    """Whether it is the first of two elements in a box of their own."""
    return _partner(node) is not None


def _partner(node: LexborNode) -> LexborNode | None:
    """The other one of two elements in a box without a text of its own."""
    if node.parent is None:
        return None
    inside = [
        child
        for child in node.parent.iter(include_text=True)
        if child.tag != "-text" or (child.text(deep=False) or "").strip()
    ]
    if len(inside) != 2 or inside[0].mem_id != node.mem_id or inside[1].tag == "-text":
        return None
    return inside[1] if to_one_line(inside[1].text(deep=True)) else None


def _are_above_values(nodes: list[LexborNode], texts: list[str]) -> bool:
    """Whether the elements are labels by their places alone: short, all different, each directly before a value, and all values
    with one class. For pages without headings, whatever their labels are called."""
    if len(nodes) < FEWEST_REPEATED or len(set(texts)) < len(texts):
        return False
    if not all(_is_like_label(text) for text in texts):
        return False
    values = [_value_after(node) for node in nodes]
    classes = {class_of(value) for value in values if value is not None}
    return len(classes) == 1 and "" not in classes and None not in values


def _value_after(node: LexborNode) -> LexborNode | None:
    """The block after a label, or after the box that has only this label."""
    parent = node.parent
    alone = parent is not None and parent.tag == "div" and len(list(parent.iter())) == 1
    return _next_element(node) or (_next_element(parent) if alone and parent is not None else None)


def _next_element(node: LexborNode) -> LexborNode | None:
    following = node.next
    while following is not None and following.tag == "-text" and not following.text(deep=False).strip():
        following = following.next
    return following if following is not None and following.tag in BLOCKS else None


def _are_labels(texts: list[str]) -> bool:
    if not all(0 < len(text.split()) <= LONGEST for text in texts):
        return False
    labels = [label for text in texts if (label := recognise_plain(text)) is not None]
    distinct = {(label.field, label.key) for label in labels}
    return len(distinct) >= FEWEST and len(labels) >= LEAST_SHARE * len(texts)


def is_label(node: LexborNode, labels: frozenset[str]) -> bool:
    """Whether the element is a short line with a class for titles or labels."""
    tag = node.tag or ""
    if tag not in {"div", "p"} and "-" not in tag:
        return False
    names = element_names(node)
    learned = class_of(node) in labels
    if not learned and (not LABEL_WORDS & names or VALUE_WORDS & names):
        return False
    if any(child.tag in BLOCKS or child.tag == "a" or value_of(child) for child in node.iter()):
        return False
    text = to_one_line(node.text(deep=True))
    return 0 < len(text.split()) <= LONGEST_LABEL and not text.endswith((".", ";", ","))


def is_above_block(node: LexborNode) -> bool:
    """Whether a block follows directly."""
    return _next_element(node) is not None


def has_picture_labels(tree: LexborHTMLParser) -> bool:
    """Whether the titles of the page are images: several images have alternative texts that are labels of different fields."""
    texts = [to_one_line(node.attributes.get("alt") or "") for node in tree.css("img[alt]")[:MOST_PICTURES]]
    fields = {label.field for text in texts if text and (label := recognise_plain(text)) is not None}
    return len(fields) >= FEWEST_PICTURES


def items_with_titles(node: LexborNode) -> dict[int, str]:
    """The titles of list items that are labels with lists below them. Empty for all other lists."""
    titles = {
        child.mem_id: title for child in node.iter() if child.tag == "li" and (title := _item_title(child))
    }
    fields = {label.field for title in titles.values() if (label := recognise_plain(title)) is not None}
    return titles if len(fields) >= FEWEST_TITLES and not _is_site_map(node) else {}


def _is_site_map(node: LexborNode) -> bool:
    """Whether every item of the nested lists is a link."""
    inner = node.css("li li")[:MOST_PICTURES]
    linked = [item for item in inner if to_one_line("".join(link.text(deep=True) for link in item.css("a")))]
    return len(linked) == len(inner)


def _item_title(item: LexborNode) -> str:
    """The short text of an item that contains nothing else but a list."""
    children = list(item.iter())
    if not children or children[-1].tag not in {"ul", "ol"}:
        return ""
    if any(child.tag in BLOCKS and child.tag not in {"ul", "ol"} for child in children):
        return ""
    texts = [child.text(deep=True) for child in item.iter(include_text=True) if child.tag not in {"ul", "ol"}]
    text = to_one_line(" ".join(texts))
    return text if len(text.split()) <= LONGEST_LABEL and not text.endswith((".", ";")) else ""


def has_slanted_labels(tree: LexborHTMLParser) -> bool:
    """Whether a page without headings and bold text sets its labels in italics or a larger font, each on a line of its own."""
    if len(tree.css("h2,h3,h4,dt,summary,th,strong")) or len(tree.css("b")) >= FEWEST_REPEATED:
        return False
    return sum(fills_line(node) for node in tree.css("i,em,font,big")[:MOST_SLANTED]) >= FEWEST_REPEATED


def fills_line(node: LexborNode) -> bool:
    """Whether the element is a short line between two line breaks."""
    words = to_one_line(node.text(deep=True)).split()
    if not 0 < len(words) <= LONGEST_SLANTED:
        return False
    before, after = node.prev, node.next
    while before is not None and before.tag == "-text" and not (before.text(deep=False) or "").strip():
        before = before.prev
    while after is not None and after.tag == "-text" and not (after.text(deep=False) or "").strip():
        after = after.next
    return all(near is None or near.tag in LINE_BREAKS for near in (before, after))
