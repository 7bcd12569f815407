"""XML sitemaps in chunks: a strict parser, and a loose one for documents that are not well-formed.

No entity is ever expanded. Both parsers work in linear time.
"""

import re
from collections.abc import Iterator
from xml.parsers.expat import ExpatError, ParserCreate, XMLParserType

from headwater.sources.sitemaps.sitemap import NotASitemap, SitemapEntry, SitemapKind

DEEPEST = 16
LONGEST_TEXT = 8192
ROOTS: dict[str, SitemapKind] = {"urlset": "urls", "sitemapindex": "index"}
RECORD_TAGS = {"url", "sitemap"}
NEWS = "sitemap-news"
# Local names; the news extension has its own, because its title is not the title of an image.
FIELD_TAGS = {
    "loc": "url",
    "lastmod": "lastmod",
    "news title": "title",
    "news publication_date": "published",
    "news language": "language",
}
TOKEN = re.compile(
    rb"<(?:!\[CDATA\[(?P<section>[^\]<]*+)\]\]>|(?P<close>/?)(?P<name>[A-Za-z][\w.:-]{0,40})[^<>]*>)(?P<text>[^<]*)"
)
COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
# In an unescaped URL only a certain escape is decoded: `&copy=1` is a parameter.
REFERENCE = re.compile(r"&(amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
NAMED_REFERENCES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
LONGEST_PENDING = 64 * 1024
LOOSE_FIELD_TAGS = {
    b"loc": "url",
    b"lastmod": "lastmod",
    b"news:title": "title",
    b"news:publication_date": "published",
    b"news:language": "language",
}
LOOSE_RECORD_TAGS = {b"url", b"sitemap"}


class StrictSitemapParser:
    """Takes chunks; complete entries wait in `ready`. `kind` is known after the root element.

    Raises NotASitemap for hostile or other documents, ExpatError for malformed XML.
    """

    def __init__(self) -> None:
        self.ready: list[SitemapEntry] = []
        self.kind: SitemapKind | None = None
        self._path: list[str] = []
        self._fields: dict[str, str] = {}
        self._text: list[str] = []
        self._length = 0
        self._parser = self._create_parser()

    def feed(self, chunk: bytes) -> None:
        self._parse(chunk, is_last=False)

    def close(self) -> None:
        self._parse(b"", is_last=True)

    def _parse(self, chunk: bytes, *, is_last: bool) -> None:
        try:
            self._parser.Parse(chunk, is_last)
        except (LookupError, ValueError) as error:  # an encoding that nobody knows, or that Expat cannot use
            raise ExpatError(f"encoding: {error}"[:100]) from error

    def take(self) -> Iterator[SitemapEntry]:
        entries, self.ready = self.ready, []
        return iter(entries)

    def _create_parser(self) -> XMLParserType:
        parser = ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._character_data
        parser.EntityDeclHandler = self._refuse_entity
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
        field = FIELD_TAGS.get(ended)
        # The `loc` of an image or a video is nested deeper than the `loc` of the page.
        if field and (parent in RECORD_TAGS or ended.startswith("news ")):
            self._fields.setdefault(field, "".join(self._text).strip())
        elif ended in RECORD_TAGS:
            self._add_entry()
        self._text, self._length = [], 0
        del name

    def _character_data(self, text: str) -> None:
        self._length += len(text)
        if self._length <= LONGEST_TEXT:
            self._text.append(text)

    def _add_entry(self) -> None:
        fields, self._fields = self._fields, {}
        if fields.get("url"):
            self.ready.append(SitemapEntry(**fields))

    def _refuse_entity(self, name: str, *_: object) -> None:
        raise NotASitemap("refused_entities", name[:40])


def _refuse_external(*_: object) -> int:
    raise NotASitemap("refused_entities", "external")


def parse_strictly(
    first: bytes, chunks: Iterator[bytes], reader: StrictSitemapParser
) -> Iterator[SitemapEntry]:
    """The entries of the chunks, as they arrive."""
    reader.feed(first)
    yield from reader.take()
    for chunk in chunks:
        reader.feed(chunk)
        yield from reader.take()
    reader.close()
    yield from reader.take()


def parse_loosely(chunks: Iterator[bytes]) -> Iterator[SitemapEntry]:
    fields: dict[str, str] = {}
    field: str | None = None
    for token in _tokens(chunks):
        name = (token["name"] or b"").lower()
        local = name.rpartition(b":")[2]
        if local in LOOSE_RECORD_TAGS:
            yield from _entry_from(fields)
            fields = {}
        if token["section"] is None:
            field = (
                None
                if token["close"]
                else LOOSE_FIELD_TAGS.get(name if not _is_standard_prefix(name) else local)
            )
        text = _text(token["section"] if token["section"] is not None else token["text"])
        if field and text:
            fields.setdefault(field, text)
    yield from _entry_from(fields)


def guess_kind(start: bytes) -> SitemapKind | None:
    """Whether a malformed document looks like an index or a list of URLs; None if like neither."""
    start = start.lower()
    if b"sitemapindex" in start:
        return "index"
    return "urls" if b"urlset" in start or b"<loc>" in start else None


def _is_standard_prefix(name: bytes) -> bool:
    """Whether the prefix belongs to the standard's own names, not to an extension."""
    prefix = name.partition(b":")[0]
    return b":" in name and prefix not in (b"image", b"video", b"news", b"xhtml", b"mobile")


def _entry_from(fields: dict[str, str]) -> Iterator[SitemapEntry]:
    if fields.get("url"):
        yield SitemapEntry(**fields)


def _tokens(chunks: Iterator[bytes]) -> Iterator[re.Match[bytes]]:
    """The tokens. The text of a token ends where the next one begins, so the last token of a chunk waits for the next
    chunk."""
    tail = b""
    for chunk in chunks:
        tail = _without_comments(tail + chunk)
        cut = tail.rfind(b"<")
        comment = tail.rfind(b"<!--")
        cut = max(comment if comment >= 0 else cut, 0)
        yield from TOKEN.finditer(tail[:cut])
        tail = tail[cut:] if len(tail) - cut <= LONGEST_PENDING else b""
    yield from TOKEN.finditer(tail)


def _without_comments(text: bytes) -> bytes:
    # Only up to the end of the last comment: every comment before it is closed, so each byte is scanned once.
    end = text.rfind(b"-->") + 3
    return COMMENT.sub(b"", text[:end]) + text[end:] if end > 2 else text


def _text(raw: bytes) -> str:
    return REFERENCE.sub(_character, raw[:8192].decode("utf-8", "replace")).strip()


def _character(match: re.Match[str]) -> str:
    name = match[1]
    if not name.startswith("#"):
        return NAMED_REFERENCES[name]
    code = int("0" + name[1:], 0) if name[1] in "xX" else int(name[1:])
    return chr(code) if 0x20 <= code < 0xD800 or 0xE000 <= code < 0x110000 else ""
