"""Markup that is all content: the body of a feed entry, without a page around it.

There are no menus and footers to separate, so it is read at a small part of the cost of a page. What could be a page, or
is too large to be an entry, goes to the reader of pages.
"""

import re
from dataclasses import dataclass

from headwater.extract.html.flatten import flatten
from headwater.extract.html.links import images_of, links_of, parseable_url
from headwater.extract.html.parser import parse_html, readable_body
from headwater.extract.html.render import page_to_markdown, page_to_plain_text
from headwater.model.outcomes import Extract, ExtractHints, Reading, Unreadable
from headwater.text.charset import fix_encoding
from headwater.text.letters import replace_surrogates

LARGEST = 200_000
MOST_TAGS = 5_000
PAGE_TAGS = re.compile(
    rb"<(?:!doctype|html|head|body|title|meta|link|base|nav|header|footer|aside|form|script|frameset)[\s>/]",
    re.IGNORECASE,
)
# The line that publishing software adds to every entry; it is not part of the article.
FEED_CREDIT = re.compile(r"The post .{1,400} (?:appeared first on|first appeared on) .{1,200}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FragmentReader:
    """Reads fragments itself and passes everything else to the reader of pages."""

    page_reader: Extract

    def __call__(self, data: bytes, hints: ExtractHints) -> Reading | Unreadable:
        return read_fragment(data, hints) if is_fragment(data) else self.page_reader(data, hints)


def is_fragment(data: bytes) -> bool:
    # Most pages say what they are at once; their tags need not be counted.
    if len(data) > LARGEST or PAGE_TAGS.search(data) is not None or data.count(b"<") > MOST_TAGS:
        return False
    start = data[:200].lstrip()
    return start[:1] != b"%" and b"\x00" not in data


def read_fragment(data: bytes, hints: ExtractHints) -> Reading | Unreadable:
    page = flatten(readable_body(parse_html(data.decode("utf-8", "replace"))))
    blocks = [block for block, text in enumerate(page.texts) if not FEED_CREDIT.fullmatch(text)]
    text = fix_encoding(replace_surrogates(page_to_markdown(page, blocks)))
    if not text:
        return Unreadable("no_text")
    address = parseable_url(hints.url)
    images = images_of(page, blocks, address)
    origins = {"text": "feed entry"} | ({"image": "feed entry"} if images else {})
    return Reading(
        text=text,
        plain=fix_encoding(replace_surrogates(page_to_plain_text(page, blocks))),
        image=images[0] if images else "",
        images=images,
        links=links_of(page, blocks, address),
        media_type="text/html",
        method="fragment",
        confidence=1.0,
        origins=origins,
    )
