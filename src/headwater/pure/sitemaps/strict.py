"""Sitemaps as XML, read piece by piece. No entity is ever expanded, no document type believed."""

from collections.abc import Iterator
from xml.parsers.expat import ParserCreate, XMLParserType

from headwater.pure.sitemaps.values import Kind, Listed, NotASitemap

DEEPEST = 16
LONGEST_TEXT = 8192
ROOTS: dict[str, Kind] = {"urlset": "urls", "sitemapindex": "index"}
RECORDS = {"url", "sitemap"}
NEWS = "sitemap-news"
# Local names, and those of the news extension under a name of their own: its title is not an image's.
FIELDS = {
    "loc": "url",
    "lastmod": "lastmod",
    "news title": "title",
    "news publication_date": "published",
    "news language": "language",
}


class StrictReader:
    """Fed with pieces; what was read completely waits in `ready`. `kind` is known after the root element.

    Raises NotASitemap for what is hostile or something else, ExpatError for what is no XML.
    """

    def __init__(self) -> None:
        self.ready: list[Listed] = []
        self.kind: Kind | None = None
        self._path: list[str] = []
        self._fields: dict[str, str] = {}
        self._text: list[str] = []
        self._length = 0
        self._parser = self._make()

    def feed(self, piece: bytes) -> None:
        self._parser.Parse(piece, False)

    def close(self) -> None:
        self._parser.Parse(b"", True)

    def take(self) -> Iterator[Listed]:
        ready, self.ready = self.ready, []
        return iter(ready)

    def _make(self) -> XMLParserType:
        parser = ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._say
        parser.EntityDeclHandler = self._declare
        parser.ExternalEntityRefHandler = _refuse_external
        return parser

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        del attributes
        if len(self._path) >= DEEPEST:
            raise NotASitemap("too_deep", f"more than {DEEPEST} elements inside one another")
        space, _, local = name.rpartition(" ")
        if not self._path:
            self.kind = ROOTS.get(local.lower())
            if self.kind is None:
                raise NotASitemap("html" if local.lower() == "html" else "unknown", local[:40])
        self._path.append(f"news {local}" if NEWS in space else local)
        self._text, self._length = [], 0

    def _end(self, name: str) -> None:
        ended = self._path.pop()
        parent = self._path[-1] if self._path else ""
        field = FIELDS.get(ended)
        # A picture's or a video's own `loc` stands deeper than the page's.
        if field and (parent in RECORDS or ended.startswith("news ")):
            self._fields.setdefault(field, "".join(self._text).strip())
        elif ended in RECORDS:
            self._record()
        self._text, self._length = [], 0
        del name

    def _say(self, text: str) -> None:
        self._length += len(text)
        if self._length <= LONGEST_TEXT:
            self._text.append(text)

    def _record(self) -> None:
        fields, self._fields = self._fields, {}
        if fields.get("url"):
            self.ready.append(Listed(**fields))

    def _declare(self, name: str, *_: object) -> None:
        raise NotASitemap("refused_entities", name[:40])


def _refuse_external(*_: object) -> int:
    raise NotASitemap("refused_entities", "external")


def read_strictly(first: bytes, rest: Iterator[bytes], reader: StrictReader) -> Iterator[Listed]:
    """What the pieces list, as they come."""
    reader.feed(first)
    yield from reader.take()
    for piece in rest:
        reader.feed(piece)
        yield from reader.take()
    reader.close()
    yield from reader.take()
