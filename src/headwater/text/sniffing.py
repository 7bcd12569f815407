"""What bytes really are, whatever their media type claims.

Three questions over one table of signatures: `sniff_media_type` looks closely, for the choice of a reader;
`media_type_of` decides at fetch time between the declared type and the body; `binary_kind` names what cannot be a page.
"""

import codecs
import re
import zipfile
from io import BytesIO
from typing import NamedTuple

from headwater.text.charset import wide_codec

PDF, RTF, HTML, XML, JSON = (
    "application/pdf",
    "application/rtf",
    "text/html",
    "application/xml",
    "application/json",
)
PLAIN, MARKDOWN, MAIL = "text/plain", "text/markdown", "message/rfc822"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
ODT = "application/vnd.oasis.opendocument.text"
EPUB, ZIP, GZIP = "application/epub+zip", "application/zip", "application/gzip"
OLE_STORAGE = "application/x-ole-storage"
ENCRYPTED_OFFICE = "application/x-encrypted-office"
UNKNOWN = "application/octet-stream"
HTML_TYPES = frozenset((HTML, "application/xhtml+xml"))


class Signature(NamedTuple):
    """The first bytes of a format. `kind` says in words what it is; empty where text may begin with the same bytes."""

    magic: bytes
    media_type: str
    kind: str = ""


_SIGNATURES = (
    Signature(b"\x89PNG", "image/png", "an image"),
    Signature(b"\xff\xd8\xff", "image/jpeg", "an image"),
    Signature(b"GIF8", "image/gif", "an image"),
    Signature(b"II*\0", "image/tiff"),
    Signature(b"MM\0*", "image/tiff"),
    Signature(b"BM", "image/bmp"),
    Signature(b"\x1f\x8b", GZIP, "gzip data"),
    Signature(b"BZh", "application/x-bzip2"),
    Signature(b"\xfd7zXZ\0", "application/x-xz"),
    Signature(b"\x28\xb5\x2f\xfd", "application/zstd"),
    Signature(b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed", "an archive"),
    Signature(b"Rar!\x1a\x07", "application/vnd.rar", "an archive"),
    Signature(b"\x7fELF", "application/x-executable", "a program"),
    Signature(b"MZ\x90", "application/x-executable", "a program"),
    Signature(b"OggS", "audio/ogg", "a media file"),
    Signature(b"ID3", "audio/mpeg", "a media file"),
    Signature(b"fLaC", "audio/flac"),
    Signature(b"\0asm", "application/wasm"),
    Signature(b"wOFF", "font/woff", "a font"),
    Signature(b"wOF2", "font/woff2", "a font"),
    Signature(b"SQLite format 3\0", "application/vnd.sqlite3"),
)
_PDF_MAGIC, _ZIP_MAGIC, _RIFF_MAGIC = b"%PDF-", b"PK\x03\x04", b"RIFF"
_ZIP_MAGICS = (_ZIP_MAGIC, b"PK\x05\x06", b"PK\x07\x08")
_OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_RTF_MAGIC = b"{\\rtf"
_SAMPLE = 4096
_WIDE_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_PDF_WITHIN = 1024  # readers accept a header after some junk
_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}
_ZIP_MEMBERS = (
    ("word/document.xml", DOCX),
    ("xl/workbook.xml", XLSX),
    ("ppt/presentation.xml", PPTX),
    ("META-INF/container.xml", EPUB),
    ("META-INF/MANIFEST.MF", "application/java-archive"),
)
_HTML_TAG = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|title|meta|link|script|style|div|article|section|main|nav|header|footer|"
    rb"h[1-6]|p|table|ul|ol|span|a|img|form|iframe|br|center|font|b|!--)[\s>/-]",
    re.IGNORECASE,
)
_XML_START = re.compile(rb"<(?:\?xml\b|!doctype\s+(?!html)|!--|[a-z_][\w.:-]*[\s/>])", re.IGNORECASE)
_JSON_START = re.compile(rb"""\{\s*["}]|\[\s*(?:["{\[\]]|-?\d|true|false|null)""")
_MAIL_LINE = re.compile(
    rb"(?:Return-Path|Received|From|To|Cc|Subject|Date|Message-ID|MIME-Version|Delivered-To|Reply-To|Content-Type|"
    rb"X-[\w-]{1,60}|DKIM-Signature|List-Id|Sender|In-Reply-To|References|Authentication-Results|ARC-[\w-]{1,40}|"
    rb"Content-Transfer-Encoding|Content-Language): ?",
    re.IGNORECASE,
)
_MARKDOWN_MARK = re.compile(
    rb"(?m)^(?:#{1,6} \S|\[[^\]\n]+\]: \S|```|\|(?: ?:?-{3,}:? ?\|)+\s*$|[-*] \[[ x]\] )"
)
_MARKDOWN_LINK = re.compile(rb"\[[^\]\n]{1,200}\]\([^)\s]{1,500}\)")
_CONTROL = bytes([*range(1, 9), 11, *range(14, 27), *range(28, 32), 127])


