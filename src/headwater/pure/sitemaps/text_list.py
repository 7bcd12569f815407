"""Plain lists: one address per line."""

from collections.abc import Iterator

from headwater.pure.sitemaps.values import Listed, NotASitemap

LINES_WITHOUT_ADDRESS = 20
LONGEST_LINE = 16 * 1024
MARKS = "\ufeff\u200b \t"


def read_list(found: Iterator[bytes]) -> Iterator[Listed]:
    """Lines that are addresses. A beginning without any is no list."""
    misses, hits = 0, 0
    for line in _lines(found):
        text = line.decode("utf-8", "replace").strip(MARKS)
        if text.lower().startswith(("http://", "https://")):
            hits += 1
            yield Listed(url=text)
        elif text and not text.startswith("#"):
            misses += 1
            if not hits and misses >= LINES_WITHOUT_ADDRESS:
                break
    if not hits and misses:
        raise NotASitemap("unknown", "no line is an address")


def _lines(found: Iterator[bytes]) -> Iterator[bytes]:
    tail = b""
    for piece in found:
        *lines, tail = (tail + piece).replace(b"\r", b"\n").split(b"\n")
        yield from lines
        if len(tail) > LONGEST_LINE:
            raise NotASitemap("unknown", "a line without end")
    yield tail
