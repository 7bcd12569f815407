"""The elements of a page as columns: their names, their looks, and what lies around them."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from headwater.extract.html.classifier.arrays import Numbers, number_rows
from headwater.extract.html.classifier.keywords import name_mask
from headwater.extract.html.flatten import BLOCK_TAGS, FlatPage

_NAMES = (" class=", " id=", " role=", " itemprop=", " data-testid=", " data-component=", " aria-label=")
_LONGEST_NAME = 2_000
_DIGITS = b"0123456789"
# Above the bits of the names.
HIDDEN_BIT = 1 << 62
# The class and the mask of an element without attributes.
_NOT_NAMED = (b"", 0)
_LEAVES = ("p", "li", "td", "th", "dd", "dt", "blockquote", "pre", "h1", "h2", "h3", "h4", "h5", "h6")
_IS_LEAF = np.array([name in _LEAVES for name in BLOCK_TAGS])


@dataclass(frozen=True, slots=True)
class ElementTable:
    """One entry per element, ancestors before descendants; `top` is the outermost wrapper around the same blocks. `names` are masks
    with a bit for what is hidden; `all_names` and `all_tags` include those of the elements around. Elements that look alike have the
    same `template`."""

    tag: Numbers
    parent: Numbers
    first: Numbers
    last: Numbers
    depth: Numbers
    top: Numbers
    names: Numbers
    all_names: Numbers
    all_tags: Numbers
    template: Numbers
    leaf: npt.NDArray[np.bool_]


def element_table(page: FlatPage) -> ElementTable:
    classes, masks = _described(page)
    tag, parent, first, last, depth, class_number, names = number_rows(
        page.tags, page.parents, page.first, page.last, page.depths, classes, masks
    )
    doublings = max(page.depths).bit_length()
    all_names, all_tags = _inherited(np.array((names, np.left_shift(1, tag))), parent, doublings)
    return ElementTable(
        tag=tag,
        parent=parent,
        first=first,
        last=last,
        depth=depth,
        top=_outermost(parent, first, last, doublings),
        names=names,
        all_names=all_names,
        all_tags=all_tags,
        template=class_number * 64 + tag,
        leaf=_IS_LEAF.take(tag),
    )


def _described(page: FlatPage) -> tuple[list[int], list[int]]:
    """The number of each element's class, and the mask of its names. Elements without text do not matter, whatever they are called."""
    spans = zip(page.attributes, page.first, page.last, strict=True)
    descriptions = [
        _describe_attributes(attributes[:_LONGEST_NAME]) if attributes and start < end else _NOT_NAMED
        for attributes, start, end in spans
    ]
    classes, masks = zip(*descriptions, strict=True)
    numbers = {name: number for number, name in enumerate(dict.fromkeys(classes))}
    return [numbers[name] for name in classes], list(masks)


@lru_cache(maxsize=20_000)
def _describe_attributes(attributes: str) -> tuple[bytes, int]:
    """The class without numbers, and the mask of the names, with a bit for what is hidden. Pages of a site share most
    of them."""
    # The serialiser writes name="value" throughout and escapes quotes in values.
    parts = attributes.split('"')
    if len(parts) == 3 and parts[0] == " class=":  # half of all: a class alone
        return _without_digits(parts[1]), name_mask(parts[1])
    values = dict(zip(parts[::2], parts[1::2], strict=False))
    mask = name_mask(" ".join([values[name] for name in _NAMES if name in values]))
    return _without_digits(values.get(" class=", "")), mask | HIDDEN_BIT if _is_hidden(values) else mask


def _without_digits(class_name: str) -> bytes:
    """As bytes, from which letters are removed in a quarter of the time."""
    return class_name.encode("utf-8", "surrogatepass").translate(None, _DIGITS)


def _is_hidden(values: dict[str, str]) -> bool:
    if " hidden=" in values or values.get(" aria-hidden=") == "true":
        return True
    return " style=" in values and "display:none" in values[" style="].replace(" ", "")


def _outermost(parent: Numbers, first: Numbers, last: Numbers, doublings: int) -> Numbers:
    same = (first == first.take(parent)) & (last == last.take(parent))
    top = np.where(same, parent, np.arange(len(parent)))
    for _ in range(doublings):
        top = top.take(top)
    return top


def _inherited(masks: Numbers, parent: Numbers, doublings: int) -> Numbers:
    """Each mask combined with those of all ancestors; the distance doubles in each round. One row of masks per kind."""
    for _ in range(doublings):
        masks |= masks.take(parent, axis=1)
        parent = parent.take(parent)
    return masks