def sniff_media_type(data: bytes, media_type: str | None = None) -> str:
    """The media type. A signature wins over the claim; between kinds of text the claim decides where bytes cannot."""
    declared = _bare_type(media_type or "")
    start = data[:_SAMPLE]
    if (signed := _by_signature(data, start)) is not None:
        return signed
    if _is_binary(start):
        return UNKNOWN
    if (wide := _wide_text(start)) is not None:
        start, data = wide, _wide_text(data[-_SAMPLE:]) or data
    return _text_type(start.lstrip(b"\xef\xbb\xbf \t\r\n\x0c"), data, declared)


def _wide_text(sample: bytes) -> bytes | None:
    """Text of two or four bytes per character in UTF-8; None for any other."""
    mark = next((codec for mark, codec in _WIDE_MARKS if sample.startswith(mark)), None)
    codec = mark or wide_codec(sample)
    return sample.decode(codec, "replace").lstrip("\ufeff").encode() if codec else None


LISTING_KINDS = {
    b"rss": "an RSS feed",
    b"rdf:rdf": "an RSS feed",
    b"feed": "an Atom feed",
    b"atom:feed": "an Atom feed",
    b"urlset": "a sitemap",
    b"sitemapindex": "a sitemap",
    b"opml": "a list of feeds",
}


def listing_kind(data: bytes) -> str:
    """In words, what kind of list for programs this is: a file that names articles and is none. Empty for others."""
    start = data[:_SAMPLE]
    text = (_wide_text(start) or start).lstrip(b"\xef\xbb\xbf\x00 \t\r\n").lower()
    if text.startswith(b"{"):
        return "a JSON feed" if _JSON_FEED in text else ""
    root = _ROOT.match(text) if text.startswith(b"<") else None
    if root is None or (root[1] == b"rdf:rdf" and b"rss" not in text):
        return ""
    return LISTING_KINDS.get(root[1], "")


def _bare_type(media_type: str) -> str:
    """In lower case and without parameters."""
    return media_type.partition(";")[0].strip().lower()


def _by_signature(data: bytes, start: bytes) -> str | None:
    if _PDF_MAGIC in start[:_PDF_WITHIN] and not _HTML_TAG.match(start.lstrip()):
        return PDF
    if start.lstrip()[: len(_RTF_MAGIC)].lower() == _RTF_MAGIC:
        return RTF
    if start.startswith(_ZIP_MAGICS):
        return _zip_type(data)
    if start.startswith(_OLE_MAGIC):
        return _ole_type(data)
    if start.startswith(_RIFF_MAGIC):
        return _RIFF.get(start[8:12], UNKNOWN)
    if start[4:8] == b"ftyp":
        return "video/mp4"
    if data[257:262] == b"ustar":
        return "application/x-tar"
    return next(
        (signature.media_type for signature in _SIGNATURES if start.startswith(signature.magic)), None
    )


