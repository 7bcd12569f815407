"""Names that somebody may have meant."""

from collections.abc import Iterable
from difflib import get_close_matches


def suggest(name: str, names: Iterable[str]) -> str:
    """ "; did you mean 'depth'?", or nothing if no name is close."""
    close = get_close_matches(name, list(names), n=1)
    return f"; did you mean '{close[0]}'?" if close else ""
