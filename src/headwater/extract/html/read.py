"""HTML to a Reading: decode, parse once, flatten, choose the blocks that are the page's own text, say what it is."""

from headwater.extract.html.decode import decode, repair
from headwater.extract.html.flatten import flatten
from headwater.extract.html.metadata import describe
from headwater.extract.html.render import markdown, plain
from headwater.extract.html.simple import choose
from headwater.extract.html.tree import parse, readable_body
from headwater.model.reading import Hints, Reading, Unreadable


def read_html(data: bytes, hints: Hints) -> Reading | Unreadable:
    """The page's own text and what it says about itself, or the reason why there is none."""
    if data[:5] == b"%PDF-":
        return Unreadable("unsupported", "a PDF, not a page")
    decoded = decode(data, hints.media_type)
    tree = parse(decoded.text)
    about = describe(tree, hints.url)
    page = flatten(readable_body(tree))
    chosen, confidence = choose(page)
    text = repair(markdown(page, chosen))
    if not text.strip():
        return Unreadable("no_text")
    return Reading(
        text=text,
        plain=repair(plain(page, chosen)),
        media_type="text/html",
        method="blocks",
        confidence=confidence,
        **about,
    )
