"""Where a dateline ends: `LONDON, March 3 (Agency) --` says who sent the story, not what it says."""

import re

_DASH = r"\s*\.?\s*(?:--?|\u2013|\u2014)\s"
_DATE = (
    r",?\s*(?:[A-Z][a-z]{2,8}\.?\s+\d{1,2}|\d{1,2}\.?\s(?:de\s)?[^\W\d_]{3,10}\.?)(?:,?\s+(?:de\s)?\d{4})?"
)
_AGENCY = r"\s*\([^()\n]{2,30}\)"
_SLASHED = r"\.?\s*/[^/\n]{2,30}/\s*(?:\.|--?|\u2013|\u2014)\s"
_SHOUTED = r"[A-Z][A-Z.'/ -]{2,30}(?:,\s*[A-Z][A-Za-z. ]{1,20})?"
_SPOKEN = r"[A-Z][A-Za-z.'/ -]{2,30}(?:,\s*[A-Z][A-Za-z. ]{1,20})?"
_FIRST = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]+)?:\s")
"""`Paris: ` opens a text; further down such a word belongs to it."""
_BRACKETED = rf"\([A-Z][A-Z.'/ -]{{2,30}}\){_DASH}"
_DATELINE = re.compile(
    rf"(?:{_SHOUTED}(?:{_DATE})?(?:{_AGENCY})?|{_SPOKEN}(?:(?:{_DATE})?{_AGENCY}|{_DATE})){_DASH}"
    rf"|{_SPOKEN}(?:{_DATE})?{_SLASHED}|{_BRACKETED}"
)
_LINES = 4
_HEAD = 400


def dateline_length(text: str) -> int:
    """How many characters at the beginning are bylines and a dateline; 0 for no dateline."""
    start = 0
    for line in text[:_HEAD].split("\n")[:_LINES]:
        match = _DATELINE.match(line) or (None if start else _FIRST.match(line))
        if match:
            return start + match.end()
        start += len(line) + 1
    return 0
