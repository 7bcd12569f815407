"""Edits a text as another newspaper does: a new title, a cut, a changed word, a credit line."""

from random import Random

from headwater_demo.prose.text import ArticleText

_SWAPS = (
    (" said ", " told reporters "),
    (" about ", " roughly "),
    (" because ", " since "),
    (" however", " nevertheless"),
    (" firm ", " company "),
    (" also ", " moreover "),
    (" began ", " started "),
    (" shows ", " indicates "),
)
_CREDITS = (
    "This report was provided by our syndication partner.",
    "Reporting by a partner newsroom; edited for length.",
    "A version of this article appeared earlier elsewhere.",
)
_CORRECTIONS = {
    "en": "Correction: an earlier version of this article gave the wrong day for the next meeting. It takes place on Thursday, not Wednesday.",
    "es": "Corrección: una versión anterior de este artículo indicaba mal el día de la próxima reunión. Es el jueves, no el miércoles.",
    "de": "Korrektur: In einer früheren Fassung war der Tag der nächsten Sitzung falsch angegeben. Sie findet am Donnerstag statt, nicht am Mittwoch.",
}


def edit_text(title: str, paragraphs: tuple[str, ...], chance: Random) -> ArticleText:
    """A near copy: most sentences stay word for word."""
    old, new = chance.choice(
        [swap for swap in _SWAPS if any(swap[0] in text for text in paragraphs)] or [_SWAPS[0]]
    )
    changed = [text.replace(old, new) for text in paragraphs]
    if len(changed) > 4:
        del changed[chance.randrange(2, len(changed) - 1)]
    renamed = chance.choice(("{}, report says", "{}: what we know", "Report: {}")).format(title)
    return ArticleText(
        title=renamed,
        author="",
        description=changed[0],
        keywords=(),
        paragraphs=(*changed, chance.choice(_CREDITS)),
    )


def correction(language: str) -> str:
    return _CORRECTIONS[language]
