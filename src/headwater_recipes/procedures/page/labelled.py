"""Elements that are labels by what their site calls them, and by where they stand."""

from selectolax.lexbor import LexborNode

from headwater.extract.letters import one_line
from headwater_recipes.procedures.page.chrome import names_of
from headwater_recipes.procedures.page.classes import class_of
from headwater_recipes.procedures.page.shape import BLOCKS, LABEL_WORDS, VALUE_WORDS

LONGEST_LABEL = 14


def is_label(node: LexborNode, labels: frozenset[str]) -> bool:
    """A short line that its class calls a title or label."""
    tag = node.tag or ""
    if tag not in {"div", "p"} and "-" not in tag:
        return False
    named = names_of(node)
    if not (LABEL_WORDS & named or class_of(node) in labels) or VALUE_WORDS & named:
        return False
    if any(child.tag in BLOCKS or child.tag == "a" for child in node.iter()):
        return False
    text = one_line(node.text(deep=True))
    return 0 < len(text.split()) <= LONGEST_LABEL and not text.endswith((".", ";", ","))


def stands_above(node: LexborNode) -> bool:
    """With a block right below it."""
    following = node.next
    while following is not None and following.tag == "-text" and not following.text(deep=False).strip():
        following = following.next
    return following is not None and following.tag in BLOCKS
