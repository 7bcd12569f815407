"""Whether what an entry carries is the article or only its beginning."""

import re

from headwater.pure.feeds.values import Entry

LEAST = 600
LEAST_OF_SUMMARY = 1200
SURELY_WHOLE = 4000
TAGS = re.compile(r"<[^>]*>")
# Words at the very end by which a beginning says that it goes on; a line of credit may follow them.
GOES_ON = re.compile(
    r"(?:\[\s*(?:…|\.\.\.|&#8230;|&hellip;)\s*\]|…|\.\.\.|&#8230;|&hellip;"
    r"|(?:read|learn|see)\s+(?:more|on|the\s+(?:rest|full\s+\w+))|continue\s+reading(?:\s+\S.{0,200})?"
    r"|(?:leer|lire|leggi|ler)\s+(?:más|mas|la\s+suite|tutto|mais)|weiterlesen)\W{0,8}$",
    re.IGNORECASE,
)
CREDIT = re.compile(r"The post .{1,400} (?:appeared first on|first appeared on) .{1,200}$", re.DOTALL)


def is_teaser(entry: Entry) -> bool:
    """True when the page itself should be read. An entry without a page is never a teaser: there is nothing else."""
    if not entry.content:
        return True
    if not entry.link:
        return False
    if len(entry.content) < LEAST:
        return True
    words = CREDIT.sub("", " ".join(TAGS.sub(" ", entry.content).split())).rstrip()
    if len(words) >= SURELY_WHOLE:
        return False
    if len(words) < (LEAST_OF_SUMMARY if entry.content == entry.summary else LEAST):
        return True
    return GOES_ON.search(words[-240:]) is not None
