"""Classes that a site gives to its labels: learned from those whose words are known."""

from collections import defaultdict

from selectolax.lexbor import LexborHTMLParser, LexborNode

from headwater.extract.letters import one_line
from headwater_recipes.procedures.labels.recognise import recognise_plain
from headwater_recipes.procedures.page.typed import value_of

FEWEST, LEAST_SHARE, LONGEST = 2, 0.4, 14
MOST = 4000
MAY_BEGIN = frozenset({"label", "span", "p", "div"})
WORDLESS = frozenset({"input", "svg", "i", "img", "br", "hr"})
HOLDS_MORE = frozenset(
    {"div", "p", "ul", "ol", "table", "dl", "section", "article", "form", "h1", "h2", "h3"}
)


def class_of(node: LexborNode) -> str:
    """Element and class; for an element without one, its place at the beginning of one that has; else empty."""
    if named := " ".join((node.attributes.get("class") or "").split()):
        return f"{node.tag}.{named}"
    parent = node.parent
    around = " ".join((parent.attributes.get("class") or "").split()) if parent is not None else ""
    if not around or node.tag not in MAY_BEGIN:
        return ""
    first = next((child for child in parent.iter() if child.tag not in WORDLESS), None) if parent else None
    return f"{node.tag} in {around}" if first is not None and first.mem_id == node.mem_id else ""


def label_classes(tree: LexborHTMLParser) -> frozenset[str]:
    """Where at least two of an element's uses are labels of different parts, the others are labels as well."""
    texts: dict[str, list[str]] = defaultdict(list)
    larger: set[str] = set()
    for node in tree.css("div,p,span,li,label")[:MOST]:
        name = class_of(node)
        if not name:
            continue
        if name in larger or any(child.tag in HOLDS_MORE or value_of(child) for child in node.iter()):
            larger.add(name)  # its text may be the whole page's: not to be looked at, and no label
        else:
            texts[name].append(one_line(node.text(deep=True)))
    return frozenset(name for name, found in texts.items() if name not in larger and _are_labels(found))


def _are_labels(texts: list[str]) -> bool:
    if not all(0 < len(text.split()) <= LONGEST for text in texts):
        return False
    known = [label for text in texts if (label := recognise_plain(text)) is not None]
    distinct = {(label.field, label.key) for label in known}
    return len(distinct) >= FEWEST and len(known) >= LEAST_SHARE * len(texts)
