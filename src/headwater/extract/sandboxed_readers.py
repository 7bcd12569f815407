"""The readers of a recipe by media type. Each runs in a child process, which alone imports it."""

from collections.abc import Mapping

from headwater.extract.sandbox.extractor_by_name import ExtractorByName, import_extractor
from headwater.extract.sandbox.sandboxed import Sandboxed
from headwater.model.outcomes import Extract
from headwater.text.sniffing import DOCX, HTML, MAIL, MARKDOWN, ODT, PDF, PLAIN, RTF, XML

READABLE_TYPES = (HTML, PDF, DOCX, ODT, RTF, XML, MAIL, MARKDOWN, PLAIN)
ALIASES: Mapping[str, str] = {
    "application/xhtml+xml": HTML,
    "application/x-pdf": PDF,
    "text/rtf": RTF,
    "text/xml": XML,
    "text/x-markdown": MARKDOWN,
}
"""Other names that servers use for these types."""
ANY = ExtractorByName("headwater.extract.reader:read_any")


def readers_by_media_type(*, fragments: bool = False, profile: str = "blocks") -> Mapping[str, Sandboxed]:
    """For a recipe's `extract`: every type that can be read, and "*" for the others. Each entry detects what the bytes are,
    in a child process. `fragments`: HTML without a page around it, such as the body of a feed entry, is all content.
    `profile`: how pages are read; ValueError if it is unknown or its packages are missing."""
    reader = ANY if profile == "blocks" else _reader_with_profile(profile)
    readers = sandboxed_for_all_types(reader)
    if not fragments:
        return readers
    fragment_reader = ExtractorByName("headwater.extract.html.fragment:FragmentReader", (reader,))
    return {**readers, HTML: Sandboxed(fragment_reader)}


def sandboxed_for_all_types(reader: Extract) -> Mapping[str, Sandboxed]:
    """One reader, which detects what the bytes are, for every type."""
    return dict.fromkeys(("*", *READABLE_TYPES, *ALIASES), Sandboxed(reader))


def _reader_with_profile(profile: str) -> ExtractorByName:
    import_extractor("headwater.extract.html.profiles.registry:html_reader", profile)
    return ExtractorByName("headwater.extract.reader:ProfileReader", (profile,))
