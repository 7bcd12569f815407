"""The element in which an article stands, where the page marks it and most of its paragraphs are there."""

from selectolax.lexbor import LexborNode

# The narrower one first.
_MARKS = ("article", "main")
_MOST_HEADLINES = 10
_FEWEST_PARAGRAPHS = 3
_SHARE_OF_PARAGRAPHS = 0.6


def marked_article(body: LexborNode) -> LexborNode | None:
    """None where several elements of the same name have a headline, as those of teasers do, or where text stands outside."""
    around = _around_headlines(body)
    for name in _MARKS:
        candidates = list(around[name].values())
        if len(candidates) == 1 and _has_most_paragraphs(candidates[0], body):
            return candidates[0]
    return None


def _around_headlines(body: LexborNode) -> dict[str, dict[int, LexborNode]]:
    """The elements with these names around each headline, by their identity."""
    found: dict[str, dict[int, LexborNode]] = {name: {} for name in _MARKS}
    headlines = body.css("h1")
    for headline in headlines if len(headlines) <= _MOST_HEADLINES else ():
        element = headline.parent
        while element is not None:
            if (of_name := found.get(element.tag or "")) is not None:
                of_name[element.mem_id] = element
            element = element.parent
    return found


def _has_most_paragraphs(element: LexborNode, body: LexborNode) -> bool:
    paragraphs = len(element.css("p"))
    return paragraphs >= max(_FEWEST_PARAGRAPHS, _SHARE_OF_PARAGRAPHS * len(body.css("p")))
