"""Text that keeps the lines it was typed in: preformatted, or the fields of a form that nobody can change."""

import re
from collections import defaultdict
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from headwater.text.letters import to_one_line
from headwater_recipes.procedures.labels.recognise import recognise_plain
from headwater_recipes.procedures.page.shape import BLOCKS, LABEL_WORDS, VALUE_WORDS
from headwater_recipes.procedures.page.site_frame import element_names

_UNDERLINE = re.compile(r"\s*(?:-{3,}|={3,}|_{3,}|\*{3,}|~{3,})\s*$")
_WRITTEN_IN = frozenset({"", "text", "tel", "url", "email", "number", "date"})
MOST_LINES = 2000


def value_of(node: LexborNode) -> str | None:
    """What a field says that is there to be read; None for all other elements."""
    if node.tag not in {"input", "textarea"}:
        return None
    attributes = node.attributes
    if not {"readonly", "disabled"} & set(attributes):
        return None
    if node.tag == "textarea":
        return node.text(deep=True)
    return attributes.get("value") or "" if (attributes.get("type") or "") in _WRITTEN_IN else None


def preformatted_lines(text: str) -> Iterator[tuple[str, bool]]:
    """(line, whether it is a title: underlined, or a label in capitals that stands alone); an empty line ends a
    paragraph."""
    lines = [line.strip() for line in text.splitlines()[:MOST_LINES]]
    for place, line in enumerate(lines):
        if line and _UNDERLINE.match(line):
            continue
        below = lines[place + 1] if place + 1 < len(lines) else ""
        underlined = bool(_UNDERLINE.match(below))
        label, colon, rest = line.partition(": ")
        if colon and label.isupper() and recognise_plain(f"{label}:") is not None:
            yield label, True
            yield rest.strip(), False
            continue
        alone = line.isupper() and recognise_plain(line) is not None
        yield line, bool(line) and (underlined or alone)


FEWEST, LEAST_SHARE, LONGEST = 2, 0.4, 14
MOST_ELEMENTS = 4000
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
    for node in tree.css("div,p,span,li,label")[:MOST_ELEMENTS]:
        name = class_of(node)
        if not name:
            continue
        if name in larger or any(child.tag in HOLDS_MORE or value_of(child) for child in node.iter()):
            larger.add(name)  # its text may be the whole page's: not to be looked at, and no label
        else:
            texts[name].append(to_one_line(node.text(deep=True)))
    return frozenset(name for name, found in texts.items() if name not in larger and _are_labels(found))


def _are_labels(texts: list[str]) -> bool:
    if not all(0 < len(text.split()) <= LONGEST for text in texts):
        return False
    known = [label for text in texts if (label := recognise_plain(text)) is not None]
    distinct = {(label.field, label.key) for label in known}
    return len(distinct) >= FEWEST and len(known) >= LEAST_SHARE * len(texts)


LONGEST_LABEL = 14
FEWEST_PICTURES, FEWEST_TITLES, MOST_PICTURES = 3, 3, 200


def is_label(node: LexborNode, labels: frozenset[str]) -> bool:
    """A short line that its class calls a title or label."""
    tag = node.tag or ""
    if tag not in {"div", "p"} and "-" not in tag:
        return False
    named = element_names(node)
    learned = class_of(node) in labels
    if not learned and (not LABEL_WORDS & named or VALUE_WORDS & named):
        return False
    if any(child.tag in BLOCKS or child.tag == "a" or value_of(child) for child in node.iter()):
        return False
    text = to_one_line(node.text(deep=True))
    return 0 < len(text.split()) <= LONGEST_LABEL and not text.endswith((".", ";", ","))


def stands_above(node: LexborNode) -> bool:
    """With a block right below it."""
    following = node.next
    while following is not None and following.tag == "-text" and not following.text(deep=False).strip():
        following = following.next
    return following is not None and following.tag in BLOCKS


def has_picture_labels(tree: LexborHTMLParser) -> bool:
    """Whether the page's titles are drawn: several pictures stand for different parts of a procedure."""
    texts = [to_one_line(node.attributes.get("alt") or "") for node in tree.css("img[alt]")[:MOST_PICTURES]]
    told = {label.field for text in texts if text and (label := recognise_plain(text)) is not None}
    return len(told) >= FEWEST_PICTURES


def items_with_titles(node: LexborNode) -> dict[int, str]:
    """Of a list whose items are labels with lists below them, each such item's title; else nothing."""
    titles = {
        child.mem_id: title for child in node.iter() if child.tag == "li" and (title := _own_words(child))
    }
    told = {label.field for title in titles.values() if (label := recognise_plain(title)) is not None}
    return titles if len(told) >= FEWEST_TITLES and not _only_leads_on(node) else {}


def _only_leads_on(node: LexborNode) -> bool:
    """A map of the site: whatever is listed in its lists is a link."""
    inner = node.css("li li")[:MOST_PICTURES]
    linked = [item for item in inner if to_one_line("".join(link.text(deep=True) for link in item.css("a")))]
    return len(linked) == len(inner)


def _own_words(item: LexborNode) -> str:
    """The short words of an item that has nothing else but a list below them."""
    children = list(item.iter())
    if not children or children[-1].tag not in {"ul", "ol"}:
        return ""
    if any(child.tag in BLOCKS and child.tag not in {"ul", "ol"} for child in children):
        return ""
    said = [child.text(deep=True) for child in item.iter(include_text=True) if child.tag not in {"ul", "ol"}]
    text = to_one_line(" ".join(said))
    return text if len(text.split()) <= LONGEST_LABEL and not text.endswith((".", ";")) else ""
