"""Text in one normal form, so that equal words are equal bytes."""

import re
import unicodedata
from dataclasses import replace

from headwater.model.document import Document
from headwater.model.outcome import SetAside
from headwater.model.recipe import Outcome, each

# Only what is out of order is matched: a text in good order, which most are, is looked at and not rebuilt.
ODD_SPACE = re.compile(r" ?(?:[^\S\n ]| {2})[^\S\n]*")
SPACE_AT_LINE_END = re.compile(r" (?=\n)|(?<=\n) ")
BLANK_LINES = re.compile(r"\n{3,}")


def tidy(text: str) -> str:
    """NFC, single spaces, at most one blank line between paragraphs; paragraphs stay."""
    text = unicodedata.normalize("NFC", text)
    if "\n" not in text or len(text.splitlines()) != text.count("\n") + 1:
        text = "\n".join(text.splitlines())
    text = SPACE_AT_LINE_END.sub("", ODD_SPACE.sub(" ", text))
    return BLANK_LINES.sub("\n\n", text).strip()


@each(version="1")
def normalise(document: Document) -> Outcome:
    """A document needs a title or a text to be anything at all."""
    title, text = " ".join(tidy(document.title).split()), tidy(document.text)
    if not title and not text:
        return SetAside("empty")
    return replace(document, title=title, text=text, description=tidy(document.description))
