"""Character repair: entities resolved, mojibake undone, one Unicode normal form."""

import html
import re
import unicodedata

import ftfy

# UTF-8 decoded as Latin-1 or Windows-1252 leaves a lead letter followed by a character that stands for the next byte.
# ftfy does the repair; this pattern only selects the lines to send to it, because ftfy is the slowest part of cleaning.
_FOLLOWING = "\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
MOJIBAKE = re.compile(rf"[ÂÃÄÅÐÑÎÏØÙ×][{_FOLLOWING}]|[âàáãä][{_FOLLOWING}]{{2}}|ðŸ|ï»¿|Ã\s|\u00c3\u00ad")
LONGEST_LINE = 20_000  # a longer line is repaired in pieces of this size

AMPERSANDS = re.compile(r"&(?:amp;|#0{0,5}38;|#[xX]0{0,5}26;)+")
ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
INVISIBLE = re.compile("[\u200b\u2060\ufeff\u00ad\u0000-\u0008\u000e-\u001b\u007f]")
LINE_BREAKS = re.compile("\r\n|[\r\u000b\u000c\u001c-\u001e\u0085\u2028\u2029]")
SPACES = re.compile(r"[^\S\n]{2,}|[^\S\n ]")
AROUND_BREAKS = re.compile(r" \n ?|\n ")
BLANK_LINES = re.compile(r"\n{3,}")
MAX_PASSES = 8


def resolve_entities(text: str) -> str:
    """Resolve entities that end in a semicolon (`?a=1&copy=2` is an address), doubly escaped ones included."""
    if "&" not in text:
        return text
    return ENTITY.sub(lambda match: html.unescape(match.group()), AMPERSANDS.sub("&", text))


def fix_mojibake(text: str) -> tuple[str, int]:
    """Turn `EspaÃ±a` into `España`, line by line, and count the changed lines. Lines without evidence stay."""
    if text.isascii() or not MOJIBAKE.search(text):
        return text, 0
    lines = text.split("\n")
    fixed = [_fix_line(line) if MOJIBAKE.search(line) else line for line in lines]
    return "\n".join(fixed), sum(a != b for a, b in zip(lines, fixed, strict=True))


def _fix_line(line: str) -> str:
    pieces = (line[start : start + LONGEST_LINE] for start in range(0, len(line), LONGEST_LINE))
    return "".join(ftfy.fix_encoding(piece) for piece in pieces)


def collapse_spaces(text: str) -> str:
    """Single spaces, at most one blank line between paragraphs, no invisible characters; paragraphs stay."""
    visible = INVISIBLE.sub("", LINE_BREAKS.sub("\n", text))
    single_spaced = AROUND_BREAKS.sub("\n", SPACES.sub(" ", visible))
    return BLANK_LINES.sub("\n\n", single_spaced).strip()


def repair_text(text: str) -> tuple[str, dict[str, int]]:
    """Apply all repairs until nothing changes, and count how often each one applied. Idempotent."""
    changes: dict[str, int] = {}
    for _ in range(MAX_PASSES):
        before = text
        resolved = resolve_entities(text)
        fixed, fixed_lines = fix_mojibake(resolved)
        text = unicodedata.normalize("NFC", collapse_spaces(fixed))
        changes["entities"] = changes.get("entities", 0) + (resolved != before)
        changes["mojibake"] = changes.get("mojibake", 0) + fixed_lines
        if text == before:
            break
    return text, {name: count for name, count in changes.items() if count}
