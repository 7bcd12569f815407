"""Marks of printed text: quotation marks, dashes and the like are all that keeps most English texts from being ASCII, for which
everything is several times faster."""

APOSTROPHE = "’"
MARKS = "“”‘„«»–—…\u00a0"
"""None is a part of a word, and none joins two."""


def space_marks(text: str, apostrophe: str = " ") -> str:
    """A space for each of the marks, and the typewriter's sign or another for the apostrophe: a search for one that does not occur
    takes no time."""
    for mark in MARKS:
        text = text.replace(mark, " ")
    return text.replace(APOSTROPHE, apostrophe)
