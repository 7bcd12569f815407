"""Markup that is all content: the body of a feed's entry, without a page around it.

Nothing has to be told apart from menus and footers there, so it is read at a small part of a page's cost. Whatever
could be a page, or is too large to be read without a guard, goes to the reader of pages.
"""

import re
from dataclasses import dataclass

from headwater.extract.html.addresses import usable
from headwater.extract.html.decode import repair, scrub
from headwater.extract.html.flatten import flatten
from headwater.extract.html.links import images_of, links_of
from headwater.extract.html.render import markdown, plain
from headwater.extract.html.tree import parse, readable_body
from headwater.model.reading import Hints, Reading, Unreadable
from headwater.model.recipe import Extract

LARGEST = 200_000
MOST_TAGS = 5_000
OF_A_PAGE = re.compile(
    rb"<(?:!doctype|html|head|body|title|meta|link|base|nav|header|footer|aside|form|script|frameset)[\s>/]",
    re.IGNORECASE,
)
# The line that publishing software puts under every entry; it is about the feed, not of the article.
CREDIT = re.compile(r"The post .{1,400} (?:appeared first on|first appeared on) .{1,200}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Fragments:
    """Reads fragments itself and leaves everything else to another reader."""

    other: Extract

    def __call__(self, data: bytes, hints: Hints) -> Reading | Unreadable:
        return read_fragment(data, hints) if is_fragment(data) else self.other(data, hints)


def is_fragment(data: bytes) -> bool:
    if len(data) > LARGEST or data.count(b"<") > MOST_TAGS:
        return False
    start = data[:200].lstrip()
    return start[:1] != b"%" and b"\x00" not in data and OF_A_PAGE.search(data) is None


def read_fragment(data: bytes, hints: Hints) -> Reading | Unreadable:
    page = flatten(readable_body(parse(data.decode("utf-8", "replace"))))
    chosen = [block for block, text in enumerate(page.texts) if not CREDIT.fullmatch(text)]
    text = repair(scrub(markdown(page, chosen)))
    if not text:
        return Unreadable("no_text")
    address = usable(hints.url)
    images = images_of(page, chosen, address)
    origins = {"text": "feed entry"} | ({"image": "feed entry"} if images else {})
    return Reading(
        text=text,
        plain=repair(scrub(plain(page, chosen))),
        image=images[0] if images else "",
        images=images,
        links=links_of(page, chosen, address),
        media_type="text/html",
        method="fragment",
        confidence=1.0,
        origins=origins,
    )
