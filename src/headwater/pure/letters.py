"""Text from anywhere as both databases can hold it."""

import re

SURROGATES = re.compile("[\ud800-\udfff]")


def storable(text: str) -> str:
    """PostgreSQL holds no NUL in a text, neither database half a surrogate pair: each becomes a replacement character."""
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    return text if text.isascii() else SURROGATES.sub("\ufffd", text)
