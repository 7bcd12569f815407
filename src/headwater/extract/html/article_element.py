"""The element in which an article stands: around the headline, with most paragraphs of the page."""

from collections.abc import Iterator, Sequence

from selectolax.lexbor import LexborNode

# The narrower one first.
_MARKS = ("article", "main")
_MOST_HEADLINES = 10
_FEWEST_PARAGRAPHS = 3
# Less than all: comments, and what follows an article, have paragraphs too.
_SHARE_IN_MARKED, _SHARE_IN_ANY = 0.6, 0.7
# Paragraphs are counted once per level.
_MOST_PARAGRAPHS, _MOST_LEVELS = 3_000, 40


def article_element(body: LexborNode) -> LexborNode | None:
    """The one that the page marks, or else the smallest around its only headline; None where it is not clear."""
    headlines, paragraphs = body.css("h1"), len(body.css("p"))
    if not 0 < len(headlines) <= _MOST_HEADLINES or not _FEWEST_PARAGRAPHS <= paragraphs <= _MOST_PARAGRAPHS:
        return None
    for marked in _marked(headlines):
        if _count_paragraphs(marked) >= _SHARE_IN_MARKED * paragraphs:
            return marked
    return _smallest_around(headlines[0], _SHARE_IN_ANY * paragraphs) if len(headlines) == 1 else None


def _marked(headlines: Sequence[LexborNode]) -> Iterator[LexborNode]:
    """Elements of which no other with the same name has a headline, as those of teasers do."""
    elements: dict[str, dict[int, LexborNode]] = {name: {} for name in _MARKS}
    for headline in headlines:
        for element in _around(headline):
            if (of_name := elements.get(element.tag or "")) is not None:
                of_name[element.mem_id] = element
    return (next(iter(of_name.values())) for of_name in elements.values() if len(of_name) == 1)


def _smallest_around(headline: LexborNode, enough: float) -> LexborNode | None:
    for level, element in enumerate(_around(headline)):
        if level >= _MOST_LEVELS:
            return None
        if (paragraphs := _count_paragraphs(element)) and paragraphs >= enough:
            return element
    return None


def _around(node: LexborNode) -> Iterator[LexborNode]:
    """The elements around a node, from the inside out."""
    element = node.parent
    while element is not None and element.tag != "body":
        yield element
        element = element.parent


def _count_paragraphs(element: LexborNode) -> int:
    """0 for too few to tell."""
    paragraphs = len(element.css("p"))
    return paragraphs if paragraphs >= _FEWEST_PARAGRAPHS else 0
