"""Text from outside for terminals and logs."""

import re

# Control codes and direction overrides, except tab and newline.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_LINE_BREAKS = re.compile(r"[\t\n\u2028\u2029]")
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def printable_text(text: object) -> str:
    """Text without characters that control a terminal."""
    return _CONTROL.sub(REPLACEMENT, str(text))


def printable_line(text: str) -> str:
    """The same on one line, so that a value cannot pretend to be another line of a log."""
    return _LINE_BREAKS.sub(" ", printable_text(text))
