"""Text that was decoded with the wrong encoding, repaired."""

import re

# UTF-8 decoded as Latin-1 or Windows-1252 leaves a lead letter followed by a character that stands for the next byte.
# ftfy does the repair; this pattern only selects the lines to send to it, because ftfy is slow.
_FOLLOWING = "\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
# One set of first letters: a search jumps to the next of them, which takes a fifth of the time of alternatives.
MOJIBAKE = re.compile(
    r"[ÂÃÄÅÐÑÎÏØÙ×âàáãäðï]"
    rf"(?:(?<=[ÂÃÄÅÐÑÎÏØÙ×])[{_FOLLOWING}]|(?<=[âàáãä])[{_FOLLOWING}]{{2}}|(?<=ð)Ÿ|(?<=ï)»¿|(?<=Ã)[\s\u00ad])"
)
_C1_CONTROLS = re.compile("[\x80-\x9f]")
_LONGEST_LINE = 20_000  # a longer line is repaired in pieces of this size


def fix_mojibake(text: str) -> tuple[str, int]:
    """Turn `EspaÃ±a` into `España`, line by line, and count the changed lines. Lines without evidence stay."""
    if text.isascii() or not MOJIBAKE.search(text):
        return text, 0
    lines = text.split("\n")
    fixed = [_fix_line(line) if MOJIBAKE.search(line) else line for line in lines]
    return "\n".join(fixed), sum(a != b for a, b in zip(lines, fixed, strict=True))


def _fix_line(line: str) -> str:
    import ftfy  # noqa: PLC0415 - a heavy import that most texts never need

    pieces = (line[start : start + _LONGEST_LINE] for start in range(0, len(line), _LONGEST_LINE))
    return "".join(ftfy.fix_encoding(piece) for piece in pieces)


def fix_windows_characters(text: str) -> str:
    """Characters of Windows-1252 that were decoded as C1 control characters; unchanged if there are none."""
    if text.isascii():
        return text
    return _C1_CONTROLS.sub(lambda match: match[0].encode("latin-1").decode("cp1252", "ignore"), text)
