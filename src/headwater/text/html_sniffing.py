"""Bytes that are no page at all."""

from headwater.model.outcomes import Unreadable

LARGEST = 32 * 1024 * 1024
_MAGIC = (
    (b"%PDF-", "a PDF"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x1f\x8b", "gzip data"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (b"RIFF", "a media file"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"\xd0\xcf\x11\xe0", "an old office file"),
    (b"Rar!", "an archive"),
    (b"7z\xbc\xaf", "an archive"),
    (b"OggS", "a media file"),
    (b"ID3", "a media file"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
)
_SAMPLE = 4096
_CONTROL = bytes([*range(1, 9), 11, *range(14, 27), *range(28, 32), 127])


def why_not_html(data: bytes) -> Unreadable | None:
    """Why these bytes are not read as a page, if they are not."""
    if len(data) > LARGEST:
        return Unreadable("too_large", f"{len(data)} bytes; the limit is {LARGEST}")
    start = data[:_SAMPLE].lstrip()
    for magic, name in _MAGIC:
        if start.startswith(magic):
            return Unreadable("unsupported", f"{name}, not a page")
    if b"%PDF-" in start[:1024] and b"<html" not in start.lower():
        return Unreadable("unsupported", "a PDF, not a page")
    if _is_binary(data[:_SAMPLE]):
        return Unreadable("unsupported", "binary data, not a page")
    return None


def _is_binary(sample: bytes) -> bool:
    """Control bytes by the dozen and no markup: two-byte text has nulls, but hardly any other."""
    if not sample or b"<" in sample[:64].lstrip()[:1] or sample[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return False
    controls = len(sample) - len(sample.translate(None, _CONTROL))
    return controls * 20 > len(sample)