def _zip_type(data: bytes) -> str:
    """By its members; a damaged file by the names that can still be seen."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as file:
            names = set(file.NameToInfo)
            if "mimetype" in names and "content.xml" in names:
                return ODT if b"opendocument.text" in data[:200] else UNKNOWN
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError, IndexError, RuntimeError):
        names = set()
    for member, name in _ZIP_MEMBERS:
        if member in names or (not names and member.encode() in data):
            return name
    return ODT if b"mimetypeapplication/vnd.oasis.opendocument.text" in data[:200] else ZIP


def _ole_type(data: bytes) -> str:
    """Old office files; a password turns a new one into such a file."""
    if "EncryptedPackage".encode("utf-16-le") in data:
        return ENCRYPTED_OFFICE
    word = "WordDocument".encode("utf-16-le") in data
    return "application/msword" if word else OLE_STORAGE


def _is_binary(start: bytes) -> bool:
    """Zero bytes that are not every other byte, or many control characters."""
    if not start or start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return False
    if b"\0" in start and not _is_two_byte_text(start):
        return True
    return _has_many_controls(start)


def _has_many_controls(sample: bytes) -> bool:
    """Text encoded in two bytes per character has many zeros, but hardly any other control bytes."""
    return (len(sample) - len(sample.translate(None, _CONTROL))) * 20 > len(sample)


def _is_two_byte_text(start: bytes) -> bool:
    even, odd = start[::2].count(0), start[1::2].count(0)
    return max(even, odd) > 0.35 * len(start) / 2 and min(even, odd) < 0.05 * len(start) / 2


def _text_type(text: bytes, data: bytes, declared: str) -> str:
    if _JSON_START.match(text) and declared not in {PLAIN, MARKDOWN} and _ends_like_json(data):
        return JSON
    if text.startswith(b"<"):
        return _markup_type(text, declared)
    if declared in {MAIL, "text/rfc822"} or _is_mail(text):
        return MAIL
    if declared in {MARKDOWN, "text/x-markdown"}:
        return MARKDOWN
    if declared in {HTML, "application/xhtml+xml"}:
        return HTML
    if _HTML_TAG.search(text) and declared in {"", UNKNOWN} and text.count(b"</") > 2:
        return HTML
    return MARKDOWN if declared in {"", UNKNOWN} and _is_markdown(text) else PLAIN


def _markup_type(text: bytes, declared: str) -> str:
    lowered = text[:_SAMPLE].lower()
    if _HTML_TAG.match(text) and not lowered.startswith(b"<!--"):
        return HTML
    if b"<html" in lowered or b"<!doctype html" in lowered:
        return HTML
    if declared in {HTML, "application/xhtml+xml"} and not lowered.startswith(b"<?xml"):
        return HTML
    return XML if _XML_START.match(text) else PLAIN


def _ends_like_json(data: bytes) -> bool:
    return data[-64:].rstrip(b" \t\r\n\0")[-1:] in {b"}", b"]"}


def _is_mail(text: bytes) -> bool:
    """Three header lines at the start, folded ones in between."""
    lines = [line for line in text.splitlines()[:40] if not line.startswith((b" ", b"\t"))]
    head = lines[: lines.index(b"")] if b"" in lines else lines
    headers = sum(_MAIL_LINE.match(line) is not None for line in head)
    return (
        len(head) >= 3 and headers >= 3 and headers * 2 >= len(head) and _MAIL_LINE.match(head[0]) is not None
    )


def _is_markdown(text: bytes) -> bool:
    return len(_MARKDOWN_MARK.findall(text)) + len(_MARKDOWN_LINK.findall(text)) >= 2


_OFFICE_PARTS = (
    (b"word/", DOCX),
    (b"xl/", XLSX),
    (b"ppt/", PPTX),
    (b"mimetype" + ODT.encode(), ODT),
    (b"mimetype" + EPUB.encode(), EPUB),
)
# What a fetch believes from the first bytes alone. Other signatures are left to the declared type.
_FETCH_SIGNATURES = (
    (_PDF_MAGIC, PDF),
    *(
        (signature.magic, signature.media_type)
        for signature in _SIGNATURES
        if signature.kind in ("an image", "gzip data")
    ),
    (_RIFF_MAGIC, "image/webp"),
    (_OLE_MAGIC, OLE_STORAGE),
    (_RTF_MAGIC, RTF),
)
# A container says less than a declared type that is made of it: a word processor's file is a zip file.
_CONTAINERS = frozenset((ZIP, GZIP, OLE_STORAGE, "image/webp"))
# The first element of an XML document, after its declaration, comments, instructions and document type.
_ROOT = re.compile(
    rb"(?:\s++|<\?[^>]*+>|(?><!--.*?-->)|<!doctype[^>\[]*+(?:\[[^\]]*+\])?\s*+>)*+<([a-z][\w:.-]*)", re.DOTALL
)
_TYPES_BY_ROOT = {
    b"rss": "application/rss+xml",
    b"rdf:rdf": "application/rdf+xml",
    b"feed": "application/atom+xml",
    b"atom:feed": "application/atom+xml",
    b"urlset": XML,
    b"sitemapindex": XML,
    b"html": HTML,
    b"svg": "image/svg+xml",
    **dict.fromkeys(
        (
            b"head",
            b"body",
            b"title",
            b"meta",
            b"link",
            b"script",
            b"style",
            b"div",
            b"p",
            b"h1",
            b"table",
            b"a",
        ),
        HTML,
    ),
}
_JSON_FEED = b"https://jsonfeed.org/version/"
# Types that servers send for everything; what the body looks like is better evidence.
_VAGUE_TYPES = frozenset(
    (
        "",
        UNKNOWN,
        "application/unknown",
        "application/x-download",
        "application/force-download",
        JSON,
        XML,
        "binary/octet-stream",
        HTML,
        PLAIN,
        "text/xml",
    )
)
_FETCH_SAMPLE = 1024


def media_type_of(content_type: str, body: bytes) -> str:
    """The media type, in lower case and without parameters: the declared one, unless the body contradicts it."""
    declared = _bare_type(content_type)
    start = body[:_FETCH_SAMPLE]
    is_telling = declared not in _VAGUE_TYPES and "/" in declared
    signed = _fetch_signature(start, body)
    if signed is not None:
        return declared if signed in _CONTAINERS and is_telling else signed
    if is_telling:
        return declared
    return _root_type(start) or (declared if "/" in declared else UNKNOWN if b"\x00" in start else PLAIN)


def _fetch_signature(start: bytes, body: bytes) -> str | None:
    if start.startswith(_ZIP_MAGIC):
        return next((media_type for part, media_type in _OFFICE_PARTS if part in body[:_SAMPLE]), ZIP)
    return next((media_type for magic, media_type in _FETCH_SIGNATURES if start.startswith(magic)), None)


def _root_type(start: bytes) -> str | None:
    text = start.lstrip(b"\xef\xbb\xbf\x00 \t\r\n").lower()
    if text.startswith((b"{", b"[")):
        return "application/feed+json" if _JSON_FEED in text else JSON
    if not text.startswith(b"<"):
        return None
    if text.startswith(b"<!doctype html"):
        return HTML
    root = _ROOT.match(text)
    return _TYPES_BY_ROOT.get(root[1] if root else b"") or (XML if text.startswith(b"<?xml") else None)


def binary_kind(data: bytes) -> str:
    """In words, what these bytes are that cannot be a page; empty when they can be one."""
    start = data[:_SAMPLE].lstrip()
    for magic, kind in _BINARY_KINDS:
        if start.startswith(magic):
            return kind
    if _PDF_MAGIC in start[:_PDF_WITHIN] and b"<html" not in start.lower():
        return "a PDF"
    return "binary data" if _is_binary_page(data[:_SAMPLE]) else ""


_BINARY_KINDS = (
    (_PDF_MAGIC, "a PDF"),
    (_ZIP_MAGIC, "a zip archive"),
    (_RIFF_MAGIC, "a media file"),
    (_OLE_MAGIC, "an old office file"),
    *((signature.magic, signature.kind) for signature in _SIGNATURES if signature.kind),
)


def _is_binary_page(sample: bytes) -> bool:
    """Many control bytes and no markup at the start."""
    if not sample or sample[:64].lstrip()[:1] == b"<" or sample[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return False
    return _has_many_controls(sample)
