"""Any bytes to a Reading: detect their format, then read them with the reader of that format."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from importlib import import_module

from headwater.extract.html.fragment import FragmentReader
from headwater.extract.html.profiles.registry import html_reader
from headwater.extract.html.reader import read_html
from headwater.extract.sandbox.sandboxed import Sandboxed
from headwater.model.document import Document, TrailEntry
from headwater.model.errors import Permanent
from headwater.model.outcomes import Extract, ExtractHints, Reading, Unreadable
from headwater.text.sniffing import (
    DOCX,
    ENCRYPTED_OFFICE,
    HTML,
    JSON,
    MAIL,
    MARKDOWN,
    ODT,
    PDF,
    PLAIN,
    RTF,
    XML,
    listing_kind,
    sniff_media_type,
)


@dataclass(frozen=True, slots=True)
class LaterReader:
    """Loads a reader and its libraries with the first document of its format, since most runs have none."""

    module: str
    name: str

    def __call__(self, data: bytes, hints: ExtractHints) -> Reading | Unreadable:
        read_now: Extract = getattr(import_module(f"headwater.extract.{self.module}"), self.name)
        return read_now(data, hints)


READERS: Mapping[str, Extract] = {
    HTML: read_html,
    PDF: LaterReader("pdf.reader", "read_pdf"),
    DOCX: LaterReader("office.docx", "read_docx"),
    ODT: LaterReader("office.odt", "read_odt"),
    RTF: LaterReader("rtf.reader", "read_rtf"),
    XML: LaterReader("xml.reader", "read_xml"),
    MAIL: LaterReader("mail", "read_mail"),
    MARKDOWN: LaterReader("plain_text", "read_markdown"),
    PLAIN: LaterReader("plain_text", "read_plain"),
}
# Where a list for programs may hide: a feed, a sitemap.
TEXT_KINDS = frozenset((HTML, XML, JSON, PLAIN))
# Other names that servers use for these types.
ALIASES: Mapping[str, str] = {
    "application/xhtml+xml": HTML,
    "application/x-pdf": PDF,
    "text/rtf": RTF,
    "text/xml": XML,
    "text/x-markdown": MARKDOWN,
}


def read_any(data: bytes, hints: ExtractHints) -> Reading | Unreadable:
    """Reads bytes as what they are, whatever their media type claims. Archives, pictures, programs and payloads without
    a field map are "unsupported", feeds and sitemaps "not_an_article"; the detail names their type."""
    if not data.strip():
        return Unreadable("no_text", "nothing but white space")
    kind = sniff_media_type(data, hints.media_type)
    if kind == ENCRYPTED_OFFICE:
        return Unreadable("encrypted", "an office file with a password")
    if kind in TEXT_KINDS and (listing := listing_kind(data)):
        return Unreadable("not_an_article", listing)
    reader = READERS.get(kind)
    if reader is None:
        return Unreadable("unsupported", _unsupported_detail(kind))
    return reader(data, hints)


@dataclass(frozen=True, slots=True)
class ProfileReader:
    """`read_any` with another profile for pages: `selectors` or `cascade`."""

    profile: str

    def __call__(self, data: bytes, hints: ExtractHints) -> Reading | Unreadable:
        if sniff_media_type(data, hints.media_type) == HTML:
            return html_reader(self.profile)(data, hints)
        return read_any(data, hints)


def _unsupported_detail(kind: str) -> str:
    if kind == JSON:
        return f"{kind}: a payload needs a field map"
    return kind


def readers_by_media_type(*, fragments: bool = False, profile: str = "blocks") -> Mapping[str, Sandboxed]:
    """For a recipe's `extract`: every type that can be read, and "*" for the others. Each entry detects what the bytes are,
    in a child process. `fragments`: HTML without a page around it, such as the body of a feed entry, is all content.
    `profile`: how pages are read; ValueError if it is unknown or its packages are missing."""
    html_reader(profile)
    reader: Extract = read_any if profile == "blocks" else ProfileReader(profile)
    readers = dict.fromkeys(("*", *READERS, *ALIASES), Sandboxed(reader))
    return readers | {HTML: Sandboxed(FragmentReader(reader))} if fragments else readers


def read(data: bytes, *, url: str | None = None, media_type: str | None = None) -> Document:
    """The document in these bytes. Raises Permanent with the reason when there is nothing to read.

    The bytes are read in a separate process, within limits of time and memory, so hostile ones do no harm.
    """
    reading = Sandboxed(read_any)(data, ExtractHints(url=url, media_type=media_type))
    if isinstance(reading, Unreadable):
        raise Permanent(reading.reason, reading.detail)
    return document_from_reading(reading, data, url or "")


def document_from_reading(reading: Reading, data: bytes, url: str) -> Document:
    """A document without a source; its id is the hash of its bytes."""
    fields = set(Document.__dataclass_fields__) & set(Reading.__dataclass_fields__)
    notes = {"method": reading.method, "confidence": reading.confidence, **reading.candidates}
    return Document(
        id=blake2b(data, digest_size=12).hexdigest(),
        recipe="",
        source="",
        lead="",
        url=url,
        trail=(TrailEntry("extract", reading.method, tuple(sorted(reading.origins)), notes),),
        **{name: getattr(reading, name) for name in sorted(fields)},
    )
