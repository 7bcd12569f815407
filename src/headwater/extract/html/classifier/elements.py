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
_NO_DIGITS = str.maketrans("", "", "0123456789")
_LEAVES = ("p", "li", "td", "th", "dd", "dt", "blockquote", "pre", "h1", "h2", "h3", "h4", "h5", "h6")
_IS_LEAF = np.array([name in _LEAVES for name in BLOCK_TAGS])


@dataclass(frozen=True, slots=True)
class ElementTable:
    """One entry per element, ancestors before descendants; `top` is the outermost wrapper around the same blocks."""

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
    family: Numbers
    leaf: npt.NDArray[np.bool_]


def element_table(page: FlatPage) -> ElementTable:
    tag = np.array(page.tags)
    parent = np.array(page.parents)
    first, last = np.array(page.first), np.array(page.last)
    # Elements without text do not matter, whatever they are called.
    spans = zip(page.attributes, page.first, page.last, strict=True)
    attribute_table = _AttributeTable([attributes if start < end else "" for attributes, start, end in spans])
    names = attribute_table.masks[attribute_table.number]
    hidden = attribute_table.hidden[attribute_table.number]
    top = _outermost(parent, first, last)
    template = _compact(attribute_table.template[attribute_table.number] * 64 + tag)
    tags = np.left_shift(np.int64(1), tag)
    return ElementTable(
        tag=tag,
        parent=parent,
        first=first,
        last=last,
        depth=np.array(page.depths),
        top=top,
        names=names,
        all_names=_inherited(names, parent),
        all_tags=_inherited(tags, parent),
        hidden=_inherited(hidden.astype(np.int64), parent) > 0,
        template=template,
        family=_compact(template * (template.max() + 1) + template[parent]),
        leaf=_IS_LEAF[tag],
    )


class _AttributeTable:
    """The distinct attribute strings of a page, and what follows from each."""

    def __init__(self, attributes: list[str]) -> None:
        numbers: dict[str, int] = {}
        self.number = np.array([numbers.setdefault(string, len(numbers)) for string in attributes])
        descriptions = [_describe_attributes(string[:_LONGEST_NAME]) for string in numbers]
        classes: dict[str, int] = {}
        self.template = np.array(
            [classes.setdefault(class_name, len(classes)) for class_name, _, _ in descriptions]
        )
        self.hidden = np.array([hidden for _, hidden, _ in descriptions])
        self.masks = np.array([mask for _, _, mask in descriptions], np.int64)


@lru_cache(maxsize=20_000)
def _describe_attributes(attributes: str) -> tuple[str, bool, int]:
    """The class without numbers, whether the element is hidden, and the mask of its names. Pages of a site share most of
    them."""
    if not attributes:
        return "", False, 0
    # The serialiser writes name="value" throughout and escapes quotes in values.
    parts = attributes.split('"')
    values = dict(zip(parts[::2], parts[1::2], strict=False))
    names = " ".join([values[name] for name in _NAMES if name in values])
    return values.get(" class=", "").translate(_NO_DIGITS), _is_hidden(values), name_mask(names)


def _is_hidden(values: dict[str, str]) -> bool:
    if " hidden=" in values or values.get(" aria-hidden=") == "true":
        return True
    return " style=" in values and "display:none" in values[" style="].replace(" ", "")


def _compact(keys: Numbers) -> Numbers:
    """The same groups, numbered from zero."""
    return np.unique(keys, return_inverse=True)[1].reshape(-1)


def _outermost(parent: Numbers, first: Numbers, last: Numbers) -> Numbers:
    same = (first == first[parent]) & (last == last[parent])
    top = np.where(same, parent, np.arange(len(parent)))
    while True:
        further = top[top]
        if np.array_equal(further, top):
            return top
        top = further


def _inherited(masks: Numbers, parent: Numbers) -> Numbers:
    """Each mask combined with those of all ancestors, by doubling the distance in each round."""
    while parent.any():
        masks = masks | masks[parent]
        parent = parent[parent]
    inherited: Numbers = masks | masks[0]
    return inherited
