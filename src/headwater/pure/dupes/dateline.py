"""Where a dateline ends: `LONDON, March 3 (Agency) --` says who sent the story, not what it says."""

import re

_DASH = r"\s*(?:--?|\u2013|\u2014)\s"
_DATE = r",?\s*[A-Z][a-z]{2,8}\.?\s+\d{1,2}(?:,?\s+\d{4})?"
_AGENCY = r"\s*\([^()\n]{2,30}\)"
_SHOUTED = r"[A-Z][A-Z.'/ -]{2,30}(?:,\s*[A-Z][A-Za-z. ]{1,20})?"
_SPOKEN = r"[A-Z][A-Za-z.'/ -]{2,30}(?:,\s*[A-Z][A-Za-z. ]{1,20})?"
_DATELINE = re.compile(rf"\s*(?:{_SHOUTED}(?:{_DATE})?(?:{_AGENCY})?|{_SPOKEN}(?:(?:{_DATE})?{_AGENCY}|{_DATE})){_DASH}")


def dateline_length(text: str) -> int:
    """How many characters at the beginning are a dateline; 0 for none."""
    match = _DATELINE.match(text[:120])
    return match.end() if match else 0
