"""Any bytes to a Reading: detect their format, then read them with the reader of that format."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b

from headwater.extract.html.profiles.registry import html_reader
from headwater.extract.html.reader import read_html
from headwater.extract.mail import read_mail
from headwater.extract.office.docx import read_docx
from headwater.extract.office.odt import read_odt
from headwater.extract.plain_text import read_markdown, read_plain
from headwater.extract.rtf.reader import read_rtf
from headwater.extract.sandbox.sandboxed import Sandboxed
from headwater.extract.xml.reader import read_xml
from headwater.model.document import Document, TrailEntry
from headwater.model.errors import Permanent
from headwater.model.outcomes import ExtractHints, Reading, Unreadable
from headwater.model.recipe import Extract
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


def read_pdf(data: bytes, hints: ExtractHints) -> Reading | Unreadable:
    """PDFium is loaded with the first PDF, since most runs have none."""
    from headwater.extract.pdf.reader import read_pdf as read_now  # noqa: PLC0415

    return read_now(data, hints)


READERS: Mapping[str, Extract] = {
    HTML: read_html,
    PDF: read_pdf,
    DOCX: read_docx,
    ODT: read_odt,
    RTF: read_rtf,
    XML: read_xml,
    MAIL: read_mail,
    MARKDOWN: read_markdown,
    PLAIN: read_plain,
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
