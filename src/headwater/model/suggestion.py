"""Names that somebody may have meant."""

from collections.abc import Iterable
from difflib import get_close_matches
from math import nextafter

CLOSE = 0.75
"""Names are close above it: `data` and `date`, with one letter of four changed, are two words."""
SHORTEST = 3


def nearest_name(name: str, names: Iterable[str]) -> str:
    """The name that was surely meant: the same with a slip after its first letter, or its beginning; empty if there is none."""
    candidates = [other for other in names if other[:1] == name[:1]]
    longer = [other for other in candidates if len(name) >= SHORTEST and other.startswith(name)]
    close = longer or get_close_matches(name, candidates, n=1, cutoff=nextafter(CLOSE, 1))
    return close[0] if close else ""


def suggest(name: str, names: Iterable[str]) -> str:
    """ "; did you mean 'depth'?", or nothing if no name is close."""
    close = get_close_matches(name, list(names), n=1)
    return f"; did you mean '{close[0]}'?" if close else ""
