"""What bytes really are, whatever their media type claims."""

import re
import zipfile
from io import BytesIO

from headwater.extract.office.docx import MEDIA_TYPE as DOCX
from headwater.extract.office.odt import MEDIA_TYPE as ODT

PDF, RTF, HTML, XML, JSON = (
    "application/pdf",
    "application/rtf",
    "text/html",
    "application/xml",
    "application/json",
)
PLAIN, MARKDOWN, MAIL = "text/plain", "text/markdown", "message/rfc822"
ENCRYPTED_OFFICE = "application/x-encrypted-office"
UNKNOWN = "application/octet-stream"

_LOOK = 4096
_PDF_WITHIN = 1024  # readers accept a header after some junk
_MAGIC = (
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"BM", "image/bmp"),
    (b"\x1f\x8b", "application/gzip"),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ\0", "application/x-xz"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"\x7fELF", "application/x-executable"),
    (b"MZ\x90", "application/x-executable"),
    (b"OggS", "audio/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"fLaC", "audio/flac"),
    (b"\0asm", "application/wasm"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"SQLite format 3\0", "application/vnd.sqlite3"),
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}
_ZIPPED = (
    ("word/document.xml", DOCX),
    ("xl/workbook.xml", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("ppt/presentation.xml", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ("META-INF/container.xml", "application/epub+zip"),
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
_CONTROL = bytes([*range(9), 11, *range(14, 27), *range(28, 32)])


def sniff(data: bytes, media_type: str | None = None) -> str:
    """The media type. Magic wins over the claim; between kinds of text the claim decides where the bytes cannot."""
    stated = (media_type or "").partition(";")[0].strip().lower()
    start = data[:_LOOK]
    found = _by_magic(data, start)
    if found:
        return found
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n\x0c")
    if _is_binary(start):
        return UNKNOWN
    return _text(text, data, stated)


def _by_magic(data: bytes, start: bytes) -> str | None:
    if b"%PDF-" in start[:_PDF_WITHIN] and not _HTML_TAG.match(start.lstrip()):
        return PDF
    if start.lstrip()[:5].lower() == b"{\\rtf":
        return RTF
    if start.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
        return _zipped(data)
    if start.startswith(_OLE):
        return _ole(data)
    if start.startswith(b"RIFF"):
        return _RIFF.get(start[8:12], UNKNOWN)
    if start[4:8] == b"ftyp":
        return "video/mp4"
    if data[257:262] == b"ustar":
        return "application/x-tar"
    return next((name for magic, name in _MAGIC if start.startswith(magic)), None)


def _zipped(data: bytes) -> str:
    """By its members; a damaged one by the names that can still be seen."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as file:
            names = set(file.NameToInfo)
            if "mimetype" in names and "content.xml" in names:
                return ODT if b"opendocument.text" in data[:200] else UNKNOWN
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError, IndexError, RuntimeError):
        names = set()
    for member, name in _ZIPPED:
        if member in names or (not names and member.encode() in data):
            return name
    return ODT if b"mimetypeapplication/vnd.oasis.opendocument.text" in data[:200] else "application/zip"


def _ole(data: bytes) -> str:
    """Old office files; a password turns a new one into such a file."""
    if "EncryptedPackage".encode("utf-16-le") in data:
        return ENCRYPTED_OFFICE
    word = "WordDocument".encode("utf-16-le") in data
    return "application/msword" if word else "application/x-ole-storage"


def _is_binary(start: bytes) -> bool:
    """Zero bytes that are not every other byte, or many control characters."""
    if not start or start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return False
    if b"\0" in start and not _is_wide(start):
        return True
    return len(start) - len(start.translate(None, _CONTROL)) > len(start) * 0.05 + start.count(b"\0")


def _is_wide(start: bytes) -> bool:
    even, odd = start[::2].count(0), start[1::2].count(0)
    return max(even, odd) > 0.35 * len(start) / 2 and min(even, odd) < 0.05 * len(start) / 2


def _text(text: bytes, data: bytes, stated: str) -> str:
    if _JSON_START.match(text) and stated not in {PLAIN, MARKDOWN} and _ends_like_json(data):
        return JSON
    if text.startswith(b"<"):
        return _markup(text, stated)
    if stated in {MAIL, "text/rfc822"} or _is_mail(text):
        return MAIL
    if stated in {MARKDOWN, "text/x-markdown"}:
        return MARKDOWN
    if stated in {HTML, "application/xhtml+xml"}:
        return HTML
    if _HTML_TAG.search(text) and stated in {"", UNKNOWN} and text.count(b"</") > 2:
        return HTML
    return MARKDOWN if stated in {"", UNKNOWN} and _is_marked(text) else PLAIN


def _markup(text: bytes, stated: str) -> str:
    lowered = text[:_LOOK].lower()
    if _HTML_TAG.match(text) and not lowered.startswith(b"<!--"):
        return HTML
    if b"<html" in lowered or b"<!doctype html" in lowered:
        return HTML
    if stated in {HTML, "application/xhtml+xml"} and not lowered.startswith(b"<?xml"):
        return HTML
    return XML if _XML_START.match(text) else PLAIN


def _ends_like_json(data: bytes) -> bool:
    return data[-64:].rstrip(b" \t\r\n\0")[-1:] in {b"}", b"]"}


def _is_mail(text: bytes) -> bool:
    """Three header lines at the start, folded ones in between."""
    lines = [line for line in text.splitlines()[:40] if not line.startswith((b" ", b"\t"))]
    head = lines[: lines.index(b"")] if b"" in lines else lines
    known = sum(_MAIL_LINE.match(line) is not None for line in head)
    return len(head) >= 3 and known >= 3 and known * 2 >= len(head) and _MAIL_LINE.match(head[0]) is not None


def _is_marked(text: bytes) -> bool:
    return len(_MARKDOWN_MARK.findall(text)) + len(_MARKDOWN_LINK.findall(text)) >= 2
