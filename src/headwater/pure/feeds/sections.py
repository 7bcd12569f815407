"""Sections of unparsed text, found without ever looking at a byte twice."""

from collections.abc import Callable

OPENING = b"<![CDATA["
CLOSING = b"]]>"


def outside_sections(data: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """The document with everything outside its CDATA sections changed."""
    pieces: list[bytes] = []
    position = 0
    while (opening := data.find(OPENING, position)) >= 0:
        closing = data.find(CLOSING, opening)
        if closing < 0:
            break
        pieces += (change(data[position:opening]), data[opening : closing + 3])
        position = closing + 3
    pieces.append(change(data[position:]))
    return b"".join(pieces)


def section_end(lowered: bytes, opening: int) -> int:
    """The end of a section in a lower-case document, or -1 when another opens first: it was never closed."""
    another = lowered.find(b"<![cdata[", opening + 9)
    end = lowered.find(CLOSING, opening, another if another >= 0 else len(lowered))
    return end + 3 if end >= 0 else -1
