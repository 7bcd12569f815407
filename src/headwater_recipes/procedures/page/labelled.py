"""Elements that are labels by what their site calls them, and by where they stand."""

from selectolax.lexbor import LexborHTMLParser, LexborNode

from headwater.extract.letters import one_line
from headwater_recipes.procedures.labels.recognise import recognise_plain
from headwater_recipes.procedures.page.chrome import names_of
from headwater_recipes.procedures.page.classes import class_of
from headwater_recipes.procedures.page.shape import BLOCKS, LABEL_WORDS, VALUE_WORDS
from headwater_recipes.procedures.page.typed import value_of

LONGEST_LABEL = 14
FEWEST_PICTURES, FEWEST_TITLES, MOST_PICTURES = 3, 3, 200


def is_label(node: LexborNode, labels: frozenset[str]) -> bool:
    """A short line that its class calls a title or label."""
    tag = node.tag or ""
    if tag not in {"div", "p"} and "-" not in tag:
        return False
    named = names_of(node)
    learned = class_of(node) in labels
    if not learned and (not LABEL_WORDS & named or VALUE_WORDS & named):
        return False
    if any(child.tag in BLOCKS or child.tag == "a" or value_of(child) for child in node.iter()):
        return False
    text = one_line(node.text(deep=True))
    return 0 < len(text.split()) <= LONGEST_LABEL and not text.endswith((".", ";", ","))


def stands_above(node: LexborNode) -> bool:
    """With a block right below it."""
    following = node.next
    while following is not None and following.tag == "-text" and not following.text(deep=False).strip():
        following = following.next
    return following is not None and following.tag in BLOCKS


def pictures_are_labels(tree: LexborHTMLParser) -> bool:
    """Whether the page's titles are drawn: several pictures stand for different parts of a procedure."""
    texts = [one_line(node.attributes.get("alt") or "") for node in tree.css("img[alt]")[:MOST_PICTURES]]
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
    linked = [item for item in inner if one_line("".join(link.text(deep=True) for link in item.css("a")))]
    return len(linked) == len(inner)


def _own_words(item: LexborNode) -> str:
    """The short words of an item that has nothing else but a list below them."""
    children = list(item.iter())
    if not children or children[-1].tag not in {"ul", "ol"}:
        return ""
    if any(child.tag in BLOCKS and child.tag not in {"ul", "ol"} for child in children):
        return ""
    said = [child.text(deep=True) for child in item.iter(include_text=True) if child.tag not in {"ul", "ol"}]
    text = one_line(" ".join(said))
    return text if len(text.split()) <= LONGEST_LABEL and not text.endswith((".", ";")) else ""
