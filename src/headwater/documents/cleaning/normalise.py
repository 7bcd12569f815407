"""The normalising step: text in one Unicode form, so that equal words are equal bytes."""

import re
import unicodedata

from headwater.model.document import Document
from headwater.model.outcomes import SetAside
from headwater.model.recipe import Outcome, each

BLANK_LINES = re.compile(r"\n{3,}")
IRREGULAR_ASCII = ("  ", " \n", "\n ", "\n\n\n", *"\t\r\x0b\x0c\x1c\x1d\x1e\x1f")


def normalise_whitespace(text: str) -> str:
    """NFC, single spaces, at most one blank line between paragraphs; paragraphs stay."""
    if is_regular_ascii(text):
        return text
    # Splitting and joining is several times faster than searching for irregular spaces.
    lines = [" ".join(line.split()) for line in unicodedata.normalize("NFC", text).splitlines()]
    return BLANK_LINES.sub("\n\n", "\n".join(lines)).strip()


def is_regular_ascii(text: str) -> bool:
    """Whether nothing is to be normalised, as in most texts that a reader returns: known in a fraction of the time that it takes to
    make them again. False says nothing."""
    if not text.isascii() or text[:1].isspace() or text[-1:].isspace():
        return False
    return not any(irregular in text for irregular in IRREGULAR_ASCII)


@each(version="1")
def normalise(document: Document) -> Outcome:
    """Normalise title, text and description; quarantine a document that has neither title nor text."""
    title, text = " ".join(normalise_whitespace(document.title).split()), normalise_whitespace(document.text)
    if not title and not text:
        return SetAside("empty")
    return document.with_changes(
        title=title, text=text, description=normalise_whitespace(document.description)
    )
