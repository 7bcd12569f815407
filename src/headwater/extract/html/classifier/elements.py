"""The elements of a page as columns: their names, their looks, and what lies around them."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from headwater.extract.html.classifier.keywords import name_mask
from headwater.extract.html.flatten import BLOCK_TAGS, FlatPage

Numbers = npt.NDArray[np.int64]

_NAMES = (" class=", " id=", " role=", " itemprop=", " data-testid=", " data-component=", " aria-label=")
_LONGEST_NAME = 2_000
_DIGITS = b"0123456789"
# Above the bits of the names.
_HIDDEN_BIT = 1 << 62
_LEAVES = ("p", "li", "td", "th", "dd", "dt", "blockquote", "pre", "h1", "h2", "h3", "h4", "h5", "h6")
_IS_LEAF = np.array([name in _LEAVES for name in BLOCK_TAGS])


@dataclass(frozen=True, slots=True)
class ElementTable:
    """One entry per element, ancestors before descendants; `top` is the outermost wrapper around the same blocks. Elements that
    look alike have the same `template`."""

    tag: Numbers
    parent: Numbers
    first: Numbers
    last: Numbers
    depth: Numbers
    top: Numbers
    names: Numbers
    all_names: Numbers
    all_tags: Numbers
    hidden: npt.NDArray[np.bool_]
    template: Numbers
    leaf: npt.NDArray[np.bool_]


def element_table(page: FlatPage) -> ElementTable:
    tag, parent, first, last, depth = (
        np.array(column, np.int64) for column in (page.tags, page.parents, page.first, page.last, page.depths)
    )
    # Elements without text do not matter, whatever they are called.
    spans = zip(page.attributes, page.first, page.last, strict=True)
    attribute_table = _AttributeTable([attributes if start < end else "" for attributes, start, end in spans])
    masks = attribute_table.masks.take(attribute_table.number)
    all_masks = _inherited(masks, parent)
    return ElementTable(
        tag=tag,
        parent=parent,
        first=first,
        last=last,
        depth=depth,
        top=_outermost(parent, first, last),
        names=masks & ~_HIDDEN_BIT,
        all_names=all_masks & ~_HIDDEN_BIT,
        all_tags=_inherited(np.left_shift(np.int64(1), tag), parent),
        hidden=(all_masks & _HIDDEN_BIT) > 0,
        template=attribute_table.template.take(attribute_table.number) * 64 + tag,
        leaf=_IS_LEAF.take(tag),
    )


class _AttributeTable:
    """The distinct attribute strings of a page, and what follows from each."""

    def __init__(self, attributes: list[str]) -> None:
        numbers = {string: number for number, string in enumerate(dict.fromkeys(attributes))}
        self.number = np.array([numbers[string] for string in attributes], np.int64)
        descriptions = [_describe_attributes(string[:_LONGEST_NAME]) for string in numbers]
        classes: dict[bytes, int] = {}
        self.template = np.array(
            [classes.setdefault(class_name, len(classes)) for class_name, _ in descriptions], np.int64
        )
        self.masks = np.array([mask for _, mask in descriptions], np.int64)


@lru_cache(maxsize=20_000)
def _describe_attributes(attributes: str) -> tuple[bytes, int]:
    """The class without numbers, and the mask of the names, with a bit for what is hidden. Pages of a site share most
    of them."""
    if not attributes:
        return b"", 0
    # The serialiser writes name="value" throughout and escapes quotes in values.
    parts = attributes.split('"')
    if len(parts) == 3 and parts[0] == " class=":  # half of all: a class alone
        return _without_digits(parts[1]), name_mask(parts[1])
    values = dict(zip(parts[::2], parts[1::2], strict=False))
    mask = name_mask(" ".join([values[name] for name in _NAMES if name in values]))
    return _without_digits(values.get(" class=", "")), mask | _HIDDEN_BIT if _is_hidden(values) else mask


def _without_digits(class_name: str) -> bytes:
    """As bytes, from which letters are removed in a quarter of the time."""
    return class_name.encode("utf-8", "surrogatepass").translate(None, _DIGITS)


def _is_hidden(values: dict[str, str]) -> bool:
    if " hidden=" in values or values.get(" aria-hidden=") == "true":
        return True
    return " style=" in values and "display:none" in values[" style="].replace(" ", "")


def compact(keys: Numbers) -> Numbers:
    """The same groups, numbered from zero."""
    return np.unique(keys, return_inverse=True)[1].reshape(-1)


def _outermost(parent: Numbers, first: Numbers, last: Numbers) -> Numbers:
    same = (first == first.take(parent)) & (last == last.take(parent))
    top = np.where(same, parent, np.arange(len(parent)))
    while True:
        further = top.take(top)
        if np.array_equal(further, top):
            return top
        top = further


def _inherited(masks: Numbers, parent: Numbers) -> Numbers:
    """Each mask combined with those of all ancestors, by doubling the distance in each round."""
    while parent.any():
        masks = masks | masks.take(parent)
        parent = parent.take(parent)
    inherited: Numbers = masks | masks[0]
    return inherited
