"""Any bytes to a Reading: detect their format, then read them with the reader of that format."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b

from headwater.extract.html.profiles.registry import html_reader
from headwater.extract.html.reader import read_html
from headwater.extract.sandbox.extractor_by_name import ExtractorByName
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

# Most runs have hardly any documents of the other formats.
READERS: Mapping[str, Extract] = {
    HTML: read_html,
    PDF: ExtractorByName("headwater.extract.pdf.reader:read_pdf"),
    DOCX: ExtractorByName("headwater.extract.office.docx:read_docx"),
    ODT: ExtractorByName("headwater.extract.office.odt:read_odt"),
    RTF: ExtractorByName("headwater.extract.rtf.reader:read_rtf"),
    XML: ExtractorByName("headwater.extract.xml.reader:read_xml"),
    MAIL: ExtractorByName("headwater.extract.mail:read_mail"),
    MARKDOWN: ExtractorByName("headwater.extract.plain_text:read_markdown"),
    PLAIN: ExtractorByName("headwater.extract.plain_text:read_plain"),
}
# Where a list for programs may hide: a feed, a sitemap.
TEXT_KINDS = frozenset((HTML, XML, JSON, PLAIN))


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
